#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workload/debug_lines.h"
#include "scan/candidates.h"

namespace retrial::campaign {

// Where requests of machine code come from. Their agent sends where the frames stand in which files (docs/agents.md,
// x-retrial-frames); which of them are the application's, and which the test's, their source says.
class NativeSites {
 public:
  // `from`: the folder that files are named from. What was read is kept in `kept`.
  NativeSites(const std::filesystem::path& from, std::filesystem::path kept);

  struct Origin {
    trace::CallSite site;
    std::uint64_t statement = 0;  // of the test; 0: not known
  };
  // Nothing, where no frame is the application's. Waits for addr2line, once a place.
  std::optional<Origin> origin_of(std::string_view frames);

 private:
  std::vector<trace::Frame> read(std::string_view frames);
  bool is_of_test(const trace::Frame& frame) const;
  bool calls_from_loop(const trace::Frame& frame);
  std::string in_project(std::string_view file) const;
  std::string named(const std::string& file) const;

  std::filesystem::path from_, project_;
  DebugLines lines_;
  std::map<std::string, std::vector<scan::Stretch>> loops_;  // by file
};

// The folder whose source is the application: of `from` and those above it the repository's, else the outermost of
// those that a build is described in, else `from`.
std::filesystem::path project_around(const std::filesystem::path& from);

}  // namespace retrial::campaign
