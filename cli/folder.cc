#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>

#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("cannot be made: " + error.message(), folder.string(), Blame::user);
  return folder;
}

}  // namespace

Result<fs::path> make_folder(const std::string& out) {
  std::error_code error;
  if (!out.empty()) {
    for (auto part : {"trace", "logs", "events", "agents", "campaign.db", "findings.json", "report.html", "junit.xml"})
      fs::remove_all(fs::path(out) / part, error);
    return create(out);
  }
  fs::path all = ".retrial";
  if (auto made = create(all); !made) return made;
  if (!fs::exists(all / ".gitignore")) std::ofstream(all / ".gitignore") << "*\n";
  auto now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  auto name = fmt::format("{:%Y%m%d-%H%M%S}", local);
  auto folder = all / name;
  for (int n = 2; fs::exists(folder); n++) folder = all / fmt::format("{}-{}", name, n);
  auto made = create(folder);
  if (made) {
    fs::remove(all / "latest", error);
    fs::create_directory_symlink(folder.filename(), all / "latest", error);
  }
  return made;
}

int complain(const std::string& line, int status) {
  fmt::print(stderr, "retrial: {}\n", line);
  return status;
}

}  // namespace retrial::cli
