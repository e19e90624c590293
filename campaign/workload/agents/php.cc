#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

// PHP loads a file before each program that an ini file names; where it looks for those, a variable says. An empty part
// of that is the place where it looks by itself.
class Php final : public Agent {
 public:
  std::string_view name() const override { return "php"; }
  std::string prepare(const fs::path& folder, bool) const override {
    std::error_code error;
    fs::create_directories(folder / kIni, error);
    std::ofstream out(folder / kIni / "retrial.ini");
    out << fmt::format("auto_prepend_file=\"{}\"\n", (folder / "prepend.php").string());
    return out.flush() ? "" : "the agent of PHP programs could not be made: their tests and call sites are not known";
  }
  void load(const fs::path& folder, bool, Variables& environment) const override {
    auto ini = (folder / kIni).string();
    std::error_code error;
    if (ini.contains(':') || ini.contains('"') || !fs::exists(folder / kIni / "retrial.ini", error)) return;
    auto& scanned = environment["PHP_INI_SCAN_DIR"];
    scanned += ":" + ini;
  }

 private:
  static constexpr std::string_view kIni = "ini";
};

}  // namespace

const Agent& php_agent() {
  static const Php agent;
  return agent;
}

}  // namespace retrial::campaign
