#include "proxy/exchange/distrust.h"

#include <utility>

namespace retrial::proxy {

bool Distrust::passes(const std::string& pair) {
  if (!known_.contains(pair)) return false;
  met_.insert(pair);
  return true;
}

bool Distrust::refused(const std::string& pair) {
  met_.insert(pair);
  left_.erase(pair);
  bool first = known_.insert(pair).second;
  first_ |= first;
  return first;
}

void Distrust::asked(const std::string& pair) {
  trusting_.insert(pair);
  left_.erase(pair);
}

void Distrust::left(const std::string& pair) {
  if (!trusting_.contains(pair)) left_.insert(pair);
}

Distrust::Met Distrust::settle() {
  for (auto& pair : std::set<std::string>(std::exchange(left_, {}))) refused(pair);
  auto met = std::exchange(met_, {});
  return {{met.begin(), met.end()}, std::exchange(first_, false)};
}

}  // namespace retrial::proxy
