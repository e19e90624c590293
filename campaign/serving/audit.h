#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "proxy/server/log.h"

namespace retrial::campaign {

// What a rule was and is, in JSON. Empty: there was none, there is none any more.
struct RuleChange {
  std::string name, was, is;
};

// Who changed what, a line each: into the log, and into a file of its own (a JSON object a line) where one is said.
// What cannot be written is told in the log. One thread.
class Audit {
 public:
  Audit(std::string file, const Clock& clock, proxy::Log& log) : file_(std::move(file)), clock_(clock), log_(log) {}
  ~Audit();
  Audit(const Audit&) = delete;

  Result<void> open();  // made if need be, written at its end; also anew, where it was moved away
  // "put rule", "slow": by "uid 0 (pid 12)". `what` is a text of ours, `on` and `by` are anybody's.
  // False: the file could not be written.
  bool tell(std::string_view by, std::string_view what, std::string_view on = {});
  // A line each; in the log the first kMostLogged alone, and how many more there are.
  void tell(std::string_view by, std::string_view what, const std::vector<RuleChange>& changes);
  static constexpr std::size_t kMostLogged = 10;

 private:
  bool write(const std::string& lines);
  std::string file_;
  const Clock& clock_;
  proxy::Log& log_;
  int fd_ = -1;
};

// "2026-03-01T12:00:00.250Z" of Unix time in ns.
std::string utc(Nanos wall);

}  // namespace retrial::campaign
