#include "predict/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "predict/touch.h"
#include "trace/calls/activation.h"
#include "trace/calls/content.h"
#include "trace/profiles/message.h"

namespace retrial::predict {
namespace {

using trace::Exchange;

constexpr std::size_t kShortestValue = 5;  // with a digit: what is shorter stands in two messages by chance

bool answered_before(const Exchange& a, const Exchange& b) { return a.told != 0 && a.told <= b.begun; }

// Whose work a request is.
struct Who {
  explicit Who(const Exchange& e) : pid(e.pid), thread(e.busy.thread), strands(trace::strands_of(e.tag.stack)) {
    known = trace::names_functions(e.tag.stack) || !strands.empty();
    latest = trace::latest_run(e.tag.stack);
  }
  std::uint64_t strand() const { return strands.empty() ? 0 : strands.back(); }
  std::int32_t pid, thread;
  std::vector<std::uint64_t> strands;
  std::uint64_t latest = 0;
  bool known = false;  // its functions are told, and so its strands; or its strands alone (Node)
};

bool same_strand(const Who& a, const Who& b) {
  if (a.pid != b.pid) return false;
  if (a.known && b.known) return a.strand() == b.strand();
  return a.thread == b.thread || a.thread == 0 || b.thread == 0;
}

// Did the first's strand hand over, after that request, what the second belongs to?
bool forked(const Who& a, const Who& b) {
  if (a.pid != b.pid || !a.known || !b.known) return false;
  std::uint64_t before = 0;
  for (auto strand : b.strands) {
    if (before == a.strand() && a.latest < strand) return true;
    before = strand;
  }
  return false;
}

// Had who sends the second waited for the end of who sent the first?
bool joined(const Exchange& a, const Exchange& b) {
  auto waited = trace::waited_for(b.tag.stack);
  if (a.pid != b.pid) return std::ranges::find(waited.processes, a.pid) != waited.processes.end();
  auto strand = Who(a).strand();
  return strand != 0 && std::ranges::find(waited.strands, strand) != waited.strands.end();
}

std::string sent_by(const Exchange& e) {
  auto all = e.target + "\n" + e.request_sample;
  for (auto& h : e.request_headers) all += "\n" + h.value;
  return all;
}

// Does the second send on what only the first's answer told?
bool passed_on(const Exchange& a, const Exchange& b) {
  auto asked = sent_by(a), sent = sent_by(b);
  auto is_passed = [&](std::string_view value) {
    return value.size() >= kShortestValue && value.find_first_of("0123456789") != value.npos &&
           !asked.contains(value) && sent.contains(value);
  };
  if (auto made = touch_of(a); made.kind == Kind::create && a.method == "POST")
    if (auto path = touch_of(b).path; path == made.path || path.starts_with(made.path + "/")) return true;
  for (std::string_view name : {"location", "etag"}) {
    auto value = trace::find(a.response_headers, name);
    if (is_passed(value) || is_passed(trace::message::path_of(value))) return true;
  }
  return std::ranges::any_of(trace::tokens_of(a.response_sample), is_passed);
}

bool leads(const Exchange& a, const Exchange& b) {
  if (!answered_before(a, b)) return false;
  Who first(a), second(b);
  return same_strand(first, second) || forked(first, second) || joined(a, b) || passed_on(a, b);
}

std::string why(const Exchange& a, const Exchange& b) {
  if (!answered_before(a, b)) return "both were open at the same time";
  Who first(a), second(b);
  if (first.pid != second.pid) return fmt::format("processes {} and {} send them", first.pid, second.pid);
  if (first.known && second.known)
    return fmt::format("two strands of one process send them (a thread, a task or pooled work: {} and {})",
                       first.strand(), second.strand());
  return fmt::format("threads {} and {} of one process send them", first.thread, second.thread);
}

}  // namespace

std::optional<std::string> unordered(const Exchange& first, const Exchange& second,
                                     std::span<const Exchange* const> between) {
  std::vector<const Exchange*> reached{&first};
  for (std::size_t at = 0; at < reached.size(); at++) {
    if (leads(*reached[at], second)) return {};
    for (auto* e : between)
      if (std::ranges::find(reached, e) == reached.end() && answered_before(*e, second) && leads(*reached[at], *e))
        reached.push_back(e);
  }
  return why(first, second);
}

}  // namespace retrial::predict
