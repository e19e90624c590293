#include "campaign/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "oracles/oracle.h"
#include "trace/recording/redact.h"

namespace retrial::campaign::report {

bool Cause::accepted() const {
  return std::all_of(findings.begin(), findings.end(), [](const trace::Finding* f) { return f->accepted; });
}

const trace::Finding& Cause::surest() const {
  return **std::max_element(findings.begin(), findings.end(),
                            [](auto* a, auto* b) { return a->confidence < b->confidence; });
}

namespace {
// What a client does at both of these call sites is done in one place: by the function or library that sends again, or
// where nothing was sent again, by the frame that sends.
bool done_in_one_place(const trace::Finding& a, const trace::Finding& b) {
  if (!a.retried_by.empty() || !b.retried_by.empty()) return a.retried_by == b.retried_by;
  return a.attempts <= 1 && trace::show_innermost(*a.site) == trace::show_innermost(*b.site);
}
}  // namespace

bool one_cause(const trace::Finding& a, const trace::Finding& b) {
  auto* verdict = oracles::verdict_named(a.verdict);
  bool of_client = b.site && verdict && !verdict->of_outcome;
  return a.verdict == b.verdict && a.service == b.service && (a.attempts > 1) == (b.attempts > 1) &&
         (of_client || a.operation == b.operation) &&
         (a.site == b.site || (of_client && a.site && done_in_one_place(a, b)));
}

std::vector<Cause> causes(const std::vector<trace::Finding>& findings) {
  std::vector<Cause> out;
  for (const auto& finding : findings) {
    auto at = std::ranges::find_if(out, [&](auto& cause) { return one_cause(*cause.findings.front(), finding); });
    if (at == out.end()) at = out.insert(out.end(), Cause{finding.verdict, finding.site, {}});
    at->findings.push_back(&finding);
  }
  std::stable_partition(out.begin(), out.end(), [](const Cause& cause) { return !cause.accepted(); });
  return out;
}

bool fails_run(const trace::Finding& finding, trace::Confidence fail_on) {
  return finding.confirmed && !finding.accepted && !finding.known && finding.confidence >= fail_on;
}

std::vector<trace::Judged> not_judged(const trace::CampaignRecord& campaign) {
  auto out = campaign.not_judged;
  for (const auto& row : campaign.cases) {
    auto head = row.outcome == "not_fired"    ? "the fault did not fire"
                : row.outcome == "incomplete" ? "incomplete"
                : row.outcome == "left"       ? "left untried"
                                              : nullptr;
    if (!head) continue;
    bool said = std::any_of(campaign.not_judged.begin(), campaign.not_judged.end(), [&](const trace::Judged& j) {
      return j.test == row.test && j.site == row.site && j.operation == row.operation && j.policy == row.policy &&
             j.fault == row.plan;
    });
    if (said) continue;
    auto why = row.why.empty() ? head : fmt::format("{}: {}", head, row.why);
    out.push_back({row.test, row.site, row.service, row.operation, row.policy, row.plan, why});
  }
  return out;
}

std::vector<Reason> by_reason(const std::vector<trace::Judged>& judged) {
  std::vector<Reason> out;
  for (const auto& j : judged) {
    auto at = std::find_if(out.begin(), out.end(), [&](const Reason& reason) { return reason.why == j.why; });
    if (at == out.end()) at = out.insert(out.end(), Reason{j.why, {}});
    at->judged.push_back(&j);
  }
  return out;
}

std::string left_as_it_is(const std::string& connection) { return "connection left as it is: " + connection; }

std::size_t cases_run(const trace::CampaignRecord& campaign) {
  return static_cast<std::size_t>(std::count_if(campaign.cases.begin(), campaign.cases.end(),
                                                [](const trace::CaseRecord& row) { return !row.runs.empty(); }));
}

std::string explain_command(std::string_view verdict) { return fmt::format("retrial explain {}", verdict); }

std::string_view advice(const trace::Finding& finding) {
  auto* verdict = oracles::verdict_named(finding.verdict);
  return finding.advice.empty() && verdict ? verdict->remedy : std::string_view(finding.advice);
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

bool lacks_secrets(const trace::CampaignRecord& campaign) {
  return std::ranges::any_of(campaign.command, [](auto& word) { return word.find(trace::kRedacted) != word.npos; });
}

std::string replay_command(const trace::CampaignRecord& campaign, const trace::Finding& finding) {
  if (finding.policy == trace::kServed) return {};
  bool observed = finding.policy == trace::kObserved;
  if (!observed && !lacks_secrets(campaign)) return "retrial replay " + finding.id;
  auto line = observed ? fmt::format("retrial observe --inject {} --", quoted(finding.fault))
                       : fmt::format("retrial replay {} --", finding.id);
  for (const auto& word : campaign.command) line += " " + quoted(word);
  return campaign.command.empty() ? line + " COMMAND" : line;
}

std::string_view called(std::string_view operation) { return operation.empty() ? "every call" : operation; }

std::string place(const std::optional<trace::CallSite>& site) { return site ? trace::show(*site) : "no call site"; }

std::string show_ms(double ms) {
  if (ms < 0) return "-" + show_ms(-ms);
  if (ms < 0.05) return "0 ms";
  if (ms < 9.95) return fmt::format("{:.1f} ms", ms);
  if (ms < 999.5) return fmt::format("{:.0f} ms", ms);
  return show_duration(static_cast<Nanos>(std::llround(ms * 1e6)));
}

std::string client_did(const trace::Finding& finding) {
  constexpr std::size_t kMostGaps = 6;
  auto text = counted(static_cast<std::size_t>(std::max(finding.attempts, 0)), "attempt");
  auto gaps = finding.gaps_ms;
  if (gaps.empty()) return finding.attempts == 1 ? text + ", no retry" : text;
  if (gaps.size() == 1) return text + ", " + show_ms(gaps[0]) + " apart";
  if (gaps.size() > kMostGaps) {
    std::sort(gaps.begin(), gaps.end());
    return text + fmt::format(", gaps from {} to {}, median {}", show_ms(gaps.front()), show_ms(gaps.back()),
                              show_ms(gaps[gaps.size() / 2]));
  }
  std::vector<std::string> shown;
  for (auto gap : gaps) shown.push_back(show_ms(gap));
  return text + ", gaps " + joined(shown, ", ");
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? std::string() : std::string(by)) + part;
  return out;
}

}  // namespace retrial::campaign::report
