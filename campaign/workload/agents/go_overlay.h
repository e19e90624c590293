#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial::campaign {

// One edit of a file of the Go toolchain: where `old` stands exactly once, `now` takes its place.
struct GoEdit {
  std::string_view file;  // below its src: "runtime/proc.go"
  std::string_view old;
  std::string_view now;
};

// What belongs together: a toolchain that one edit does not fit gets none of them.
struct GoPart {
  std::string_view lost;  // what is not so without it: "the clock of Go programs is not moved"
  std::vector<GoEdit> edits;
  struct Added {
    std::string_view target;  // below src: "runtime/retrial_time.go"
    std::string_view file;    // of ours
  };
  std::vector<Added> added;
};
// By which programs read the client's clock, for this architecture (GOARCH).
GoPart go_clock(std::string_view architecture);
// By which they tell of their tests, and tag their requests.
GoPart go_tests_and_calls();

// An error says which place is not there as we know it.
Result<std::string> edited(std::string source, const GoEdit& edit);

// The overlay's file in the folder where it is made.
inline constexpr std::string_view kGoOverlay = "overlay.json";

struct GoOverlay {
  std::filesystem::path file;     // empty: there is none
  std::vector<std::string> lost;  // parts that this toolchain did not get, each with why
};

// Makes an overlay of the toolchain below `root` in `folder`, where the files lie that are added.
Result<GoOverlay> write_go_overlay(const std::filesystem::path& root, const std::vector<GoPart>& parts,
                                   const std::filesystem::path& folder);

// The same for the `go` on PATH, asked here, with all parts but (unless `moves_clock`) the clock. No file and no error
// where there is no `go`.
Result<GoOverlay> overlay_go_on_path(bool moves_clock, const std::filesystem::path& folder);

}  // namespace retrial::campaign
