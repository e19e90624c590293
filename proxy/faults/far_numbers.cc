#include "proxy/faults/far_numbers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace retrial::proxy {
namespace {

constexpr std::string_view kMark = "\"\\u0001";  // no service begins a text with it

template <class Number>
bool holds(std::string_view text) {
  Number value{};
  return std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc::result_out_of_range;
}
bool is_far(std::string_view text) {
  if (text.find_first_of(".eE") != text.npos) return !holds<double>(text);
  return text.starts_with('-') ? !holds<std::int64_t>(text) : !holds<std::uint64_t>(text);
}

}  // namespace

std::string far_numbers_as_text(std::string_view json) {
  std::string out;
  if (json.contains(kMark)) return std::string(json);
  std::size_t copied = 0;
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '"') {
      for (i++; i < json.size() && json[i] != '"'; i++) i += json[i] == '\\';
      i++;
    } else if (json[i] == '-' || (json[i] >= '0' && json[i] <= '9')) {
      auto end = std::min(json.find_first_not_of("0123456789+-.eE", i), json.size());
      if (auto number = json.substr(i, end - i); is_far(number)) {
        out.append(json.substr(copied, i - copied)).append(kMark).append(number).append("\"");
        copied = end;
      }
      i = end;
    } else {
      i++;
    }
  }
  return out.append(json.substr(std::min(copied, json.size())));
}

std::string far_numbers_again(std::string json) {
  auto at = json.find(kMark);
  if (at == json.npos) return json;
  std::string out;
  std::size_t copied = 0;
  for (; at != json.npos; at = json.find(kMark, copied)) {
    auto from = at + kMark.size(), end = json.find('"', from);
    auto number = std::string_view(json).substr(from, end - from);
    bool is_one = !number.empty() && number.find_first_not_of("0123456789+-.eE") == number.npos;
    out.append(json, copied, at - copied).append(is_one ? number : std::string_view(json).substr(at, end + 1 - at));
    copied = end + 1;
  }
  return out.append(json, copied);
}

}  // namespace retrial::proxy
