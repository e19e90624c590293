#include <algorithm>

#include "proxy/codec/h2_hpack.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

struct Pair {
  std::string_view name, value;
};
constexpr Pair kStatic[] = {{":authority", ""},
                            {":method", "GET"},
                            {":method", "POST"},
                            {":path", "/"},
                            {":path", "/index.html"},
                            {":scheme", "http"},
                            {":scheme", "https"},
                            {":status", "200"},
                            {":status", "204"},
                            {":status", "206"},
                            {":status", "304"},
                            {":status", "400"},
                            {":status", "404"},
                            {":status", "500"},
                            {"accept-charset", ""},
                            {"accept-encoding", "gzip, deflate"},
                            {"accept-language", ""},
                            {"accept-ranges", ""},
                            {"accept", ""},
                            {"access-control-allow-origin", ""},
                            {"age", ""},
                            {"allow", ""},
                            {"authorization", ""},
                            {"cache-control", ""},
                            {"content-disposition", ""},
                            {"content-encoding", ""},
                            {"content-language", ""},
                            {"content-length", ""},
                            {"content-location", ""},
                            {"content-range", ""},
                            {"content-type", ""},
                            {"cookie", ""},
                            {"date", ""},
                            {"etag", ""},
                            {"expect", ""},
                            {"expires", ""},
                            {"from", ""},
                            {"host", ""},
                            {"if-match", ""},
                            {"if-modified-since", ""},
                            {"if-none-match", ""},
                            {"if-range", ""},
                            {"if-unmodified-since", ""},
                            {"last-modified", ""},
                            {"link", ""},
                            {"location", ""},
                            {"max-forwards", ""},
                            {"proxy-authenticate", ""},
                            {"proxy-authorization", ""},
                            {"range", ""},
                            {"referer", ""},
                            {"refresh", ""},
                            {"retry-after", ""},
                            {"server", ""},
                            {"set-cookie", ""},
                            {"strict-transport-security", ""},
                            {"transfer-encoding", ""},
                            {"user-agent", ""},
                            {"vary", ""},
                            {"via", ""},
                            {"www-authenticate", ""}};
static_assert(std::size(kStatic) == 61);

// A name is a token in lower case: RFC 9113 8.2.1 would allow more, but HTTP/1 would not.
constexpr auto kNameBytes = [] {
  auto ok = kTokenBytes;
  for (unsigned c = 'A'; c <= 'Z'; c++) ok[c] = false;
  return ok;
}();
bool is_name(std::string_view name) {
  bool all = true;
  for (char c : name) all &= kNameBytes[static_cast<unsigned char>(c)];
  return all;
}
bool blank(char c) { return c == ' ' || c == '\t'; }

char* put(char* to, std::string_view text) {
  if (!text.empty()) std::memmove(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

void judge(HpackField& f) {
  f.known = field_name(f.name);
  f.wrong = {};
  if (f.name.empty())
    f.wrong = "a field without a name";
  else if (controls(f.value))
    f.wrong = "a control byte in a field's value";
  else if (f.name[0] == ':')
    return;
  else if (!is_name(f.name))
    f.wrong = "a field's name is no token in lower case";
  else if (!f.value.empty() && (blank(f.value.front()) || blank(f.value.back())))
    f.wrong = "white space around a field's value";
}

std::span<const HpackField> hpack_static_table() {
  struct Table {
    std::string lines[std::size(kStatic)];
    HpackField fields[std::size(kStatic)];
    Table() {
      for (std::size_t i = 0; i < std::size(kStatic); i++) {
        auto [name, value] = kStatic[i];
        lines[i].append(name).append(": ").append(value).append("\r\n");
        std::string_view line = lines[i];
        fields[i] = {
            .name = line.substr(0, name.size()), .value = line.substr(name.size() + 2, value.size()), .line = line};
        judge(fields[i]);
      }
    }
  };
  static const Table table;
  return table.fields;
}

void HpackTable::resize(std::uint32_t most) {
  most_ = most;
  evict(most);
}

void HpackTable::evict(std::uint32_t most) {
  while (used_ > most) used_ -= size(entries_[evicted_++ & (entries_.size() - 1)]);
}

std::uint64_t HpackTable::add(const HpackField& f) {
  auto needs = f.name.size() + f.value.size() + 32;
  if (needs > most_) {  // empties the table (RFC 7541 4.4)
    evict(0);
    return UINT64_MAX;
  }
  // Its name may be that of an entry that is driven out by it, and its bytes are not touched before they are copied:
  // the place is in the part of the ring that is free, but for that entry.
  std::string name;
  std::string_view from = f.name;
  evict(most_ - static_cast<std::uint32_t>(needs));
  if (room_ < most_) {
    auto bigger = std::make_unique_for_overwrite<char[]>(std::size_t{2} * most_);
    name = f.name;
    from = name;
    std::uint32_t end = 0;
    for (auto n = evicted_; n < inserted_; n++) {
      auto& e = entries_[n & (entries_.size() - 1)];
      std::memcpy(bigger.get() + end, bytes_.get() + e.at, e.name + e.value + 4);
      e.at = end;
      end += e.name + e.value + 4;
    }
    bytes_ = std::move(bigger);
    room_ = most_;
    end_ = end;
  }
  if (entries_.empty()) entries_.resize(16);
  if (count() == entries_.size()) {
    std::vector<Entry> more(entries_.size() * 2);
    for (auto n = evicted_; n < inserted_; n++) more[n & (more.size() - 1)] = entries_[n & (entries_.size() - 1)];
    entries_.swap(more);
  }
  if (end_ + needs > 2 * std::size_t{room_}) end_ = 0;
  auto* to = bytes_.get() + end_;
  to = put(to, from);
  *to++ = ':';
  *to++ = ' ';
  to = put(to, f.value);
  *to++ = '\r';
  *to++ = '\n';
  auto& e = entries_[inserted_ & (entries_.size() - 1)];
  e = {end_, static_cast<std::uint32_t>(f.name.size()), static_cast<std::uint32_t>(f.value.size()), f.known, f.wrong};
  end_ = static_cast<std::uint32_t>(to - bytes_.get());
  used_ += static_cast<std::uint32_t>(needs);
  return inserted_++;
}

}  // namespace retrial::proxy
