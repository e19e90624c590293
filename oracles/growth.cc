// What a call costs its client grows faster than what it was answered, or has no end. Found by runs of one test in
// which one thing grows: lists, pages, errors (WEDGE, which contrasts a program's fast and slow runs).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "trace/comparing/growth.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kGrowthVerdicts[] = {
    {
        .name = "unbounded-paging",
        .severity = Severity::no_end,
        .title = "Pages are asked for without end",
        .why = "A service that tells of a next page for ever, by a bug or an attack, keeps its client for ever.",
        .remedy = "Stop at a page that names itself as the next one, or after so many pages.",
    },
    {
        .name = "retry-storm",
        .severity = Severity::no_end,
        .title = "Each failure brings several requests",
        .why = "A service that is weak gets the more requests the more of them fail.",
        .remedy = "Send again what has failed, and nothing of what had gone well before it.",
    },
    {
        .name = "unbounded-memory",
        .severity = Severity::no_end,
        .title = "An answer is kept whole, however long it is",
        .why = "A service that sends more than was thought of, by a bug or an attack, takes its client's memory.",
        .remedy = "Read it piece by piece, or stop where it is longer than it may be.",
    },
    {
        .name = "slow-under-fault",
        .severity = Severity::no_end,
        .title = "A call takes longer than its own time-outs add up to",
        .why = "A time-out of each read starts anew with every byte: an answer that drips holds its caller for hours.",
        .remedy = "Give the call as a whole a deadline.",
    },
    {
        .name = "quadratic",
        .severity = Severity::no_end,
        .title = "A longer answer costs more than its length",
        .why = "What is quick in a test, with three entries, stands still in production, with thousands.",
        .remedy = "Look for a list that is searched, copied or sorted anew for each of its entries: a set or a map "
                  "mostly mends that.",
    },
    {
        .name = "no-deadline",
        .severity = Severity::information,
        .title = "A call without a deadline",
        .why = "Its time-out is that of one read: an answer that drips may hold it for as long as it likes.",
    },
};
constexpr const Verdict &kUnboundedPaging = kGrowthVerdicts[0], &kRetryStorm = kGrowthVerdicts[1],
                        &kUnboundedMemory = kGrowthVerdicts[2], &kSlowUnderFault = kGrowthVerdicts[3],
                        &kQuadratic = kGrowthVerdicts[4], &kNoDeadline = kGrowthVerdicts[5];

constexpr std::size_t kSizes = 4;                // at which growth is measured
constexpr double kExponent = 1.5;                // half way from a straight line to a square
constexpr double kAgreement = 0.95;              // of the fit
constexpr Nanos kLeastWork = 40 * kMillisecond;  // more than without the fault: below it is noise
constexpr double kLeastPart = 0.25;              // likewise, of what the test takes without
constexpr std::uint64_t kPages = 1000;           // the same page so often
constexpr double kOfOneError = 3;                // requests that one error brings
constexpr std::int64_t kErrors = 4;              // at least, for that
constexpr double kKept = 0.5;                    // bytes of memory for each byte of the body
constexpr double kBeyond = 1.25;                 // times what the call's own time-outs add up to
constexpr double kFarBeyond = 8;                 // the same of the longest

using trace::Comparison;
using trace::Confidence;
using trace::Load;

double mebibytes(double bytes) { return bytes / (1 << 20); }

struct Sized {
  const Comparison* comparison;
  Load load;
};

// Of lists a run that was ended shows only what it would have cost at least.
bool was_ended(const trace::Run& run, Load::Of of) {
  return of == Load::Of::entries && run.stop != trace::Stop::exited && run.stop != trace::Stop::signalled;
}

// From small to large, one of each size: of several the cheapest, which was least disturbed.
std::vector<Sized> by_size(const ComparedCase& compared, Load::Of of, bool ended = false) {
  std::vector<Sized> all;
  for (auto* c : compared.comparisons)
    if (auto load = trace::load_of(*c->in_case);
        load && load->of == of && !c->faulted.empty() && was_ended(*c->in_case, of) == ended)
      all.push_back({c, *load});
  std::ranges::stable_sort(all, [](auto& a, auto& b) {
    return a.load.size != b.load.size ? a.load.size < b.load.size : a.load.cpu < b.load.cpu;
  });
  auto others = std::ranges::unique(all, {}, [](auto& s) { return s.load.size; });
  all.erase(others.begin(), others.end());
  return all;
}

// What the test takes without the fault: the least that any of its runs took.
Nanos usual_work(const std::vector<Sized>& all) {
  auto least = all.front().comparison->reference->cpu;
  for (auto& s : all) least = std::min(least, s.load.cpu);
  return least;
}

