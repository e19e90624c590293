#include "campaign/workload/try_time.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/workload/agents/files.h"
#include "campaign/workload/agents/go_overlay.h"
#include "campaign/workload/environment.h"
#include "proxy/capture/tree.h"
#include "proxy/time/compressor.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

constexpr Nanos kPatience = 5 * kSecond;

struct Program {
  std::string_view name;
  std::vector<std::string> argv;
};
const std::vector<Program>& programs() {
  static const std::vector<Program> all{{"sleep", {"sleep", "30"}},
                                        {"python3", {"python3", "-c", "import time; time.sleep(30)"}},
                                        {"node", {"node", "-e", "setTimeout(() => {}, 30000)"}},
                                        {"ruby", {"ruby", "-e", "sleep 30"}}};
  return all;
}

bool on_path(std::string_view program) {
  auto* path = getenv("PATH");
  for (auto folder : split(path ? path : "", ':'))
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

class ProbeEnded final : public proxy::TreeEvents {
 public:
  explicit ProbeEnded(proxy::Loop& loop) : loop_(loop) {}
  void connected(proxy::Captured) override {}
  void ended(int wait_status) override {
    status = wait_status;
    loop_.stop();
  }
  int status = 0;

 private:
  proxy::Loop& loop_;
};

// "works", or what happened instead.
std::string try_program(const Program& program, const fs::path& folder) {
  SystemClock real;
  auto page = proxy::TimePage::make(folder / "page");
  if (!page) return page.error().line();
  proxy::Compressor::prepare(**page);
  proxy::ClientClock clock(real, page->get());
  EnvironmentSetting setting{folder / "agents", folder / "events", folder / "only"};
  setting.time_page = folder / "page";
  proxy::Loop loop;
  ProbeEnded ended(loop);
  proxy::Command command{program.argv, environment_for({}, setting), {}};
  auto tree = proxy::Tree::start(loop, clock, command, proxy::Way::none, ended);
  if (!tree) return tree.error().line();
  proxy::Compressor compressor(loop, **page, clock, (*tree)->root(),
                               {.pending = [&] { return (*tree)->command_ended(); },
                                .next_limit = [] { return Nanos{0}; },
                                .furthest = [] { return Nanos{0}; },
                                .moved = [] {}});
  bool late = false;
  proxy::Timer patience(loop, [&] {
    late = true;
    (*tree)->kill();
  });
  patience.set(kPatience);
  compressor.arm();
  loop.run();
  if (!late) return ended.status == 0 ? "works" : fmt::format("it ended with status {}", ended.status);
  auto unmoved = compressor.real_time();
  return unmoved.empty() ? "does not work: a wait of half a minute was none of the page"
                         : fmt::format("does not work: {}", fmt::join(unmoved, ", "));
}

std::string try_go(const fs::path& folder) {
  auto overlay = overlay_go_on_path(true, folder / "agents" / "go");
  if (!overlay) return "does not work: " + overlay.error().line();
  if (!overlay->lost.empty()) return fmt::format("does not work: {}", fmt::join(overlay->lost, "; "));
  return "works: its runtime is known; the first build with it compiles the standard library once more";
}

}  // namespace

std::vector<std::string> try_time() {
  auto name = (fs::temp_directory_path() / "retrial-doctor-XXXXXX").string();
  std::vector<std::string> lines;
  if (!mkdtemp(name.data())) return {"time compression: no folder can be made for it in " + name};
  const fs::path folder(name);
  if (auto ok = unpack_agents(folder / "agents"); !ok) {
    lines.push_back("time compression: " + ok.error().line());
  } else {
    for (auto& program : programs())
      if (on_path(program.name))
        lines.push_back(fmt::format("time compression, {}: {}", program.name, try_program(program, folder)));
    if (on_path("go")) lines.push_back("time compression, go: " + try_go(folder));
  }
  std::error_code left;
  fs::remove_all(folder, left);
  return lines;
}

}  // namespace retrial::campaign
