#include "campaign/workload/agents/go_overlay.h"

#include <fmt/format.h>
#include <stdio.h>

#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

constexpr GoEdit kEverywhere[] = {
    {"time_nofake.go", "\treturn nanotime1()\n", "\treturn nanotime1() + retrialAhead()\n"},
    {"netpoll_epoll.go", "func netpoll(delay int64) (gList, int32) {",
     "func retrialNetpoll(delay int64) (gList, int32) {"},
    {"os_linux.go", "\tgoenvs_unix()\n}", "\tgoenvs_unix()\n\tretrialStart()\n}"},
};
// time.now, which is assembly of its own on linux/amd64, and has to be in one piece there.
constexpr GoEdit kAmd64[] = {
    {"time_linux_amd64.s", "TEXT time·now<ABIInternal>(SB)", "TEXT runtime·retrialRealNow<ABIInternal>(SB)"},
    {"timeasm.go", "func time_now() (sec int64, nsec int32, mono int64)\n",
     "func time_now() (sec int64, nsec int32, mono int64) {\n\tsec, nsec, mono = retrialRealNow()\n\tsec, nsec = "
     "retrialMoved(sec, nsec)\n\treturn sec, nsec, mono + retrialAhead()\n}\n\n"
     "func retrialRealNow() (sec int64, nsec int32, mono int64)\n"},
};
constexpr GoEdit kOthers[] = {
    {"timestub.go", "\tsec, nsec = walltime()\n", "\tsec, nsec = retrialMoved(walltime())\n"}};

Result<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail("cannot be read: this Go is not known", file.string());
  return text.str();
}
Result<void> write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) return fail("cannot be written", file.string());
  return {};
}

// "" where it failed.
std::string output_of(const char* command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  std::string text;
  std::array<char, 512> some{};
  while (pipe && fgets(some.data(), some.size(), pipe.get())) text += some.data();
  return text;
}

}  // namespace

std::vector<GoEdit> go_edits(std::string_view architecture) {
  std::vector<GoEdit> all(std::begin(kEverywhere), std::end(kEverywhere));
  if (architecture == "amd64")
    all.insert(all.end(), std::begin(kAmd64), std::end(kAmd64));
  else
    all.insert(all.end(), std::begin(kOthers), std::end(kOthers));
  return all;
}

Result<std::string> edited(std::string source, const GoEdit& edit) {
  auto at = source.find(edit.old);
  if (at == source.npos || source.find(edit.old, at + 1) != source.npos)
    return fail(fmt::format("\"{}\" does not stand there exactly once: this Go is not known", trim(edit.old)),
                std::string(edit.file));
  return source.replace(at, edit.old.size(), edit.now);
}

Result<fs::path> write_go_overlay(const fs::path& root, std::string_view architecture, const fs::path& added,
                                  const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  auto runtime = root / "src" / "runtime";
  nlohmann::json replaced;
  for (auto& edit : go_edits(architecture)) {
    // Not a file of Go by its name: the folder may lie in the user's module.
    auto original = runtime / edit.file, own = folder / (std::string(edit.file) + ".txt");
    auto source = text_of(original);
    if (!source) return std::unexpected(source.error());
    auto text = edited(std::move(*source), edit);
    if (!text) return std::unexpected(text.error());
    if (auto ok = write(own, *text); !ok) return std::unexpected(ok.error());
    replaced[original.string()] = own.string();
  }
  replaced[(runtime / "retrial_time.go").string()] = added.string();
  auto file = folder / kGoOverlay;
  if (auto ok = write(file, nlohmann::json{{"Replace", replaced}}.dump(1) + "\n"); !ok)
    return std::unexpected(ok.error());
  return file;
}

Result<fs::path> overlay_go_on_path(const fs::path& added, const fs::path& folder) {
  if (output_of("command -v go 2>/dev/null").empty()) return fs::path();
  auto said = output_of("timeout 10 go env GOROOT GOARCH GOOS 2>/dev/null");
  std::istringstream lines(said);
  std::string root, architecture, system;
  if (!std::getline(lines, root) || !std::getline(lines, architecture) || !std::getline(lines, system) || root.empty())
    return fail("does not say where its runtime is", "go env");
  if (system != "linux") return fail("builds for " + system, "go env");
  return write_go_overlay(root, architecture, added, folder);
}

}  // namespace retrial::campaign
