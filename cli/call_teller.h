#pragma once
#include <cstddef>
#include <string>

#include "trace/run.h"

namespace retrial::cli {

// What calls came to, a line each on stderr, as they are seen; of very many how many more there were.
class CallTeller {
 public:
  void tell(const trace::Run& run);
  void end();

 private:
  void line(const std::string& text);
  std::size_t said_ = 0, more_ = 0;
};

}  // namespace retrial::cli
