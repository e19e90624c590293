#include "proxy/codec/intermediary.h"

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/tags.h"

namespace retrial::proxy {
namespace {

// RFC 9110 7.6.3: by the version in which the message came.
std::string_view via(const H1Head& head) {
  return head.minor == 0 ? "Via: 1.0 retrial\r\n" : "Via: 1.1 retrial\r\n";
}

// Upgrades that ordinary clients offer on plain HTTP, and that nobody is meant to take up here.
bool passed_upgrade(std::string_view protocol) {
  return !iequals(protocol.substr(0, 3), "h2c") && !iequals(protocol.substr(0, 4), "TLS/");
}

// Does a line of the head stand for this connection alone?
bool hop(const H1Head& head, const H1Field& f) {
  switch (f.known) {
    case FieldName::connection:
    case FieldName::keep_alive:
    case FieldName::proxy_connection:
    case FieldName::te:
    case FieldName::http2_settings:
      return true;
    case FieldName::upgrade:
      return !head.upgrades || !passed_upgrade(head.value(f));
    case FieldName::host:
    case FieldName::content_length:
    case FieldName::transfer_encoding:
      return false;  // whatever Connection names: without them it would be another message
    default:
      break;
  }
  if (!head.names_hops) return false;
  for (auto& c : head.fields)
    if (c.known == FieldName::connection && lists(head.value(c), head.name(f))) return true;
  return false;
}
bool upgrade_passes(const H1Head& head) {
  for (auto& f : head.fields)
    if (f.known == FieldName::upgrade && !hop(head, f)) return true;
  return false;
}

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
  Lines lines(head, out);
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    bool other_host = static_cast<int>(i) == head.host_field && !whole.authority.empty();
    bool tag = f.known == FieldName::other && !how.keep_tags && is_tag(head.name(f));
    if (!other_host && !tag && !hop(head, f)) {
      lines.keep(i);
      continue;
    }
    lines.flush();
    if (other_host) out.append(head.name(f)).append(": ").append(whole.authority).append("\r\n");
  }
  lines.flush();
  if (head.upgrades && upgrade_passes(head)) out.append("Connection: Upgrade\r\n");
  out.append(via(head)).append("\r\n");
}

void pass_on(const H1Head& head, const ResponseHead& how, std::string& out) {
  out.append("HTTP/1.1 ");
  auto first = head.fields.empty() ? head.raw.size() - 2 : head.fields[0].name;
  auto status = head.raw.find(' ');
  out.append(head.raw.substr(status + 1, first - status - 1));
  Lines lines(head, out);
  // Neither 1xx nor 204 carries framing (RFC 9110 8.6, RFC 9112 6.1).
  bool informational = head.status < 200, unframed = informational || head.status == 204;
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    bool coding = f.known == FieldName::transfer_encoding;
    bool framing = coding || f.known == FieldName::content_length;
    bool stays = !(framing && unframed) && !(coding && how.framing == Framing::plain) && !hop(head, f);
    bool folds = head.folded && head.line(i).find("\r\n") + 2 < head.line(i).size();
    if (stays && !folds) {
      lines.keep(i);
      continue;
    }
    lines.flush();
    if (stays) unfold(head.line(i), out);
  }
  lines.flush();
  if (head.status == 101)
    out.append("Connection: Upgrade\r\n");
  else if (!informational && !how.keep_alive)
    out.append("Connection: close\r\n");
  else if (!informational && how.minor == 0)
    out.append("Connection: keep-alive\r\n");
  out.append(via(head)).append("\r\n");
}

}  // namespace retrial::proxy
