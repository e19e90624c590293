#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "trace/run.h"

namespace retrial::campaign {

// Follows the events file of one run (docs/agents.md): a hook's write has returned before its test can send a byte, so
// reading to the end when a request arrives is enough to know the running test.
class Events {
 public:
  // `now`: client time, of what is read; none: it is not known.
  explicit Events(std::filesystem::path file, std::function<Nanos()> now = {})
      : file_(std::move(file)), now_(std::move(now)) {}
  ~Events();
  Events(const Events&) = delete;

  // Reads what has come since, and adds it to `run` (results, stages, listed, broken, agents). A line that is no event
  // is ignored; half a line is kept for the next time.
  void read_into(trace::Run& run);

  struct Current {
    std::string test;
    trace::Phase phase = trace::Phase::none;
  };
  // The last stage that was started and not ended: of that process, or of any if it has none of its own.
  Current current(std::int32_t pid) const;
  // Is a stage of any test under way?
  bool open() const;
  // Test runners whose hooks have spoken: "pytest".
  const std::set<std::string>& runners() const { return runners_; }
  // Packages that an agent took for the application where they are installed: "webdav4".
  const std::set<std::string>& installed() const { return installed_; }
  // What asked for tests side by side, and has them one after another: "pytest -n 4".
  const std::set<std::string>& made_serial() const { return made_serial_; }
  // Parts of agents that failed: "node: jest.cjs: Cannot find module".
  const std::set<std::string>& troubles() const { return troubles_; }
  // What ended the last of the processes that an exception ended, the outermost first.
  const std::vector<trace::Thrown>& uncaught() const { return uncaught_; }

 private:
  void take(std::string_view line, trace::Run& run);

  std::filesystem::path file_;
  std::function<Nanos()> now_;
  int fd_ = -1;
  std::string rest_;
  struct Open : Current {
    double at = 0;  // ms
  };
  void add_time(const std::string& test, double ms, trace::Run& run);

  std::map<std::int32_t, std::vector<Open>> open_;            // by process, innermost last
  std::map<std::string, std::vector<trace::Thrown>> behind_;  // by test, until its result
  std::map<std::string, double> took_;                        // ms of a test's stages so far
  std::int32_t latest_ = 0;
  std::set<std::string> runners_, installed_, made_serial_, troubles_;
  std::vector<trace::Thrown> uncaught_;
};

}  // namespace retrial::campaign
