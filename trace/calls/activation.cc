#include "trace/calls/activation.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace retrial::trace {

std::optional<Activation> take_activation(std::string_view& stack) {
  while (stack.starts_with('/') || stack.starts_with('+'))
    stack = stack.contains(',') ? stack.substr(stack.find(',') + 1) : std::string_view{};
  Activation a;
  auto *begin = stack.data(), *end = begin + stack.size();
  auto run = std::from_chars(begin, end, a.run);
  if (run.ec != std::errc() || run.ptr == end || (*run.ptr != ':' && *run.ptr != '.')) return {};
  a.entry = *run.ptr == '.';
  auto place = std::from_chars(run.ptr + 1, end, a.place, 16);
  if (place.ec != std::errc() || (place.ptr != end && *place.ptr != ',')) return {};
  stack.remove_prefix(static_cast<std::size_t>(place.ptr - begin) + (place.ptr != end));
  return a;
}

bool names_functions(std::string_view stack) {
  auto outermost = take_activation(stack);
  return outermost && !outermost->entry;
}

std::optional<Parting> parting(std::string_view before, std::string_view now) {
  std::optional<Parting> found;
  // Either may have lost its outermost: only the innermost are told.
  for (auto whole = now; auto a = take_activation(before);) {
    for (auto rest = whole; auto b = take_activation(rest);)
      if (a->run == b->run) {
        found = {a->place, b->place, b->entry};
        whole = rest;
        break;
      }
  }
  return found;
}

std::vector<std::uint64_t> strands_of(std::string_view stack) {
  std::vector<std::uint64_t> strands;
  for (auto part : split(stack, ','))
    if (auto number = part.starts_with('/') ? to_int(part.substr(1)) : std::nullopt; number && *number > 0)
      strands.push_back(static_cast<std::uint64_t>(*number));
  return strands;
}

bool side_by_side(std::string_view before, std::string_view now) {
  auto was = strands_of(before), is = strands_of(now);
  return !was.empty() && !is.empty() && was.back() != is.back() && is.back() < latest_run(before);
}

WaitedFor waited_for(std::string_view stack) {
  WaitedFor all;
  for (auto part : split(stack, ',')) {
    if (!part.starts_with('+')) continue;
    bool process = part.starts_with("+@");
    auto number = to_int(part.substr(process ? 2 : 1));
    if (!number || *number <= 0) continue;
    if (process)
      all.processes.push_back(static_cast<std::int32_t>(*number));
    else
      all.strands.push_back(static_cast<std::uint64_t>(*number));
  }
  return all;
}

std::uint64_t latest_run(std::string_view stack) {
  std::uint64_t latest = 0;
  while (auto a = take_activation(stack)) latest = std::max(latest, a->run);
  return latest;
}

}  // namespace retrial::trace
