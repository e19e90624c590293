// grow(times): the lists of a JSON answer have so many times their entries. What is added are the entries again, with
// names, numbers and ids of their own: a larger answer of the same service.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "proxy/faults/of_json.h"

namespace retrial::proxy {
namespace {

using Json = OfJson::Json;
constexpr std::size_t kMostGrown = 8u << 20;  // bytes of an answer that was grown, about
constexpr std::size_t kUuid = 36, kUuidTail = 12;

bool is_uuid(std::string_view text) {
  if (text.size() != kUuid) return false;
  for (std::size_t i = 0; i < text.size(); i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::string_view("0123456789abcdefABCDEF").find(text[i]) == std::string_view::npos)
      return false;
  }
  return true;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_date(std::string_view text) {  // RFC 3339
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' && std::all_of(text.begin(), text.begin() + 4, is_digit);
}

// Numbers wrap around where they are at their end.
std::int64_t plus(std::int64_t value, std::int64_t more) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(more));
}
// What stands in the copy of number `copy`, from 1 on: "item-7" goes on as "item-10", where there are three of them.
std::string another(const std::string& text, std::int64_t copy, std::int64_t entries) {
  if (is_date(text)) return text;
  if (is_uuid(text)) return text.substr(0, kUuid - kUuidTail) + fmt::format("{:012x}", copy * entries);
  auto digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) digits--;
  auto width = text.size() - digits;
  if (width == 0) return fmt::format("{}-{}", text, copy);
  if (width > 15) return fmt::format("{}{}", text, copy);
  return fmt::format("{}{:0{}}", text.substr(0, digits), std::stoll(text.substr(digits)) + copy * entries, width);
}
void renew(Json& value, std::int64_t copy, std::int64_t entries) {
  if (value.is_string())
    value = another(value.get_ref<const std::string&>(), copy, entries);
  else if (value.is_number_integer())
    value = plus(value.get<std::int64_t>(), copy * entries);
}

// Members that are another in each entry; of a single entry those that mostly are.
std::set<std::string> own_members(const Json& list) {
  std::set<std::string> own;
  for (auto& [name, value] : list.front().items()) {
    if (!value.is_string() && !value.is_number_integer()) continue;
    std::set<std::string> seen;
    for (auto& entry : list)
      if (entry.is_object() && entry.contains(name))
        seen.insert(entry[name].dump(-1, ' ', false, Json::error_handler_t::replace));
    if (list.size() > 1 && seen.size() == list.size()) own.insert(name);
  }
  if (list.size() > 1) return own;
  for (std::string_view usual : {"id", "_id", "uuid", "guid", "key", "Key", "name", "Name", "number", "slug", "sku"})
    if (list.front().contains(usual)) own.insert(std::string(usual));
  return own;
}

class Grow final : public OfJson {
 public:
  explicit Grow(const trace::FaultSpec& fault) : times_(fault.by) {}
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("a list of {} had {} entries, of its own kind", was_, is_);
  }

 protected:
  std::string_view begin(std::string&, const trace::Exchange&) override { return {}; }
  std::string_view change(Json& json) override {
    if (json.dump(-1, ' ', false, Json::error_handler_t::replace).size() >
        kMostGrown / static_cast<std::size_t>(times_))
      return "an answer so long is beyond what is sent";
    grow_in(json);
    return is_ ? std::string_view() : "the response has no list with an entry";
  }

 private:
  // The outermost lists, and what counts them beside them.
  void grow_in(Json& value) {
    if (value.is_array() && !value.empty()) return grow(value);
    if (!value.is_object()) return;
    std::set<std::int64_t> sizes;
    for (auto& [name, member] : value.items()) {
      if (member.is_array()) sizes.insert(static_cast<std::int64_t>(member.size()));
      grow_in(member);
    }
    for (auto& [name, member] : value.items())
      if (member.is_number_integer() && sizes.contains(member.get<std::int64_t>()) && member != 0 && counts(name))
        member = member.get<std::int64_t>() * times_;
  }
  static bool counts(std::string_view name) {
    for (std::string_view word : {"count", "total", "size", "length"})
      if (icontains(name, word)) return true;
    return false;
  }
  void grow(Json& list) {
    auto entries = static_cast<std::int64_t>(list.size());
    auto own = list.front().is_object() ? own_members(list) : std::set<std::string>{};
    auto before = list;
    for (std::int64_t copy = 1; copy < times_; copy++)
      for (auto entry : before) {
        if (entry.is_object())
          for (auto& name : own) {
            if (entry.contains(name)) renew(entry[name], copy, entries);
          }
        else
          renew(entry, copy, entries);
        list.push_back(std::move(entry));
      }
    was_ = std::max(was_, static_cast<std::size_t>(entries));
    is_ = std::max(is_, list.size());
  }

  std::int64_t times_;
  std::size_t was_ = 0, is_ = 0;  // entries of the longest list
};

}  // namespace

const Fault& grow_fault() {
  static const OfResponse fault(made_of<Grow>);
  return fault;
}

}  // namespace retrial::proxy
