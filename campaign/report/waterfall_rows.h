#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "trace/comparing/comparison.h"

namespace retrial::campaign::report {

// One row of a waterfall: an attempt, what stands for several, or the head of a process's lane.
struct Row {
  const trace::Call* call = nullptr;  // null: a lane's head
  std::size_t attempt = 0;            // index
  bool focus = false;
  std::size_t skipped = 0;   // attempts that this row stands for; then it has no bar
  std::int32_t process = 0;  // of a lane's head; 0: one that is not known
  const trace::Exchange& exchange() const { return *call->attempts[attempt]; }
  bool has_bar() const { return call && !skipped; }
};

// by_process: those of one process together below its head, in the order in which the processes first sent.
enum class Lanes { none, by_process };

// The calls in question (`focus`, by id) among their neighbours in time; without any, the first ones.
std::vector<Row> rows_of(const std::vector<trace::Call>& calls, const std::set<std::uint64_t>& focus, Lanes lanes);

}  // namespace retrial::campaign::report
