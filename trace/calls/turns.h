#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "trace/run.h"

namespace retrial::trace {

// What the functions of an application do without faults, as the stacks of its requests show it (activation.h): which
// send an operation, and which of those send it again although it came to a good end.
class Turns {
 public:
  // Of an exchange, with learned names taken out of its operation.
  struct Request {
    const Exchange& e;
    std::string_view operation;
  };
  Turns() = default;
  Turns(const Run& without_faults, const std::function<std::string(const Exchange&)>& operation);

  enum class Turn : std::uint8_t {
    unknown,
    same_call,  // the function that sent it has not returned, and sends no second one without a failure
    another,    // it goes on to the next statement, or to the next thing, as it does without faults
  };
  // What a request is after one of its operation and process that failed, and came from the stack `before`.
  // `same_content`: it is the very same once more.
  Turn after(std::string_view before, const Request& now, bool same_content) const;
  // Of a test, which both come from, and which goes on as it does without faults, or asks for what it had by then.
  bool next_statement(std::uint64_t before, const Request& now) const;

 private:
  std::set<std::uint64_t> sent_;   // places and statements, with the operations that were sent from there
  std::set<std::uint64_t> again_;  // places, with what was sent again from there after a success
};

}  // namespace retrial::trace
