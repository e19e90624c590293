#include "proxy/codec/intermediary.h"

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/exchange/record.h"

namespace retrial::proxy {
namespace {

constexpr std::string_view kViaField = "Via: 1.1 retrial\r\n";

// Upgrades that ordinary clients offer on plain HTTP, and that nobody is meant to take up here.
bool passed_upgrade(std::string_view protocol) {
  return !iequals(protocol.substr(0, 3), "h2c") && !iequals(protocol.substr(0, 4), "TLS/");
}

// The lines of a head that stand for this connection alone.
class Hops {
 public:
  explicit Hops(const H1Head& head) : head_(head) {
    for (auto& f : head.fields)
      if (f.name_end - f.name == 10 && iequals(head.name(f), "connection")) {
        auto value = head.value(f);
        if (!iequals(value, "keep-alive") && !iequals(value, "close") && !value.empty()) named_ = true;
      }
  }
  bool upgrade() const { return upgrade_; }
  bool leaves(const H1Field& f) {
    auto name = head_.name(f);
    switch (name.size()) {
      case 2:
        if (iequals(name, "te")) return false;
        break;
      case 4:
        if (iequals(name, "host")) return true;
        break;
      case 7:
        if (!iequals(name, "upgrade")) break;
        upgrade_ = head_.upgrades && passed_upgrade(head_.value(f));
        return upgrade_;
      case 10:
        if (iequals(name, "connection") || iequals(name, "keep-alive")) return false;
        break;
      case 14:
        if (iequals(name, "content-length")) return true;
        if (iequals(name, "http2-settings")) return false;
        break;
      case 16:
        if (iequals(name, "proxy-connection")) return false;
        break;
      case 17:
        if (iequals(name, "transfer-encoding")) return true;
        break;
      default:
        break;
    }
    return !named_ || !named(name);
  }

 private:
  bool named(std::string_view name) const {
    for (auto& f : head_.fields)
      if (f.name_end - f.name == 10 && iequals(head_.name(f), "connection") && lists(head_.value(f), name)) return true;
    return false;
  }
  const H1Head& head_;
  bool named_ = false;
  bool upgrade_ = false;
};

// Lines that stay are copied together as far as they stand together.
class Lines {
 public:
  Lines(const H1Head& head, std::string& out) : head_(head), out_(out) {}
  void keep(std::size_t n) {
    if (kept_ == 0) from_ = n;
    kept_++;
  }
  void flush() {
    if (kept_ == 0) return;
    auto begin = head_.fields[from_].name;
    auto end = from_ + kept_ < head_.fields.size() ? head_.fields[from_ + kept_].name : head_.raw.size() - 2;
    out_.append(head_.raw.substr(begin, end - begin));
    kept_ = 0;
  }

 private:
  const H1Head& head_;
  std::string& out_;
  std::size_t from_ = 0, kept_ = 0;
};

void unfold(std::string_view line, std::string& out) {  // RFC 9112 5.2: a fold becomes spaces
  auto end = line.size() - 2;
  for (std::size_t i = 0; i < end; i++) out += line[i] == '\r' || line[i] == '\n' ? ' ' : line[i];
  out += "\r\n";
}
bool names(const H1Head& head, const H1Field& f, std::string_view name) {
  return f.name_end - f.name == name.size() && iequals(head.name(f), name);
}

}  // namespace

AbsoluteTarget absolute(std::string_view target) {
  auto colon = target.find("://");
  if (colon == target.npos || colon == 0 || target.front() == '/') return {};
  AbsoluteTarget a;
  a.scheme = target.substr(0, colon);
  auto rest = target.substr(colon + 3);
  auto end = rest.find_first_of("/?");
  a.authority = rest.substr(0, end);
  if (auto at = a.authority.rfind('@'); at != a.authority.npos) a.authority.remove_prefix(at + 1);
  a.path = end == rest.npos ? std::string_view() : rest.substr(end);
  return a;
}

void pass_on(const H1Head& head, const RequestHead& how, std::string& out) {
  auto whole = absolute(head.target);
  out.append(head.method).append(" ");
  if (whole.authority.empty()) {
    out.append(head.target);
  } else {  // the service is an origin: origin-form, and the target's authority wins (RFC 9112 3.2.2)
    if (whole.path.empty())
      out.append(head.method == "OPTIONS" ? "*" : "/");
    else if (whole.path.front() == '?')
      out.append("/").append(whole.path);
    else
      out.append(whole.path);
  }
  out.append(" HTTP/1.1\r\n");
  if (head.hosts == 0)
    out.append("Host: ").append(whole.authority.empty() ? how.authority : whole.authority).append("\r\n");
  Hops hops(head);
  Lines lines(head, out);
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    bool other_host = static_cast<int>(i) == head.host_field && !whole.authority.empty();
    if (!other_host && hops.leaves(f) && (how.keep_tags || !is_tag(head.name(f)))) {
      lines.keep(i);
      continue;
    }
    lines.flush();
    if (other_host) out.append(head.name(f)).append(": ").append(whole.authority).append("\r\n");
  }
  lines.flush();
  if (hops.upgrade()) out.append("Connection: Upgrade\r\n");
  out.append(kViaField).append("\r\n");
}

void pass_on(const H1Head& head, const ResponseHead& how, std::string& out) {
  out.append("HTTP/1.1 ");
  auto first = head.fields.empty() ? head.raw.size() - 2 : head.fields[0].name;
  auto status = head.raw.find(' ');
  out.append(head.raw.substr(status + 1, first - status - 1));
  Hops hops(head);
  Lines lines(head, out);
  bool informational = head.status < 200;
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    // Neither 1xx nor 204 carries framing (RFC 9110 8.6, RFC 9112 6.1).
    bool framing = names(head, f, "transfer-encoding") || names(head, f, "content-length");
    bool unframed = framing && (informational || head.status == 204 ||
                                (how.framing == Framing::plain && names(head, f, "transfer-encoding")));
    if (!unframed && hops.leaves(f) && !(head.folded && head.line(i).find("\r\n") + 2 < head.line(i).size())) {
      lines.keep(i);
      continue;
    }
    lines.flush();
    if (!unframed && head.folded && hops.leaves(f)) unfold(head.line(i), out);
  }
  lines.flush();
  if (head.status == 101)
    out.append("Connection: Upgrade\r\n");
  else if (!informational && !how.keep_alive)
    out.append("Connection: close\r\n");
  else if (!informational && how.minor == 0)
    out.append("Connection: keep-alive\r\n");
  out.append(kViaField).append("\r\n");
}

}  // namespace retrial::proxy
