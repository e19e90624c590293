#include "proxy/exchange/h2_fields.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/codec/tags.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
constexpr H2Field kVia{"via", "2.0 retrial"};

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

struct Line {
  std::string_view name, value;
};
// Takes the first line off; false: there is none.
bool next_line(std::string_view& lines, Line& line) {
  auto end = lines.find("\r\n");
  if (end == lines.npos || end == 0) return false;
  auto text = lines.substr(0, end);
  lines.remove_prefix(end + 2);
  auto colon = text.find(':', 1);
  line.name = text.substr(0, colon);
  line.value = colon == text.npos ? std::string_view() : trim(text.substr(colon + 1));
  return true;
}

// Text that stays where it is while more is added: room is reserved by whoever begins.
std::string_view lowered(std::string_view name, std::string& room) {
  if (std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; })) return name;
  auto at = room.size();
  for (char c : name) room += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return std::string_view(room).substr(at);
}
}  // namespace

void request_fields(const H2Head& head, const Onward& how, H2Fields& out) {
  auto& h = head.head;
  out.push_back({":method", h.method});
  if (!head.protocol.empty()) out.push_back({":protocol", head.protocol});
  if (!head.scheme.empty()) out.push_back({":scheme", head.scheme});
  if (!head.authority.empty()) out.push_back({":authority", head.authority});
  bool path = h.method != "CONNECT" || !head.protocol.empty();  // else it is the authority (RFC 9113 8.5)
  if (path && !h.target.empty()) out.push_back({":path", h.target});
  for (auto& f : h.fields) {
    auto name = h.name(f);
    if (f.known == FieldName::other && !how.keep_tags && is_tag(name)) continue;
    out.push_back({name, h.value(f), f.sensitive});
  }
  if (how.via) out.push_back(kVia);
}

void response_fields(std::string_view status, const H1Head& head, bool via, H2Fields& out) {
  out.push_back({":status", status});
  for (auto& f : head.fields) out.push_back({head.name(f), head.value(f), f.sensitive});
  if (via) out.push_back(kVia);
}

void line_fields(std::string_view lines, std::string& room, H2Fields& out) {
  room.reserve(room.size() + lines.size());
  for (Line line; next_line(lines, line);)
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

std::string_view line_value(std::string_view lines, std::string_view name) {
  for (Line line; next_line(lines, line);)
    if (iequals(line.name, name)) return line.value;
  return {};
}

}  // namespace retrial::proxy
