#include "proxy/connections/h2_fields.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/codec/field_lines.h"
#include "proxy/codec/intermediary.h"
#include "proxy/codec/tags.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
constexpr H2Field kVia[] = {{"via", "1.0 retrial"}, {"via", "1.1 retrial"}, {"via", "2.0 retrial"}};

bool of_connection(std::string_view name) {
  switch (field_name(name)) {
    case FieldName::connection:
    case FieldName::keep_alive:
    case FieldName::proxy_connection:
    case FieldName::upgrade:
    case FieldName::transfer_encoding:
    case FieldName::http2_settings:
      return true;
    default:
      return false;
  }
}

// Text that stays where it is while more is added: room is reserved by whoever begins.
std::string_view lowered(std::string_view name, std::string& room) {
  if (std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; })) return name;
  auto at = room.size();
  for (char c : name) room += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return std::string_view(room).substr(at);
}
}  // namespace

namespace {
// The fields of a head that came in HTTP/1: names in lower case, without those of that connection.
void fields_of_text(const Head& head, bool keep_tags, std::string& room, H2Fields& out) {
  room.reserve(room.size() + head.raw.size());
  for (auto& f : head.fields) {
    auto name = head.name(f);
    if (f.known == FieldName::host || of_one_connection(head, f) || (!keep_tags && is_tag(name))) continue;
    auto value = head.value(f);
    if (head.folded && value.find('\n') != value.npos) {  // RFC 9112 5.2
      auto at = room.size();
      for (char c : value) room += c == '\r' || c == '\n' ? ' ' : c;
      value = std::string_view(room).substr(at);
    }
    out.push_back({lowered(name, room), value});
  }
}
}  // namespace

void request_fields(const Head& head, const Onward& how, std::string& room, H2Fields& out) {
  auto whole = head.text ? absolute(head.target) : AbsoluteTarget();
  auto first_of = [](std::string_view a, std::string_view b) { return a.empty() ? b : a; };
  auto scheme = head.text ? first_of(whole.scheme, how.scheme) : head.scheme;
  auto authority = head.text ? first_of(whole.authority, first_of(head.host, how.authority)) : head.authority;
  auto path = whole.authority.empty() ? head.target : first_of(whole.path, "/");
  out.push_back({":method", head.method});
  if (!head.protocol.empty()) out.push_back({":protocol", head.protocol});
  if (!scheme.empty()) out.push_back({":scheme", scheme});
  if (!authority.empty()) out.push_back({":authority", authority});
  // Of a CONNECT it is the authority (RFC 9113 8.5).
  if ((head.method != "CONNECT" || !head.protocol.empty()) && !path.empty()) out.push_back({":path", path});
  if (head.text) {
    fields_of_text(head, how.keep_tags, room, out);
  } else {
    for (auto& f : head.fields) {
      auto name = head.name(f);
      if (f.known == FieldName::other && !how.keep_tags && is_tag(name)) continue;
      if (f.known == FieldName::other && how.via && name == "proxy-authorization") continue;
      out.push_back({name, head.value(f), f.sensitive});
    }
  }
  if (how.via) out.push_back(kVia[head.text ? (head.minor == 0 ? 0 : 1) : 2]);
}

void response_fields(std::string_view status, const Head& head, bool via, std::string& room, H2Fields& out) {
  out.push_back({":status", status});
  if (head.text)
    fields_of_text(head, true, room, out);
  else
    for (auto& f : head.fields) out.push_back({head.name(f), head.value(f), f.sensitive});
  if (via) out.push_back(kVia[head.text ? (head.minor == 0 ? 0 : 1) : 2]);
}

void line_fields(std::string_view lines, std::string& room, H2Fields& out) {
  room.reserve(room.size() + lines.size());
  for (FieldLine line; next_line(lines, line);)
    if (!of_connection(line.name)) out.push_back({lowered(line.name, room), line.value});
}

void text_fields(std::string_view text, std::string& room, H2Fields& out) {
  auto end = text.find("\r\n");
  auto space = text.find(' ');
  out.push_back({":status", text.substr(space + 1, 3)});
  if (end != text.npos) line_fields(text.substr(end + 2), room, out);
}

void answer_fields(const trace::Answer& answer, bool committed, std::string& room, H2Fields& out) {
  std::size_t size = 32;
  for (auto& h : answer.headers) size += h.name.size();
  room.reserve(room.size() + size);
  auto number = [&room](std::size_t n) {
    auto at = room.size();
    room += std::to_string(n);
    return std::string_view(room).substr(at);
  };
  bool grpc = trace::is_grpc(answer.status);
  if (!committed) out.push_back({":status", number(static_cast<std::size_t>(grpc ? 200 : answer.status))});
  for (auto& h : answer.headers) {
    if (of_connection(h.name) || iequals(h.name, "content-length")) continue;
    if (committed && iequals(h.name, "content-type")) continue;
    out.push_back({lowered(h.name, room), h.value});
  }
  if (!committed && !grpc) out.push_back({"content-length", number(answer.body.size())});
}

}  // namespace retrial::proxy