// The largest sizes whose cost stands out, in a row.
template <class Cost>
std::vector<trace::Measured> curve(const std::vector<Sized>& all, Cost cost) {
  std::vector<trace::Measured> points;
  for (auto& s : all) {
    auto more = cost(s);
    if (more <= 0) {
      points.clear();
      continue;
    }
    points.push_back({static_cast<double>(s.load.size), more});
  }
  if (points.size() > kSizes) points.erase(points.begin(), points.end() - kSizes);
  return points;
}

bool superlinear(const std::vector<trace::Measured>& points, trace::PowerLaw& law) {
  if (points.size() < kSizes || !std::ranges::is_sorted(points, {}, &trace::Measured::cost)) return false;
  law = trace::fit(points);
  return law.exponent >= kExponent && law.agreement >= kAgreement;
}

std::string_view sizes_of(Load::Of of) {
  switch (of) {
    case Load::Of::entries:
      return "times the entries";
    case Load::Of::pages:
      return "pages more";
    case Load::Of::errors:
      return "errors";
    default:
      return "more";
  }
  return {};
}

std::string row_of(const std::vector<trace::Measured>& points, std::string_view format) {
  std::vector<std::string> words;
  for (auto& p : points) words.push_back(fmt::format(fmt::runtime(format), p.cost));
  return fmt::format("{}", fmt::join(words, ", "));
}
std::string sizes_in(const std::vector<trace::Measured>& points) {
  std::vector<std::string> words;
  for (auto& p : points) words.push_back(fmt::format("{:.6g}", p.size));
  return fmt::format("{}", fmt::join(words, ", "));
}

trace::Finding finding_on(const ComparedCase& compared, const Sized& at, const Verdict& verdict, Confidence confidence,
                          std::string message, std::string advice) {
  auto f = make_finding(compared, *at.comparison, *at.comparison->faulted.front(), verdict, confidence,
                        std::move(message), std::move(advice));
  f.attempts = static_cast<int>(at.load.requests);
  f.gaps_ms.clear();
  return f;
}

