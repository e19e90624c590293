#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "campaign/planning/targets.h"

namespace retrial::campaign {

// Whether an application, or the service that it talks to, knows of a header ("retry-after"): its answers in the
// reference have it, or a file of the call's chain names it in some spelling (Retry-After, retry_after, retryAfter).
class Named {
 public:
  // `header` in lower case, its words joined by '-'. Files are read once, as far as 1 MiB; what cannot be read names
  // nothing.
  Named(std::string_view header, const Tests& tests);

  bool by(const Target& call);

 private:
  bool in_file(const std::string& path);

  std::string header_, word_;
  std::set<std::string, std::less<>> services_;
  std::map<std::string, bool> files_;
};

}  // namespace retrial::campaign
