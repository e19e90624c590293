#include "campaign/workload/test_source.h"

#include <iterator>
#include <regex>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/regular_file.h"
#include "base/text.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
namespace {

constexpr std::size_t kMostLines = 40, kMostBytes = 4096, kLargestFile = 1 << 20;

// `def test_it(`, `func TestIt(`, `fn it(`, `test('it'`, `it 'is' do`, `void it() {`, `public function testIt()`
const std::regex& beginning() {
  static const std::regex kBeginning(
      R"((^|\s)((async\s+)?def|func|fn|function|void)\s+\w.*|(^|\s)(it|test|specify|TEST|TEST_F|TEST_CASE)\b[\w.]*\s*[('"].*)",
      std::regex::optimize);
  return kBeginning;
}

bool begins(std::string_view line) {
  return line.size() < 400 && std::regex_search(line.begin(), line.end(), beginning());
}

}  // namespace

std::string lines_up_to(const std::filesystem::path& file, int line) {
  auto text = line < 1 ? std::nullopt : read_regular_file(file, kLargestFile + 1);
  if (!text || text->size() > kLargestFile) return {};
  auto lines = split(*text, '\n');
  auto last = static_cast<std::size_t>(line);
  if (last > lines.size()) return {};
  std::size_t from = last;
  std::size_t bytes = 0;
  while (from > 0 && last - from < kMostLines && bytes + lines[from - 1].size() < kMostBytes) {
    bytes += lines[--from].size() + 1;
    if (from + 1 < last && begins(lines[from])) break;
  }
  std::string kept;
  for (auto i = from; i < last; i++) kept += std::string(lines[i]) + (i + 1 < last ? "\n" : "");
  return trace::redacted(std::move(kept));
}

}  // namespace retrial::campaign
