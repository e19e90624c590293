#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial::campaign {

// One edit of a file of the Go runtime: where `old` stands exactly once, `now` takes its place. An empty `old`: the
// file is left out.
struct GoEdit {
  std::string_view file;
  std::string_view old;
  std::string_view now;
};
// For this architecture (GOARCH).
std::vector<GoEdit> go_edits(std::string_view architecture);

// An error says which place is not there as we know it.
Result<std::string> edited(std::string source, const GoEdit& edit);

// The overlay's file in the folder where it is made.
inline constexpr std::string_view kGoOverlay = "overlay.json";

// Makes an overlay of the toolchain below `root` in `folder`, by which what it builds reads the client's clock, and
// gives the path of the overlay's file. `added` is the file that the runtime gets beside its own.
Result<std::filesystem::path> write_go_overlay(const std::filesystem::path& root, std::string_view architecture,
                                               const std::filesystem::path& added, const std::filesystem::path& folder);

// The same for the `go` on PATH, asked here. No path and no error where there is none.
Result<std::filesystem::path> overlay_go_on_path(const std::filesystem::path& added,
                                                 const std::filesystem::path& folder);

}  // namespace retrial::campaign
