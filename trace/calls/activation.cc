#include "trace/calls/activation.h"

#include <charconv>

namespace retrial::trace {

std::optional<Activation> take_activation(std::string_view& stack) {
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

}  // namespace retrial::trace