class Growth final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return kGrowthVerdicts; }
  bool compares_sizes() const override { return true; }

  void judge(Cases cases, Judgement& judgement) const override {
    using Of = Load::Of;
    for (auto& compared : cases) {
      auto sized = [&](Of of, auto ask) {
        if (auto all = by_size(compared, of); !all.empty()) ask(compared, all, judgement);
      };
      for (auto of : {Of::entries, Of::pages}) sized(of, judge_work);
      sized(Of::pages, judge_pages);
      sized(Of::errors, judge_errors);
      sized(Of::bytes, judge_memory);
      sized(Of::drip, judge_drip);
    }
  }

 private:
  static void judge_work(const ComparedCase& compared, const std::vector<Sized>& all, Judgement& judgement) {
    auto usual = usual_work(all);
    auto least = std::max(static_cast<double>(kLeastWork), kLeastPart * static_cast<double>(usual));
    auto work = curve(all, [&](auto& s) {
      auto more = static_cast<double>(s.load.cpu - usual);
      return more >= least ? more / kSecond : 0;
    });
    auto sent = curve(all, [](auto& s) {
      return static_cast<double>(s.load.requests) - static_cast<double>(s.comparison->reference->exchanges.size());
    });
    trace::PowerLaw law;
    bool works = superlinear(work, law), at_least = false;
    if (!works)
      if (auto ended = by_size(compared, all.back().load.of, true);
          !ended.empty() && ended.front().load.size > all.back().load.size) {
        work.push_back({static_cast<double>(ended.front().load.size),
                        static_cast<double>(ended.front().load.cpu - usual) / kSecond});
        works = at_least = superlinear(work, law);
      }
    if (!works && !superlinear(sent, law)) return;
    auto& points = works ? work : sent;
    auto what = works ? fmt::format("the client worked {} s longer{}", row_of(points, "{:.2f}"),
                                    at_least ? " and more, for there it was ended" : "")
                      : fmt::format("the client sent {} requests more", row_of(points, "{:.0f}"));
    // What two lists bring together may be what the client is there for.
    auto& calls = all.back().comparison->faulted;
    bool joins = std::ranges::any_of(
        calls, [&](auto* c) { return c->attempts[0]->operation != calls.front()->attempts[0]->operation; });
    judgement.findings.push_back(
        finding_on(compared, all.back(), kQuadratic, joins ? Confidence::possible : Confidence::likely,
                   fmt::format("{}: with {} {} {}, which grows with the power {:.1f} of it.",
                               joins ? "all lists that the test is answered" : called(compared), sizes_in(points),
                               sizes_of(all.front().load.of), what, law.exponent),
                   joins ? "A right client joins two lists by a map of one of them, and asks for many at a time."
                         : "A right client's work grows as what it is answered does."));
  }

  static void judge_pages(const ComparedCase& compared, const std::vector<Sized>& all, Judgement& judgement) {
    auto& most = all.back();
    if (most.load.size < static_cast<std::int64_t>(kPages)) return;
    auto ended_by_us = most.comparison->in_case->stop != trace::Stop::exited;
    // Where the service answered no entry any more, and the fault those of the page before, the client may have ended
    // at an empty page: that is one guard, if not the best.
    auto answered_none = most.comparison->faulted.back()->last().response_sample.contains("[]");
    auto sure = ended_by_us && !answered_none ? Confidence::likely : Confidence::possible;
    judgement.findings.push_back(
        finding_on(compared, most, kUnboundedPaging, sure,
                   fmt::format("{}: pages that told of another one were asked for {} times{}.", called(compared),
                               most.load.size, ended_by_us ? ", and then the run was ended" : ""),
                   "A right client stops where the next page is the one that it has, or after so many pages."));
  }

  static void judge_errors(const ComparedCase& compared, const std::vector<Sized>& all, Judgement& judgement) {
    auto& most = all.back();
    auto more =
        static_cast<double>(most.load.requests) - static_cast<double>(most.comparison->reference->exchanges.size());
    auto of_one = more / static_cast<double>(most.load.size);
    if (all.size() < kSizes || most.load.size < kErrors || of_one < kOfOneError) return;
    auto sent = curve(all, [](auto& s) { return static_cast<double>(s.load.requests); });
    judgement.findings.push_back(finding_on(
        compared, most, kRetryStorm, Confidence::possible,
        fmt::format("{}: with {} errors the client sent {} requests, {} without one: each error brought {:.1f} more.",
                    called(compared), sizes_in(sent), row_of(sent, "{:.0f}"),
                    most.comparison->reference->exchanges.size(), of_one),
        "A right client sends again what has failed, and not what had gone well before it."));
  }

  // By each byte of the body: who stops at a limit, or reads piece by piece, keeps no more of a longer one.
  static void judge_memory(const ComparedCase& compared, const std::vector<Sized>& all, Judgement& judgement) {
    auto kept = curve(all, [](auto& s) {
      auto more = static_cast<double>(s.load.memory) - static_cast<double>(s.comparison->reference->memory);
      return more >= kKept * static_cast<double>(s.load.size) ? mebibytes(more) : 0;
    });
    if (kept.size() < kSizes) return;
    for (auto& p : kept) p.size = std::round(10 * mebibytes(p.size)) / 10;
    judgement.findings.push_back(finding_on(compared, all.back(), kUnboundedMemory, Confidence::possible,
                                            fmt::format("{}: of bodies of {} MiB the client took {} MiB of memory.",
                                                        called(compared), sizes_in(kept), row_of(kept, "{:.1f}")),
                                            "A right client reads it piece by piece, or has a limit."));
  }

  static void judge_drip(const ComparedCase& compared, const std::vector<Sized>& all, Judgement& judgement) {
    auto silent = by_size(compared, Load::Of::silence);
    if (silent.empty()) return;
    auto own = static_cast<double>(silent.front().load.waited) / kSecond;
    auto took = curve(all, [&](auto& s) {
      auto waited = static_cast<double>(s.load.waited) / kSecond;
      return waited >= kBeyond * own ? waited : 0;
    });
    if (took.size() < kSizes || took.back().cost < kFarBeyond * own) return;
    // Who sends again at a time-out counts on them; of others it is told as a note.
    bool sends_again = silent.front().comparison->faulted.front()->attempts.size() > 1;
    auto& told = sends_again ? judgement.findings : judgement.notes;
    told.push_back(
        finding_on(compared, all.back(), sends_again ? kSlowUnderFault : kNoDeadline, Confidence::possible,
                   fmt::format("{}: silence ended the call after {:.1f} s; an answer that dripped held it for {} s.",
                               called(compared), own, row_of(took, "{:.1f}")),
                   "A right client gives the call as a whole a deadline."));
  }

  static std::string called(const ComparedCase& compared) { return compared.row->operation; }
};

}  // namespace

const Oracle& growth() {
  static const Growth oracle;
  return oracle;
}

}  // namespace retrial::oracles
