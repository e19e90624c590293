#pragma once
#include <expected>
#include <string>
#include <vector>

namespace retrial {

struct Printed {
  std::string out;
  bool failed = false;  // it did not end with status 0
};
enum class Complaints { among_the_rest, dropped };  // what it writes to standard error

// What a program prints, found on PATH and run in the current directory with nothing to read. Waits for it. An error is
// the errno for which it could not be started: ENOENT, there is none.
std::expected<Printed, int> run_program(std::vector<std::string> words, Complaints complaints);

}  // namespace retrial
