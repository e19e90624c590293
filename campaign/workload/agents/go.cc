#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "campaign/workload/agents/go_overlay.h"
#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Has every test run, where `go test` would tell of an earlier run of it (its cache knows nothing of faults), links
// what it builds once a campaign, and edits what the Go on PATH builds programs of, grpc-go too: so they tell of their
// tests, tag their requests, and have their clock moved, though they call no C library.
class Go final : public Agent {
 public:
  std::string_view name() const override { return "go"; }
  std::string prepare(const std::filesystem::path& folder, bool moves_clock) const override {
    auto overlay = overlay_go_on_path(moves_clock, folder);
    if (!overlay) return "Go programs are as they are, their clock is not moved: " + overlay.error().line();
    return fmt::format("{}", fmt::join(overlay->lost, "; "));
  }
  // Of two overlays Go takes the last: one that the user has stays the only one.
  void load(const std::filesystem::path& folder, bool, Variables& environment) const override {
    auto option = [&](const std::string& words) { put_option(environment, {"GOFLAGS", words, " "}); };
    option("-count=1");
    if (environment["RETRIAL_SERIAL"] == "1") option("-p=1");
    // Go splits it at blanks. Where programs may not be run from this folder, all is linked each time, and RPCs have no
    // tag.
    auto tools = (folder / "toolexec.sh").string();
    if (tools.find_first_of(" \t\n'\"") == tools.npos && access(tools.c_str(), X_OK) == 0) option("-toolexec=" + tools);
    auto overlay = folder / kGoOverlay;
    if (std::filesystem::exists(overlay)) option("-overlay=" + overlay.string());
  }
};

}  // namespace

const Agent& go_agent() {
  static const Go agent;
  return agent;
}

}  // namespace retrial::campaign
