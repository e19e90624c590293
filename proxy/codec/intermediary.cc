#include "proxy/codec/intermediary.h"

#include <charconv>

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/reason.h"
#include "proxy/codec/tags.h"

namespace retrial::proxy {
namespace {

// The last line (RFC 9110 7.6.3: by the version in which the message came), and the end of the head.
std::string_view via(const Head& head) {
  if (!head.text) return "Via: 2.0 retrial\r\n\r\n";
  return head.minor == 0 ? "Via: 1.0 retrial\r\n\r\n" : "Via: 1.1 retrial\r\n\r\n";
}

// Of a list of protocols those that are passed on. Ordinary clients offer h2c, or TLS below HTTP/1.1, on plain HTTP,
// and nobody is meant to take them up here.
std::string passed_protocols(std::string_view protocols) {
  std::string passed;
  while (!protocols.empty()) {
    auto comma = protocols.find(',');
    auto protocol = trim(protocols.substr(0, comma));
    bool meant = !iequals(protocol.substr(0, 3), "h2c") && !iequals(protocol.substr(0, 4), "TLS/") &&
                 !iequals(protocol.substr(0, 5), "HTTP/");
    if (!protocol.empty() && meant) passed.append(passed.empty() ? "" : ", ").append(protocol);
    if (comma == protocols.npos) break;
    protocols.remove_prefix(comma + 1);
  }
  return passed;
}

// Does a line of the head stand for this connection alone?
bool named_hop(const Head& head, const Field& f);
inline bool hop(const Head& head, const Field& f) {
  if (f.known == FieldName::plain || f.known == FieldName::content_type) return head.names_hops && named_hop(head, f);
  return named_hop(head, f);
}
bool named_hop(const Head& head, const Field& f) {
  switch (f.known) {
    case FieldName::connection:
    case FieldName::keep_alive:
    case FieldName::proxy_connection:
    case FieldName::te:
    case FieldName::http2_settings:
      return true;
    case FieldName::upgrade:
      return true;  // written anew, where it is passed on
    case FieldName::host:
    case FieldName::content_length:
    case FieldName::transfer_encoding:
      return false;  // whatever Connection names: without them it would be another message
    case FieldName::other:
      if (iequals(head.name(f), "proxy-authorization")) return true;  // for us (RFC 9110 11.7.2)
      break;
    default:
      break;
  }
  if (!head.names_hops) return false;
  for (auto& c : head.fields)
    if (c.known == FieldName::connection && lists(head.value(c), head.name(f))) return true;
  return false;
}
// The lines that offer other protocols, or take one up.
void upgrade(const Head& head, std::string& out) {
  std::string protocols;
  for (auto& f : head.fields)
    if (f.known == FieldName::upgrade) protocols.append(protocols.empty() ? "" : ", ").append(head.value(f));
  protocols = passed_protocols(protocols);
  if (!protocols.empty()) out.append("Upgrade: ").append(protocols).append("\r\nConnection: Upgrade\r\n");
}

// What stays is copied together as far as it stands together.
class Stretch {
 public:
  Stretch(const Head& head, std::string& out) : head_(head), out_(out) {}
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
  const Head& head_;
  std::string& out_;
  std::size_t begin_ = 0, end_ = 0;
};
// Where the line of field n ends.
std::size_t line_end(const Head& head, std::size_t n) {
  return n + 1 < head.fields.size() ? head.fields[n + 1].name : head.raw.size() - 2;
}
std::size_t first_field(const Head& head) {
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

bool passes_upgrade(const Head& head) {
  for (auto& f : head.fields)
    if (head.upgrades && f.known == FieldName::upgrade && !passed_protocols(head.value(f)).empty()) return true;
  return false;
}

void without_tags(const Head& head, std::string& out) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    if (!is_tag(head.name(head.fields[i]))) continue;
    out.append(head.raw.substr(done, head.fields[i].name - done));
    done = head.fields[i].name + head.line(i).size();
  }
  out.append(head.raw.substr(done));
}

std::string_view chunk_begin(std::size_t size, char (&room)[20]) {
  auto* end = std::to_chars(room, room + sizeof room - 2, size, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  return {room, end};
}

bool of_one_connection(const Head& head, const Field& f) {
  return f.known == FieldName::transfer_encoding || hop(head, f);
}

void pass_on(const Head& head, const RequestHead& how, std::string& out) {
  auto whole = absolute(head.target);
  Stretch lines(head, out);
  if (head.text && whole.authority.empty() && head.minor == 1) {
    lines.keep(static_cast<std::size_t>(head.method.data() - head.raw.data()), first_field(head));
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
  auto host = !whole.authority.empty() ? whole.authority : head.text ? std::string_view() : head.host;
  if (head.hosts == 0 || !head.text) {
    lines.flush();
    out.append("Host: ").append(host.empty() ? how.authority : host).append("\r\n");
  }
  std::string cookies;  // of HTTP/2, where each may be a field (RFC 9113 8.2.3)
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    if (f.known == FieldName::host) {
      if (!head.text) continue;
      if (!host.empty()) {  // the target's wins (RFC 9112 3.2.2)
        lines.flush();
        out.append(head.name(f)).append(": ").append(host).append("\r\n");
        continue;
      }
    }
    if (!head.text && head.name(f) == "cookie") {
      cookies.append(cookies.empty() ? "" : "; ").append(head.value(f));
      continue;
    }
    bool tag = f.known == FieldName::other && !how.keep_tags && is_tag(head.name(f));
    if (!tag && !hop(head, f)) lines.keep(f.name, line_end(head, i));
  }
  lines.flush();
  if (!cookies.empty()) out.append("cookie: ").append(cookies).append("\r\n");
  if (how.chunked && !head.chunked) out.append("Transfer-Encoding: chunked\r\n");
  if (head.upgrades) upgrade(head, out);
  out.append(via(head));
}

void pass_on(const Head& head, const ResponseHead& how, std::string& out) {
  Stretch lines(head, out);
  if (!head.text) {
    out.append("HTTP/1.1 ")
        .append(std::to_string(head.status))
        .append(" ")
        .append(reason_of(head.status))
        .append("\r\n");
  } else if (head.minor == 1) {
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
    if ((coding && (how.minor == 0 || (!how.chunked && !head.bodiless))) || hop(head, f)) continue;
    if (head.folded && head.line(i).find("\r\n") + 2 < head.line(i).size()) {
      lines.flush();
      unfold(head.line(i), out);
    } else {
      lines.keep(f.name, line_end(head, i));
    }
  }
  lines.flush();
  if (how.chunked && !head.chunked) out.append("Transfer-Encoding: chunked\r\n");
  if (how.empty && !unframed && head.status != 304) out.append("Content-Length: 0\r\n");
  if (head.status == 101)
    upgrade(head, out);
  else if (!informational && !how.keep_alive)
    out.append("Connection: close\r\n");
  else if (!informational && how.minor == 0)
    out.append("Connection: keep-alive\r\n");
  out.append(via(head));
}

void pass_on_trailers(std::string_view lines, std::string& out) {
  while (!lines.empty()) {
    auto line = lines.substr(0, lines.find('\n') + 1);
    if (line.empty()) return;
    lines.remove_prefix(line.size());
    if (may_trail(line.substr(0, line.find(':')))) out.append(line);
  }
}

}  // namespace retrial::proxy
