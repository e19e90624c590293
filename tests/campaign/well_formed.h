#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Are these tags balanced, attributes quoted, and everything else escaped? For XML, and for HTML as our reports write
// it.
// "" if so, else what is wrong and where. A judge of our own output: it knows no CDATA and no DTD.
namespace retrial::campaign::report {

inline std::string ill_formed(std::string_view text) {
  static const std::set<std::string_view> kVoid = {"meta", "br", "wbr"};
  std::vector<std::string> open;
  auto wrong = [&](std::string_view what, std::size_t at) {
    return std::string(what) + " near: " + std::string(text.substr(at > 40 ? at - 40 : 0, 120));
  };
  auto entity = [&](std::size_t at) {
    for (std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&emsp;"})
      if (text.substr(at, known.size()) == known) return true;
    return false;
  };
  for (std::size_t i = 0; i < text.size(); i++) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) return wrong("a control character", i);
    if (!open.empty() && open.back() == "style" && text.substr(i, 8) != "</style>") continue;
    if (c == '&' && !entity(i)) return wrong("a bare &", i);
    if (c != '<') continue;
    if (text[i + 1] == '?' || text[i + 1] == '!') {
      i = text.find('>', i);
      continue;
    }
    auto begin = i;
    bool closes = text[i + 1] == '/';
    auto name_end = text.find_first_of(" />", i + 1 + closes);
    if (name_end == text.npos) return wrong("a tag without end", i);
    std::string name(text.substr(i + 1 + closes, name_end - i - 1 - closes));
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz12345-") != name.npos)
      return wrong("a bare <", i);
    bool quoted = false;
    for (i = name_end; i < text.size() && (quoted || text[i] != '>'); i++) {
      if (text[i] == '"') quoted = !quoted;
      if (text[i] == '<') return wrong("a < inside a tag", i);
      if (text[i] == '&' && !entity(i)) return wrong("a bare & in an attribute", i);
    }
    if (closes) {
      if (open.empty() || open.back() != name)
        return wrong("</" + name + "> closes " + (open.empty() ? "nothing" : open.back()), begin);
      open.pop_back();
    } else if (text[i - 1] != '/' && !kVoid.count(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace retrial::campaign::report
