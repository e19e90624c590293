#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/planning/targets.h"

namespace retrial::campaign {

// Whether an application, or the service that it talks to, knows of a header or a status ("retry-after", "401"):
// answers in the reference have a header of that name, or a file names it in some spelling (Retry-After, retry_after,
// retryAfter).
class Named {
 public:
  enum class By : std::uint8_t {
    chain,        // a file of the call's own chain
    application,  // of any call's chain, or of the project: who knows of it in one place may be held to it in others
  };
  // `words` in lower case with blanks between them, the parts of each joined by '-': one of them will do. Files are
  // read once, as far as 1 MiB, and 8 MiB of a project; what cannot be read names nothing.
  Named(std::string_view words, const Tests& tests, By whom);

  bool by(const Target& call);

 private:
  bool in_file(const std::string& path);
  bool in_project();

  By whom_;
  bool anywhere_ = false;
  std::vector<std::string> letters_;  // of each word
  std::set<std::string, std::less<>> services_;
  std::map<std::string, bool> files_;
};

}  // namespace retrial::campaign
