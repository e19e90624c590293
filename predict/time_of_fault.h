#pragma once
#include <span>
#include <string>
#include <vector>

#include "predict/near_misses.h"

// FCatch (Liu, Wang, Li, Lu, Lukman, Gunawi and others, ASPLOS 2018): what a process writes and another reads, where
// the moment at which it dies decides what is read. Learned from correct runs alone.
namespace retrial::predict {

// A run in which one process was ended and that was borne, beside the reference.
using Borne = const trace::Run*;

struct MayFall {
  enum class Kind : std::uint8_t {
    wait,      // crash-regular: `reader` asks until `writer` has written, and nobody else ends that wait
    recovery,  // crash-recovery: `reader` is what comes first of that resource once the writer's process is dead
  };
  Kind kind = Kind::recovery;
  std::string service;
  std::string resource;  // its path
  Side writer, reader;
  const trace::Run* written_in = nullptr;  // the run that has `writer`
  bool before = false;                     // the process is to end before that write is forwarded; else once it is done
  bool own_process = true;                 // the writer has a process of its own, which can be ended
  int breaks = 1;                          // what it would break, 1 to 3: see docs/time-of-fault.md
  std::string why;                         // it was not pruned
};

// The places of both sides: the same in every run and test.
std::string pair_of(const MayFall& fall);

// Waits of a run without faults that a request of another process, or another thread or task, ends: the same was asked
// before, answered otherwise, and the write came in between. One pair a pair of places.
std::vector<MayFall> waits_of(const trace::Run& run);

// The wait that was seen in a run in which a process died before it wrote: the run did not end by itself, and the
// reader is who asked last (else the write itself: nobody asks over the wire). None where it ended, or the write was
// carried out. Whether others end that wait at times is found out by the same death again.
std::optional<MayFall> left_waiting(const trace::Run& reference, const trace::Run& run);

// What the recovery reads of what the dead wrote. Pruned, as FCatch 4.2 has it:
//   reset      the recovery writes the resource before it reads it
//   checked    it reads another resource first, which the dead had written only after this one, and what it finds there
//              is known to decide: told otherwise, the same place was never followed by this read
//   no impact  told otherwise, the same place was followed by the same requests, all of them
// What is not known prunes nothing. Of one pair of places the first and the last write, as they may be far apart.
// Linear in the traces, but for what lies in a resource that is ended.
std::vector<MayFall> falls_of(const trace::Run& reference, std::span<const Borne> borne);

}  // namespace retrial::predict
