#include "campaign/workload/agents/go_overlay.h"
#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Has every test run, where `go test` would tell of an earlier run of it (its cache knows nothing of faults), and moves
// the clock of what the Go on PATH builds, whose programs call no C library.
class Go final : public Agent {
 public:
  std::string_view name() const override { return "go"; }
  std::string prepare(const std::filesystem::path& folder) const override {
    auto overlay = overlay_go_on_path(folder / "retrial_time.go.txt", folder);
    return overlay ? "" : "the clock of Go programs is not moved: " + overlay.error().line();
  }
  // Of two overlays Go takes the last: one that the user has stays the only one.
  void load(const std::filesystem::path& folder, bool moves_clock, Variables& environment) const override {
    if (!environment["GOFLAGS"].contains("-count")) put_last(environment, {"GOFLAGS", "-count=1", " "});
    auto overlay = folder / kGoOverlay;
    if (moves_clock && std::filesystem::exists(overlay) && !environment["GOFLAGS"].contains("-overlay"))
      put_last(environment, {"GOFLAGS", "-overlay=" + overlay.string(), " "});
  }
};

}  // namespace

const Agent& go_agent() {
  static const Go agent;
  return agent;
}

}  // namespace retrial::campaign
