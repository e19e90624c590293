#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "policies/fault_plan.h"

namespace retrial::policies {

// What has to have been seen of a call before a policy is asked of it. It is asked last, when every case that could
// show it has been tried.
struct Needs {
  int attempts = 0;  // under the first fault of `shown_by` the call makes more than that; 0: nothing is needed
  std::string_view shown_by = {};  // name of a policy; where that one is not tried, every call is asked
};

// A policy looks forward: it says what should happen to each attempt of a targeted call. Its file names its source.
struct Policy {
  std::string_view name;         // "P1"
  std::string_view question;     // what it puts on trial, one sentence for the report
  std::vector<FaultPlan> plans;  // variants of the question, each a case of its own
  // Plans that are tried only of a service that tells of its own time-outs by their status (trace::Profile::times_out).
  std::vector<FaultPlan> where_it_times_out = {};
  std::vector<FaultPlan> once_a_site = {};  // plans that are tried once a call site, not once an operation
  // Once a service, line that sends to it, and method, whoever calls that; of HTTP alone.
  std::vector<FaultPlan> once_a_line = {};
  // What one of its cases is worth: how likely it is to show a bug, in proportion to the cases of other policies (1 is
  // as likely as most). A campaign divides it by the seconds that the case takes.
  double value = 1;
  // Its bugs are effects done twice: a campaign weighs `value` by what a repeat of the operation does (trace::Repeat).
  bool value_by_effect = false;
  // Asked of the last of several calls in a test, too: is what was done before done again then, or taken for the whole?
  bool last_too = false;
  Needs needs = {};
  bool by_default = true;  // tried where nobody says which
  // By default it is asked only of calls whose file knows of one of these words (blanks between them), or whose service
  // has sent a header of that name: who has never heard of it breaks no promise.
  std::string_view where_named = {};
  bool named_anywhere = false;  // where any file of the application knows of one
  // Asked by default only of reads whose answer's body does not show by itself where it ends (trace::message::opaque),
  // and of gRPC calls that are answered by several messages.
  bool of_opaque_bodies = false;
  // Asked by default only of reads that are answered by JSON.
  bool of_json_bodies = false;
  bool every_call = false;  // its faults meet all calls of their site in a test as if they were one
  bool every_look = false;  // the same at a read that the test sends again and again, as a poll does
  // Asked of the first of two operations whose order nothing keeps (predict/near_misses.h), by the first of its plans
  // that holds it for long enough.
  bool of_near_misses = false;
  // Asked of writes of a process at which its death may be seen (predict/time_of_fault.h), by the plan that the kind of
  // candidate wants.
  bool of_deaths = false;
};

// The plan that shows what another policy needs to know of a call: the first of `plans`, or where there are none of
// those that are tried more seldom.
const FaultPlan& first_plan(const Policy& policy);

// In the order in which they are tried (registry.h).
std::span<const Policy> policies();
// "p1" or "P1"; null if unknown.
const Policy* policy_named(std::string_view name);

}  // namespace retrial::policies
