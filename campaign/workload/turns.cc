#include "campaign/workload/turns.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>

#include "scan/files.h"
#include "trace/comparing/retrier.h"

namespace retrial::campaign {
namespace {

std::vector<scan::Stretch> loops_in(const std::string& file) {
  auto* language = scan::language_of(file);
  std::error_code error;
  auto size = std::filesystem::file_size(file, error);
  if (!language || error || size > scan::kLargest) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return scan::loops_for_each_thing(*language, text);
}

}  // namespace

bool Turns::has_turns(const trace::Frame& at) {
  auto [it, fresh] = loops_.try_emplace(at.file);
  if (fresh) it->second = loops_in(at.file);
  auto line = static_cast<std::uint32_t>(at.line);
  return std::ranges::any_of(it->second, [&](auto& loop) { return loop.line < line && line <= loop.last_line; });
}

void Turns::part(trace::Run& run) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> own;  // exchanges that are calls of their own, by their call
  std::uint64_t last = 0;
  for (auto& call : trace::calls_of(run)) {
    last = std::max(last, call.id);
    if (call.attempts.size() < 2) continue;
    auto by = trace::read_call_site(trace::retrier(call));
    if (!by || !has_turns(trace::frames_of(*by).front())) continue;
    for (auto* e : call.attempts | std::views::drop(1)) own[call.id].push_back(e->id);
  }
  for (auto& e : run.exchanges)
    if (auto in = own.find(e.call); in != own.end() && std::ranges::count(in->second, e.id) > 0)
      e.call = ++last, e.attempt = 1;
}

}  // namespace retrial::campaign
