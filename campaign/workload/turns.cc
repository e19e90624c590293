#include "campaign/workload/turns.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/regular_file.h"
#include "scan/files.h"
#include "trace/comparing/retrier.h"

namespace retrial::campaign {
namespace {

std::vector<scan::Stretch> loops_in(const std::string& file) {
  auto* language = scan::language_of(file);
  auto text = language ? read_regular_file(file, scan::kLargest + 1) : std::nullopt;
  if (!text || text->size() > scan::kLargest) return {};
  return scan::loops_for_each_thing(*language, *text);
}

}  // namespace

bool Turns::has_turns(const trace::Frame& at) {
  auto [it, fresh] = loops_.try_emplace(at.file);
  if (fresh) it->second = loops_in(at.file);
  auto line = static_cast<std::uint32_t>(at.line);
  return std::ranges::any_of(it->second, [&](auto& loop) { return loop.line < line && line <= loop.last_line; });
}

bool Turns::are_turns(const trace::Call& call) {
  auto by = trace::read_call_site(trace::retrier(call));
  return by && has_turns(trace::frames_of(*by).front());
}

void Turns::part(trace::Run& run) {
  struct Place {
    std::uint64_t call = 0;
    int attempt = 1;
  };
  std::map<std::uint64_t, Place> places;  // by exchange
  auto calls = trace::calls_of(run);
  std::uint64_t last = 0;
  for (auto& call : calls) last = std::max(last, call.id);
  for (auto& call : calls) {
    if (call.attempts.size() < 2 || !are_turns(call)) continue;
    trace::Call turn = call;
    turn.attempts = {call.attempts.front()};
    for (auto* e : call.attempts | std::views::drop(1)) {
      turn.attempts.push_back(e);
      bool proven = e->confidence == trace::Confidence::certain;  // an id names the call, whatever the source says
      if (!proven && are_turns(turn)) turn.id = ++last, turn.attempts = {e};
      places[e->id] = {turn.id, static_cast<int>(turn.attempts.size())};
    }
  }
  for (auto& e : run.exchanges)
    if (auto place = places.find(e.id); place != places.end())
      e.call = place->second.call, e.attempt = place->second.attempt;
}

}  // namespace retrial::campaign
