#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/run.h"

// A run in which a process was ended at one of its requests (the fault crash), beside the same without faults.
namespace retrial::predict {

struct Death {
  const trace::Exchange* at = nullptr;         // the request; null: nobody was ended
  std::vector<const trace::Exchange*> before;  // what the dead had sent, in order, `at` too; of what was carried out
  // What its successors send after that, in order: processes that send nothing before it, and begin with what the dead
  // (or, in the reference, whoever sent that request) sends too.
  std::vector<const trace::Exchange*> successors;
  // Those and what others send then of which the reference has nothing: whoever cleans up.
  std::vector<const trace::Exchange*> recovery;
};
Death death_in(const trace::Run& reference, const trace::Run& run);

// Where a request comes from and what it asks: the same in every run.
std::string origin_of(const trace::Exchange& e);

// Of a run without faults: requests at which each process that may be ended is to be, to learn what follows its death.
// The last with an effect, once it is carried out; and the first, before it is. Processes that send the same (workers
// of a pool) are one; those that tests run in are none.
struct Moment {
  std::uint64_t exchange = 0;
  bool before = false;   // it is forwarded; else once it was carried out
  std::int32_t pid = 0;  // the process, in that run
};
std::vector<Moment> moments(const trace::Run& run);

}  // namespace retrial::predict
