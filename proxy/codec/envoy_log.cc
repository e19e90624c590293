#include "proxy/codec/envoy_log.h"

#include <algorithm>
#include <array>

#include "proxy/codec/protobuf.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

constexpr std::array<std::string_view, 10> kMethods = {"",       "GET",     "HEAD",    "POST",  "PUT",
                                                       "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};

// Timestamp and Duration: seconds and nanoseconds. What is beyond a century is none.
Nanos time_of(std::string_view message) {
  auto seconds = proto_number(message, 1), nanos = proto_number(message, 2);
  return seconds < 1ull << 33 && nanos < 1'000'000'000
             ? static_cast<Nanos>(seconds) * kSecond + static_cast<Nanos>(nanos)
             : 0;
}

bool fits(std::string_view name, std::string_view value) {
  return is_token(name) && value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos;
}

// An entry of map<string, string>.
bool take_field(std::string_view entry, std::size_t most, std::vector<EnvoyField>& into) {
  auto name = proto_bytes(entry, 1), value = proto_bytes(entry, 2);
  if (name.starts_with(':')) return true;
  if (into.size() >= most || !fits(name, value)) return false;
  into.push_back({name, value});
  return true;
}

bool read_common(std::string_view message, LogEntry& into) {
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);) {
    switch (f.number) {
      case 5:
        into.began = time_of(f.bytes);
        break;
      case 6:
        into.request_read = time_of(f.bytes);
        break;
      case 9:
        into.answered = time_of(f.bytes);
        break;
      case 10:
        into.service_done = time_of(f.bytes);
        break;
      case 12:
        into.told = time_of(f.bytes);
        break;
      case 23:
        if (into.told == 0) into.told = time_of(f.bytes);
        break;
      case 16:  // ResponseFlags
        into.client_left = proto_number(f.bytes, 15) != 0 || proto_number(f.bytes, 28) != 0;
        into.cut = proto_number(f.bytes, 5) != 0 || proto_number(f.bytes, 7) != 0;
        break;
      case 17: {  // Metadata
        ProtoReader all(f.bytes);
        for (ProtoField m; all.next(m);)
          if (m.holds(1) && proto_bytes(m.bytes, 1) == kSeen) into.processed = true;
        break;
      }
      default:
        break;
    }
  }
  return !reader.broken();
}

bool read_request(std::string_view message, std::size_t most, LogEntry& into) {
  ProtoReader reader(message);
  std::string_view agent, id;
  for (ProtoField f; reader.next(f);) {
    if (f.is(1)) into.method = f.value < kMethods.size() ? kMethods[f.value] : "";
    if (f.holds(2)) into.scheme = f.bytes;
    if (f.holds(3)) into.authority = f.bytes;
    if (f.holds(5)) into.path = f.bytes;
    if (f.holds(6)) agent = f.bytes;
    if (f.holds(9)) id = f.bytes;
    if (f.is(12)) into.request_bytes = f.value;
    if (f.holds(13) && !take_field(f.bytes, most, into.request_fields)) return false;
  }
  auto add = [&](std::string_view name, std::string_view value) {
    bool there = std::ranges::any_of(into.request_fields, [&](auto& field) { return field.name == name; });
    if (!value.empty() && !there && fits(name, value)) into.request_fields.push_back({name, value});
  };
  add("user-agent", agent);
  add("x-request-id", id);
  return !reader.broken();
}

bool read_response(std::string_view message, std::size_t most, LogEntry& into) {
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);) {
    if (f.holds(1)) {
      auto code = proto_number(f.bytes, 1);
      into.status = code >= 100 && code <= 999 ? static_cast<int>(code) : 0;
    }
    if (f.is(3)) into.response_bytes = f.value;
    if (f.holds(4) && !take_field(f.bytes, most, into.response_fields)) return false;
    if (f.holds(5) && !take_field(f.bytes, most, into.trailers)) return false;
    if (f.holds(6)) into.code_details = f.bytes;
  }
  return !reader.broken();
}

bool read_entry(std::string_view message, std::size_t most, LogEntry& into) {
  ProtoReader reader(message);
  bool good = true;
  for (ProtoField f; good && reader.next(f);) {
    if (f.holds(1)) good = read_common(f.bytes, into);
    if (f.holds(3)) good = read_request(f.bytes, most, into);
    if (f.holds(4)) good = read_response(f.bytes, most, into);
  }
  auto plain = [](std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
  };
  return good && !reader.broken() && !into.method.empty() && !into.path.empty() && plain(into.path) &&
         plain(into.authority);
}

}  // namespace

LogReader::LogReader(std::string_view message) {
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);) {
    if (!f.holds(2)) continue;
    ProtoReader logs(f.bytes);
    for (ProtoField entry; logs.next(entry);)
      if (entry.holds(1)) entries_.push_back(entry.bytes);
    broken_ |= logs.broken();
  }
  broken_ |= reader.broken();
}

bool LogReader::next(std::size_t most, LogEntry& into) {
  while (at_ < entries_.size()) {
    auto request = std::move(into.request_fields), response = std::move(into.response_fields);
    auto trailers = std::move(into.trailers);
    for (auto* fields : {&request, &response, &trailers}) fields->clear();
    into = {
        .request_fields = std::move(request), .response_fields = std::move(response), .trailers = std::move(trailers)};
    if (read_entry(entries_[at_++], most, into)) return true;
    left_out_++;
  }
  return false;
}

}  // namespace retrial::proxy
