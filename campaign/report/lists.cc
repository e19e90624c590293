#include "campaign/report/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {
constexpr std::size_t kMostRows = 12;

void add_once(std::vector<std::string>& to, const std::string& word) {
  if (std::ranges::count(to, word) == 0) to.push_back(word);
}

// The row of `rows` that `same` is true of, or `fresh` behind them.
template <class Row, class Same>
Row& row_in(std::vector<Row>& rows, Same same, Row fresh) {
  auto at = std::ranges::find_if(rows, same);
  return at == rows.end() ? rows.emplace_back(std::move(fresh)) : *at;
}

// The call sites of one innermost frame.
class Places {
 public:
  void add(const std::optional<trace::CallSite>& site) {
    if (!site_) site_ = site;
    if (site) chains_.insert(key_of(*site));
  }
  // "a.py:7 ask <- b.py:3 track", or of several "a.py:7 ask (2 call chains)"; `none` where no call site is known.
  std::string show(const std::string& none) const {
    if (!site_) return none;
    if (chains_.size() == 1) return trace::show(*site_);
    return fmt::format("{} ({} call chains)", trace::show_innermost(*site_), chains_.size());
  }

 private:
  std::optional<trace::CallSite> site_;
  std::set<std::string> chains_;
};
std::string innermost(const std::optional<trace::CallSite>& site) { return site ? trace::show_innermost(*site) : ""; }

void and_more(Page& page, std::size_t rows, std::string_view what) {
  if (rows > kMostRows)
    page.wrapped(
        "   ", fmt::format("and {} more{}{}", rows - kMostRows, what, what.empty() || rows - kMostRows == 1 ? "" : "s"),
        Ink::plain, Ink::faint);
}

// "P3 40, K1 12": how many of each policy.
std::string policies_of(const Reason& reason) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto* j : reason.judged)
    row_in(counts, [&](auto& count) { return count.first == j->policy; }, {j->policy, 0}).second++;
  std::vector<std::string> parts;
  for (auto& [policy, count] : counts) parts.push_back(fmt::format("{} {}", policy, count));
  return joined(parts, ", ");
}

// "P1 POST /hook at src/webhook.mjs:20 notify"; of a command whose every call was aimed at, the fault.
std::string about(const trace::Judged& j) {
  if (j.operation.empty()) return j.fault;
  return fmt::format("{} {} at {}", j.policy, j.operation, j.site ? innermost(j.site) : shown_service(j.service));
}
}  // namespace

// "src/webhook.mjs:20 post  POST /hook: P3, P1, K1"; of what was observed, the fault and what was seen.
void clean_rows(Page& page, const std::vector<trace::Judged>& clean) {
  struct Row {
    std::string at, service, operation;
    Places places;
    std::vector<std::string> stood;
  };
  std::vector<Row> rows;
  for (const auto& j : clean) {
    bool of_a_plan = j.policy != trace::kObserved && j.policy != trace::kServed;
    auto operation = of_a_plan ? j.operation : fmt::format("{} under {}", j.operation, j.fault);
    Row fresh{j.site ? innermost(j.site) : shown_service(j.service), shown_service(j.service), operation, {}, {}};
    auto same = [&](auto& row) { return of_a_plan && row.at == fresh.at && row.operation == operation; };
    auto& row = row_in(rows, same, fresh);
    row.places.add(j.site);
    add_once(row.stood, of_a_plan ? j.policy : j.why);
  }
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); i++) {
    auto& row = rows[i];
    page.wrapped("   ",
                 fmt::format("{}  {}: {}", row.places.show(row.service), row.operation, joined(row.stood, ", ")));
  }
  and_more(page, rows.size(), " call");
}

namespace {
struct NoteRow {
  std::string verdict, at, said;
  bool of_each = false;  // it begins with the operation, and may hold of several
  Places places;
  std::vector<std::string> operations;

