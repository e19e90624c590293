#include "proxy/codec/intermediary.h"

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/tags.h"

namespace retrial::proxy {
namespace {

// The last line (RFC 9110 7.6.3: by the version in which the message came), and the end of the head.
std::string_view via(const H1Head& head) {
  return head.minor == 0 ? "Via: 1.0 retrial\r\n\r\n" : "Via: 1.1 retrial\r\n\r\n";
}

// Upgrades that ordinary clients offer on plain HTTP, and that nobody is meant to take up here.
bool passed_upgrade(std::string_view protocol) {
  return !iequals(protocol.substr(0, 3), "h2c") && !iequals(protocol.substr(0, 4), "TLS/");
}

// Does a line of the head stand for this connection alone?
bool named_hop(const H1Head& head, const H1Field& f);
inline bool hop(const H1Head& head, const H1Field& f) {
  if (f.known == FieldName::plain || f.known == FieldName::content_type) return head.names_hops && named_hop(head, f);
  return named_hop(head, f);
}
bool named_hop(const H1Head& head, const H1Field& f) {
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

// What stays is copied together as far as it stands together.
class Stretch {
 public:
  Stretch(const H1Head& head, std::string& out) : head_(head), out_(out) {}
  void keep(std::size_t from, std::size_t to) {
    if (from != end_) {
      flush();
      begin_ = from;
    }
    end_ = to;
  }
  void flush() {
    out_.append(head_.raw.substr(begin_, end_ - begin_));
    begin_ = end_;
  }

 private:
  const H1Head& head_;
  std::string& out_;
  std::size_t begin_ = 0, end_ = 0;
};
// Where the line of field n ends.
std::size_t line_end(const H1Head& head, std::size_t n) {
  return n + 1 < head.fields.size() ? head.fields[n + 1].name : head.raw.size() - 2;
}
std::size_t first_field(const H1Head& head) {
  return head.fields.empty() ? head.raw.size() - 2 : head.fields.front().name;
}

void unfold(std::string_view line, std::string& out) {  // RFC 9112 5.2: a fold becomes spaces
  auto end = line.size() - 2;
  for (std::size_t i = 0; i < end; i++) out += line[i] == '\r' || line[i] == '\n' ? ' ' : line[i];
  out += "\r\n";
}
}  // namespace

AbsoluteTarget absolute(std::string_view target) {
  if (target.empty() || target.front() == '/') return {};
  auto colon = target.find("://");
  if (colon == target.npos || colon == 0) return {};
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
  Stretch lines(head, out);
  auto method = static_cast<std::size_t>(head.method.data() - head.raw.data());
  if (whole.authority.empty() && head.minor == 1) {
    lines.keep(method, first_field(head));
  } else {
    out.append(head.method).append(" ");
    if (whole.authority.empty())
      out.append(head.target);
    else if (whole.path.empty())  // the service is an origin: origin-form (RFC 9112 3.2.1)
      out.append(head.method == "OPTIONS" ? "*" : "/");
    else
      out.append(whole.path.front() == '?' ? "/" : "").append(whole.path);
    out.append(" HTTP/1.1\r\n");
  }
  if (head.hosts == 0) {
    lines.flush();
    out.append("Host: ").append(whole.authority.empty() ? how.authority : whole.authority).append("\r\n");
  }
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    if (f.known == FieldName::host && !whole.authority.empty()) {  // the target's wins (RFC 9112 3.2.2)
      lines.flush();
      out.append(head.name(f)).append(": ").append(whole.authority).append("\r\n");
      continue;
    }
    bool tag = f.known == FieldName::other && !how.keep_tags && is_tag(head.name(f));
    if (!tag && !hop(head, f)) lines.keep(f.name, line_end(head, i));
  }
  lines.flush();
  if (head.upgrades && upgrade_passes(head)) out.append("Connection: Upgrade\r\n");
  out.append(via(head));
}

void pass_on(const H1Head& head, const ResponseHead& how, std::string& out) {
  Stretch lines(head, out);
  if (head.minor == 1) {
    lines.keep(0, first_field(head));
  } else {
    out.append("HTTP/1.1 ");
    lines.keep(9, first_field(head));
  }
  // Neither 1xx nor 204 carries framing (RFC 9110 8.6, RFC 9112 6.1).
  bool informational = head.status < 200, unframed = informational || head.status == 204;
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    bool coding = f.known == FieldName::transfer_encoding;
    if (unframed && (coding || f.known == FieldName::content_length)) continue;
    if ((coding && how.framing == Framing::plain) || hop(head, f)) continue;
    if (head.folded && head.line(i).find("\r\n") + 2 < head.line(i).size()) {
      lines.flush();
      unfold(head.line(i), out);
    } else {
      lines.keep(f.name, line_end(head, i));
    }
  }
  lines.flush();
  if (head.status == 101)
    out.append("Connection: Upgrade\r\n");
  else if (!informational && !how.keep_alive)
    out.append("Connection: close\r\n");
  else if (!informational && how.minor == 0)
    out.append("Connection: keep-alive\r\n");
  out.append(via(head));
}

}  // namespace retrial::proxy
