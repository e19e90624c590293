#include "campaign/planning/last_words.h"

#include <fmt/format.h>

#include <deque>
#include <fstream>

#include "base/escape.h"
#include "base/text.h"

namespace retrial::campaign {
namespace {
constexpr std::size_t kLines = 6, kColumns = 200;
}  // namespace

std::string last_words(const std::string& command, const trace::Run& run, const std::filesystem::path& log) {
  bool signalled = run.stop == trace::Stop::signalled;
  if (run.stop != trace::Stop::exited && !signalled) return {};
  if (!signalled && run.exit_code == 0) return {};
  std::ifstream in(log, std::ios::binary);
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line);) {
    if (trim(line).empty()) continue;
    last.push_back(cut(one_line(line), kColumns));
    if (last.size() > kLines) last.pop_front();
  }
  auto text = fmt::format("`{}` ends {} {} by itself, without any fault", command,
                          signalled ? "by signal" : "with status", run.exit_code);
  text += last.empty() ? "\n  it says nothing" : "\n  its last words:";
  for (auto& line : last) text += "\n    " + line;
  return text + fmt::format("\n  all of it: {}", log.string());
}

}  // namespace retrial::campaign
