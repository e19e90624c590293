#include "campaign/planning/looks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "trace/profiles/message.h"

namespace retrial::campaign {
namespace {

bool reads_here(const Target& target, const Place& place, const trace::Exchange& e) {
  return e.operation == target.operation && e.tag.site == target.site && e.tag.test == place.test &&
         trace::message::safe_method(e.method);
}

}  // namespace

bool Looks::at_poll(const trace::Run& reference, const trace::Exchange& exchange) {
  auto [it, fresh] = lessons_.try_emplace(&reference);
  if (fresh) it->second = trace::lessons_of(reference);
  return it->second.at_poll(exchange);
}

bool Looks::polled(const Found& found) {
  return std::ranges::any_of(found.places, [&](const Place& place) {
    return std::ranges::any_of(place.reference->exchanges, [&](const trace::Exchange& e) {
      return reads_here(found.target, place, e) && at_poll(*place.reference, e);
    });
  });
}

bool Looks::again(const Found& found) {
  constexpr int kLooks = 3;
  auto told = [](const trace::Exchange& e) { return trace::message::succeeded(e) && !e.response_sample.empty(); };
  struct Seen {
    int looks = 0;
    const trace::Exchange* last = nullptr;
  };
  return std::ranges::any_of(found.places, [&](const Place& place) {
    std::map<std::string_view, Seen> seen;
    return std::ranges::any_of(place.reference->exchanges, [&](const trace::Exchange& e) {
      if (!reads_here(found.target, place, e)) return false;
      auto& [looks, last] = seen[e.target];
      auto* before = std::exchange(last, &e);
      if (++looks >= kLooks) return true;
      return before && told(*before) && told(e) && before->response_sample != e.response_sample &&
             at_poll(*place.reference, e);
    });
  });
}

}  // namespace retrial::campaign
