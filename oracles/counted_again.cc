#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/recognition.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

std::optional<double> count_in(std::string_view body, const std::string& name) {
  auto members = members_of(body);
  auto it = std::ranges::find_if(members, [&](auto& m) { return m.name == name && may_count(m) && !m.listed; });
  return it == members.end() ? std::nullopt : std::optional(std::strtod(it->value.c_str(), nullptr));
}
bool same_thing(const Exchange& a, const Exchange& b) {
  return a.method == b.method && a.target == b.target &&
         trace::service_name(a.service) == trace::service_name(b.service);
}
// What was read of it last before.
std::optional<double> read_before(const trace::Run& run, const Exchange& write, const std::string& name) {
  const Exchange* last = nullptr;
  for (auto& e : run.exchanges)
    if (e.method == "GET" && e.service == write.service && e.told <= write.begun && delivered(e) &&
        trace::message::path_of(e.target) == trace::message::path_of(write.target))
      last = &e;
  return last ? count_in(last->response_sample, name) : std::nullopt;
}
// The one that wrote what this one does; of several steps each says beside the count which it is.
struct Step {
  const Exchange* usual = nullptr;  // in the reference; null: it is not known which
  bool one_of_several = false;
};
std::vector<std::string> beside_counts(const Exchange& e) {
  std::vector<std::string> values;
  for (auto& m : members_of(e.request_sample))
    if (!may_count(m)) values.push_back(m.path + "=" + m.value);
  return values;
}
Step step_in(const trace::Run& run, const Exchange& like) {
  Step step;
  auto beside = beside_counts(like);
  std::vector<const Exchange*> steps;
  for (auto& e : run.exchanges)
    if (same_thing(e, like)) steps.push_back(&e);
  step.one_of_several = steps.size() > 1;
  if (step.one_of_several) std::erase_if(steps, [&](auto* e) { return beside_counts(*e) != beside; });
  if (steps.size() == 1) step.usual = steps.front();
  return step;
}

}  // namespace

std::optional<CountedAgain> counted_again(const trace::Comparison& c, const Exchange& before) {
  if (!trace::executed(before) || !is_success(before.service_status) || !trace::told_failed(before)) return {};
  auto [usual, one_of_several] = step_in(*c.reference, before);
  if (!usual || !is_success(usual->service_status)) return {};
  for (auto& member : members_of(before.request_sample)) {
    if (!may_count(member) || member.listed) continue;
    auto usually_from = read_before(*c.reference, *usual, member.name),
         from = read_before(*c.in_case, before, member.name);
    auto usually_to = count_in(usual->request_sample, member.name), to = count_in(before.request_sample, member.name);
    if (!usually_from || !from || !usually_to || !to) continue;
    auto step = *usually_to - *usually_from;
    if (step == 0 || *to - *from != step) continue;
    for (auto& next : c.in_case->exchanges)
      if (same_thing(next, before) && next.pid == before.pid && follows(before, next) && trace::executed(next) &&
          is_success(next.service_status) && count_in(next.request_sample, member.name) == *to + step &&
          (!one_of_several || beside_counts(next) == beside_counts(before)))
        return CountedAgain{
            &next, fmt::format("\"{}\" went from {} to {} and on to {}, where it moves by {} without the fault",
                               member.name, *from, *to, *to + step, step)};
  }
  return {};
}

}  // namespace retrial::oracles
