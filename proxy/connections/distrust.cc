#include "proxy/connections/distrust.h"

#include <utility>

namespace retrial::proxy {

bool Distrust::note(Pairs& in, const std::string& pair) { return in.size() < kMost && in.insert(pair).second; }

bool Distrust::passes(const std::string& pair) {
  if (!known_.contains(pair)) return false;
  note(met_, pair);
  return true;
}

bool Distrust::refused(const std::string& pair) {
  note(met_, pair);
  left_.erase(pair);
  bool first = note(known_, pair);
  first_ |= first;
  return first;
}

void Distrust::asked(const std::string& pair) {
  note(trusting_, pair);
  left_.erase(pair);
}

void Distrust::left(const std::string& pair) {
  if (!trusting_.contains(pair)) note(left_, pair);
}

void Distrust::learn(const Known& known) {
  for (auto& pair : known.refusing) note(known_, pair);
  for (auto& pair : known.trusting) note(trusting_, pair);
}

Distrust::Met Distrust::settle() {
  for (auto& pair : Pairs(std::exchange(left_, {}))) refused(pair);
  auto met = std::exchange(met_, {});
  return {{met.begin(), met.end()}, std::exchange(first_, false)};
}

}  // namespace retrial::proxy
