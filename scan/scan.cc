#include "scan/scan.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "base/regular_file.h"
#include "scan/across.h"
#include "scan/detectors.h"
#include "scan/ids.h"
#include "scan/macros.h"
#include "scan/settings.h"
#include "scan/verdicts.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// A file without any of these has nothing that could lead back: most are not parsed.
bool could_retry(std::string_view text) {
  for (std::string_view word : {"while", "for", "etry", "etri", "ttempt", "ackoff", "catch", "except", "rescue", "loop",
                                "econnect", "err", "tatus"})
    if (text.find(word) != text.npos) return true;
  return false;
}

struct Reader {
  const Chosen& chosen;
  Scan scan;
  Found in_all;
  std::mutex one_at_a_time;
  std::atomic<std::size_t> next = 0;

  void leave_out(const std::string& why) {
    std::lock_guard lock(one_at_a_time);
    scan.left_out[why]++;
  }

  void read(const std::string& path) {
    std::error_code error;
    if (std::filesystem::file_size(path, error) > kLargest && !error) return leave_out("larger than 1 MiB");
    std::ifstream in(path, std::ios::binary);
    std::stringstream all;
    if (!(all << in.rdbuf()) && in.bad()) return leave_out("not readable");
    if (!in.is_open()) return leave_out("not readable");
    auto text = std::move(all).str();
    if (auto why = why_not(text); !why.empty()) return leave_out(why);
    auto found = scan_text(*language_of(path), text);
    if (found.too_much) return leave_out("too entangled");
    std::lock_guard lock(one_at_a_time);
    scan.files++;
    scan.lines += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    in_all.delays.insert(in_all.delays.end(), found.delays.begin(), found.delays.end());
    auto take = [&](auto& from, auto& into) {
      for (auto& location : from) {
        location.file = path;
        into.push_back(std::move(location));
      }
    };
    take(found.locations, in_all.locations);
    take(found.decorators, in_all.decorators);
    take(found.decorated, in_all.decorated);
  }
};

// Of many files a few hold retries: only these are counted.
void read_settings_of(const std::string& path, Reader& reader) {
  auto text = read_regular_file(path, kLargest);
  if (!text || !why_not(*text).empty()) return;
  auto found = retries_in_settings(path, *text);
  if (found.empty()) return;
  reader.scan.files++;
  reader.scan.lines += static_cast<std::size_t>(std::ranges::count(*text, '\n'));
  for (auto& location : found) {
    location.file = path;
    reader.in_all.locations.push_back(std::move(location));
  }
}

// One place is told once: a loop before what is within it on the same line, a recursion before the timer that carries
// it.
void drop_doubles(std::vector<Location>& found) {
  std::ranges::stable_sort(found, {}, [](auto& l) { return std::tuple(l.line, l.shape); });
  auto same = std::ranges::unique(found, {}, &Location::line);
  found.erase(same.begin(), same.end());
}

// Nothing failed, or what comes next is another part.
bool goes_on(const Location& l) {
  bool not_ready = !l.back.empty() && std::ranges::all_of(l.back, says_not_ready);
  return not_ready || (l.shape == Shape::loop && l.bound.kind == Bound::count && says_progress(l.bound.text));
}

// A timer is how others wait: what holds it, or stands before it in the same function, is the place. They are sorted by
// line, and each stands in one line.
void drop_waits(std::vector<Location>& found) {
  std::uint32_t within = 0;  // up to this line something holds what comes
  std::set<std::pair<std::uint32_t, std::string>> before;
  std::erase_if(found, [&](auto& l) {
    if (l.shape != Shape::timer) {
      if (l.shape != Shape::library) within = std::max(within, l.last_line);
      return false;
    }
    bool other = l.function.empty() || before.emplace(l.function_line, l.calls).second;
    return l.line <= within || !other;
  });
}

// `new Promise((_, no) => setTimeout(() => work(no), ms)).catch(() => this.retry())` in `retry`: what it waits with.
void drop_waits_of_recursion(std::vector<Location>& found) {
  std::set<std::uint32_t> waits;  // by the line that they stand in
  for (auto& timer : found)
    for (auto& again : found)
      if (timer.shape == Shape::timer && again.shape == Shape::recursion && again.wait.kind != Wait::none &&
          again.function_line <= timer.line && timer.line < again.line)
        waits.insert(timer.line);
  std::erase_if(found, [&](auto& timer) { return timer.shape == Shape::timer && waits.contains(timer.line); });
}

// `while true: try: consumer.nack(m) except Lost: sleep()`: that it is put back is what the loop tries.
void drop_what_a_loop_tries(std::vector<Location>& found) {
  std::set<std::uint32_t> tried;  // by the line that they stand in
  for (auto& put : found)
    for (auto& loop : found)
      if (put.shape == Shape::queue && loop.shape == Shape::loop && loop.line < put.line &&
          put.line <= loop.last_line &&
          std::ranges::any_of(loop.callees, [&](auto& callee) { return put.by.ends_with(callee.name); }))
        tried.insert(put.line);
  std::erase_if(found, [&](auto& put) { return put.shape == Shape::queue && tried.contains(put.line); });
}

Found found_in(const Tree& tree) {
  Found all;
  auto& found = all.locations;
  find_loops(tree, found);
  find_recursion(tree, found);
  find_jumps(tree, found);
  find_retry_words(tree, found);
  find_repeats(tree, found);
  find_timers(tree, found);
  find_queues(tree, found);
  find_handed_on(tree, found);
  find_interceptors(tree, found);
  find_libraries(tree, found);
  drop_doubles(found);
  drop_waits(found);
  drop_waits_of_recursion(found);
  drop_what_a_loop_tries(found);
  std::erase_if(found, goes_on);
  all.delays = delays_of(tree);
  find_own_decorators(tree, all);
  return all;
}

}  // namespace

Found scan_text(const Language& language, std::string_view text) {
  if (!could_retry(text)) return {};
  bool macros = language.family == "rust" && text.find("macro_rules!") != text.npos;
  auto opened = macros ? with_macros_as_functions(text) : std::string();
  auto tree = Tree::parse(language, macros ? std::string_view(opened) : text);
  tree.limit_steps();
  try {
    return found_in(tree);
  } catch (const TooMuch&) {
    return {.too_much = true};
  }
}

Scan scan_files(const Chosen& chosen) {
  Reader reader{.chosen = chosen};
  reader.scan.left_out = chosen.left_out;
  auto work = [&] {
    for (std::size_t i; (i = reader.next++) < chosen.files.size();) reader.read(chosen.files[i]);
  };
  std::thread other(work);
  work();
  other.join();
  for (auto& path : chosen.settings) read_settings_of(path, reader);
  complete(reader.in_all);
  reader.scan.locations = std::move(reader.in_all.locations);
  std::ranges::sort(reader.scan.locations, {}, [](auto& l) { return std::tie(l.file, l.line); });
  judge(reader.scan.locations);
  give_ids(reader.scan.locations);
  return std::move(reader.scan);
}

}  // namespace retrial::scan