  std::string place() const { return places.show("no call site"); }
  std::string text() const {
    auto all = joined(operations, ", ");
    if (all.empty()) return fmt::format("{}: {}", verdict, said);
    if (of_each) return fmt::format("{} at {}: {} {}", verdict, place(), all, said);
    return fmt::format("{} at {}, {}: {}", verdict, place(), all, said);
  }
};

// What holds of calls of many places alike, in one line: "not-retried-transient, at 8 places: each was answered 503
// ...: PUT /holds/{id} at src/holds.ts:5 hold; ..."
std::string text_of(const std::vector<const NoteRow*>& alike) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> named;
  for (auto* row : alike)
    if (named.size() < kNamed) named.push_back(fmt::format("{} at {}", joined(row->operations, ", "), row->at));
  auto more = alike.size() > kNamed ? fmt::format("; and {} more", alike.size() - kNamed) : "";
  auto& said = alike.front()->said;
  return fmt::format("{}, at {} places: each {}: {}{}", alike.front()->verdict, alike.size(),
                     std::string_view(said).substr(0, said.size() - said.ends_with('.')), joined(named, "; "), more);
}
}  // namespace

void note_rows(Page& page, const std::vector<trace::Finding>& notes) {
  constexpr std::size_t kAlike = 3;  // rows that are told in one line
  std::vector<NoteRow> rows;
  for (const auto& note : notes) {
    bool named = !note.operation.empty() && note.message.starts_with(note.operation + ": ");
    bool of_each = !note.operation.empty() && note.message.starts_with(note.operation + " ");
    NoteRow fresh{note.verdict,
                  innermost(note.site),
                  of_each || named ? note.message.substr(note.operation.size() + (named ? 2 : 1)) : note.message,
                  of_each,
                  {},
                  {}};
    auto same = [&](auto& row) {
      return of_each && row.of_each && row.verdict == fresh.verdict && row.at == fresh.at && row.said == fresh.said;
    };
    auto& row = row_in(rows, same, fresh);
    row.places.add(note.site);
    if (!note.operation.empty()) add_once(row.operations, note.operation);
  }
  std::vector<std::string> lines;
  for (auto& row : rows) {
    std::vector<const NoteRow*> alike;
    for (auto& other : rows)
      if (row.of_each && other.of_each && !other.at.empty() && other.verdict == row.verdict && other.said == row.said)
        alike.push_back(&other);
    if (alike.size() < kAlike)
      lines.push_back(row.text());
    else
      add_once(lines, text_of(alike));
  }
  plain_rows(page, lines);
}

void reason_rows(Page& page, const std::vector<trace::Judged>& judged) {
  constexpr std::size_t kMostNamed = 3;
  auto reasons = by_reason(judged);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostRows); i++) {
    const auto& reason = reasons[i];
    auto why = reason.why.empty() ? "no reason was given" : reason.why;
    if (reason.judged.size() > kMostNamed) {
      page.wrapped("   ", fmt::format("{}: {} ({}), named in the report", why, counted(reason.judged.size(), "case"),
                                      policies_of(reason)));
      continue;
    }
    std::vector<std::string> named;
    for (const auto* j : reason.judged)
      if (auto what = about(*j); !what.empty()) add_once(named, what);
    page.wrapped("   ", named.empty() ? why : fmt::format("{}: {}", why, joined(named, "; ")));
  }
  and_more(page, reasons.size(), " reason");
}

void plain_rows(Page& page, const std::vector<std::string>& lines, std::size_t most) {
  for (std::size_t i = 0; i < std::min(lines.size(), most); i++)
    for (auto line : split(lines[i], '\n'))
      page.wrapped("   " + std::string(std::min(line.find_first_not_of(' '), line.size()), ' '), line);
  if (lines.size() > most) page.wrapped("   ", fmt::format("and {} more", lines.size() - most), Ink::plain, Ink::faint);
}
void plain_rows(Page& page, const std::vector<std::string>& lines) { plain_rows(page, lines, kMostRows); }

}  // namespace retrial::campaign::report
