#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Has cargo start the programs that it builds for this machine by a script of ours. One that the user names stays.
class Rust final : public Agent {
 public:
  std::string_view name() const override { return "rust"; }
  void load(const std::filesystem::path& folder, bool, Variables& environment) const override {
    utsname machine{};
    uname(&machine);
    std::string triple(machine.machine);
    for (auto& c : triple) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    // cargo splits it at blanks.
    auto script = (folder / "runners" / "cargo.sh").string();
    if (script.find_first_of(" \t\n") != script.npos || access(script.c_str(), X_OK) != 0) return;
    environment.try_emplace(fmt::format("CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_RUNNER", triple), script);
    if (!environment.contains("RETRIAL_SERIAL")) return;
    environment["NEXTEST_TEST_THREADS"] = "1";
    environment["NEXTEST_RETRIES"] = "0";
    if (environment.contains("RETRIAL_ONLY")) environment["NEXTEST_NO_TESTS"] = "pass";
  }
};

}  // namespace

const Agent& rust_agent() {
  static const Rust agent;
  return agent;
}

}  // namespace retrial::campaign
