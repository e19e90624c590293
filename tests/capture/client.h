#pragma once
#include <string>
#include <vector>

namespace retrial::test {

// The client programs that the capture tests run: this test program itself, started again. Each prints what it saw on
// stdout. client_test.cc has them; `role` and its arguments are those of run_role.
std::vector<std::string> client(std::vector<std::string> role);  // argv of it
std::vector<std::string> client_environment();                   // ours, and what makes it a client
int run_role(const std::vector<std::string>& arguments);         // the exit status

}  // namespace retrial::test
