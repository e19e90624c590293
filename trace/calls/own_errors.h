#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/profiles/error_shape.h"
#include "trace/run.h"

namespace retrial::trace {

// The errors that services gave where no fault was: of those that no profile knows. What is learned of them is what the
// trace holds: secrets are replaced in it (docs/redaction.md).
class OwnErrors {
 public:
  // From a run without faults. An answer is an error of 400 and above that was delivered whole, is kept whole
  // (kSampleBytes), and is text, JSON or XML as its content type says. `bare`: services whose errors are not wanted.
  void learn(const Run& run, const std::set<std::string>& bare = {});

  // The one for this status, or null: of the nearest status of its class, or else of the shape (content type and names
  // of members) that came most often. The same in whatever order they came. `service`: as Services know it, `address`:
  // where it is now.
  const ErrorShape* nearest(const std::string& service, const std::string& address, int status) const;

  // For the reader, a service each: "errors of 127.0.0.1:8000 are injected in the shape of its own (404, 409)".
  std::vector<std::string> remarks() const;

 private:
  struct Seen {
    ErrorShape shape;
    std::string form;  // what two of one shape have in common
    int times = 0;
  };
  static std::optional<Seen> seen_in(const Exchange& e);

  std::map<std::string, std::vector<Seen>> seen_;  // by service; one of each status and form
};

}  // namespace retrial::trace
