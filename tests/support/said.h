#pragma once
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace retrial::test {

// What a command line said, on both its outputs, and its exit status.
struct Said {
  int status = -1;
  std::string text;
};

inline Said run(const std::string& line) {
  auto* pipe = popen((line + " 2>&1").c_str(), "r");
  Said said;
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.text.append(buffer, got);
  said.status = WEXITSTATUS(pclose(pipe));
  return said;
}

}  // namespace retrial::test
