#include "policies/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace retrial::policies {
namespace {

const FaultStep& between() {  // those that `every` lets pass
  static const FaultStep passes;
  return passes;
}

bool is_open(const FaultStep& step, Nanos elapsed) {
  return elapsed >= step.after && (step.lasts == 0 || elapsed - step.after < step.lasts);
}
bool rolls(const FaultStep& step) {
  bool spread = step.fault.spread != trace::Spread::fixed;
  return spread || step.share != kAlways;
}
std::string show_time(Nanos time) {
  return time % kSecond ? fmt::format("{}ms", time / kMillisecond) : fmt::format("{}s", time / kSecond);
}
// Millionths of a percent: "10", "0.5", "0.000001".
std::string show_share(Share share) {
  auto text = fmt::format("{}.{:06}", share / kPercent, share % kPercent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}
}  // namespace

const FaultStep* step_of(const FaultPlan& plan, int attempt, Nanos elapsed, Of of) {
  for (auto& step : plan.steps) {
    bool both = is_pass(step.fault);
    if (!both && trace::is_of_connection(step.fault) != (of == Of::connections)) continue;
    if (step.windowed() && !is_open(step, elapsed)) continue;
    auto all = static_cast<std::int64_t>(step.times) * step.every;
    if (step.times == 0 || attempt <= all) return attempt % step.every ? &between() : &step;
    attempt -= static_cast<int>(all);
  }
  return nullptr;
}

trace::FaultSpec choose(const FaultPlan& plan, int attempt, Nanos elapsed, Dice& dice, Of of) {
  auto* step = step_of(plan, attempt, elapsed, of);
  if (!step) return {};
  if (!rolls(*step)) return step->fault;
  auto drawn = dice.roll();
  if (!happens(step->share, drawn.first)) return {};
  return with_delay(step->fault, drawn.second);
}

trace::FaultSpec fault_of(const FaultPlan& plan, int attempt) {
  auto* step = step_of(plan, attempt);
  return step ? step->fault : trace::FaultSpec{};
}

bool strikes_connections(const FaultPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](auto& step) { return is_of_connection(step.fault); });
}

bool meets_all(const FaultPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](auto& step) { return !trace::is_pass(step.fault) && step.share == kAlways; });
}

bool rolls(const FaultPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](auto& step) { return rolls(step); });
}

std::string show(const FaultPlan& plan) {
  std::string out;
  for (auto& step : plan.steps) {
    if (!out.empty()) out += ", then ";
    if (step.after) out += fmt::format("after {}: ", show_time(step.after));
    if (step.every != 1) out += fmt::format("every {}: ", step.every);
    if (step.share != kAlways) out += fmt::format("{}% of ", show_share(step.share));
    out += trace::show(step.fault);
    if (step.times) out += fmt::format(" x {}", step.times);
    if (step.lasts) out += fmt::format(" for {}", show_time(step.lasts));
  }
  return out;
}

}  // namespace retrial::policies
