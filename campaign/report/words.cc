#include "campaign/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "oracles/known_repeats.h"
#include "oracles/oracle.h"
#include "trace/calls/services.h"
#include "trace/recording/redact.h"

namespace retrial::campaign::report {

bool fails_run(const trace::Finding& finding, trace::Confidence fail_on) {
  return finding.confirmed && !finding.accepted && !finding.known && finding.confidence >= fail_on;
}

std::string failing_line(const std::vector<trace::Finding>& findings, trace::Confidence fail_on) {
  std::map<std::string, std::size_t> reasons;
  for (auto& f : findings)
    if (!fails_run(f, fail_on))
      reasons[f.accepted     ? "accepted"
              : f.known      ? "known"
              : !f.confirmed ? "not confirmed"
                             : fmt::format("less than {}", trace::show(fail_on))]++;
  std::vector<std::string> parts;
  auto failing = findings.size();
  for (auto& [reason, count] : reasons) {
    failing -= count;
    parts.push_back(fmt::format("{} {} {}", count, count == 1 ? "is" : "are", reason));
  }
  if (findings.front().policy == trace::kObserved)
    return "observe exits as the command does, whatever was found; judge says it by its status.";
  if (findings.size() == 1)
    return failing ? "It fails the run." : fmt::format("It does not fail the run: it is {}.", reasons.begin()->first);
  if (failing == findings.size()) return "All of them fail the run.";
  if (failing == 0) return fmt::format("None of them fails the run: {}.", joined(parts, ", "));
  auto rest = findings.size() - failing == 1 ? "the other does not: it is " + reasons.begin()->first
                                             : "the others do not: " + joined(parts, ", ");
  return fmt::format("{} of them {} the run, {}.", failing, failing == 1 ? "fails" : "fail", rest);
}

std::string not_tried(const trace::CampaignRecord& c) {
  bool planned = std::ranges::any_of(c.cases, [](auto& row) {
    return row.policy != trace::kObserved && row.policy != trace::kServed && !trace::is_stressed(row.policy);
  });
  bool told_when = std::ranges::any_of(c.cases, [](auto& row) { return row.policy == "R1"; });
  if (!c.findings.empty() || c.clean.empty() || !planned || told_when) return {};
  return "Not tried: whether Retry-After is heeded (--policies r1).";
}

// What this case was answered by is a finding no more: the service knew the same repeat elsewhere.
static bool taken_back(const trace::CampaignRecord& campaign, const trace::CaseRecord& row) {
  auto answered_by = [&](std::string_view verdict, const std::string& test) {
    return row.why.contains(fmt::format("{}, as confirmed in {}", verdict, test.empty() ? "the command" : test));
  };
  return row.outcome == "seen_too" &&
         std::ranges::any_of(campaign.not_judged,
                             [&](auto& j) {
                               return j.why.ends_with(oracles::kKnewItAgain) &&
                                      answered_by(std::string_view(j.why).substr(0, j.why.find(':')), j.test);
                             }) &&
         std::ranges::none_of(campaign.findings, [&](auto& f) { return answered_by(f.verdict, f.test); });
}

std::vector<trace::Judged> not_judged(const trace::CampaignRecord& campaign) {
  auto out = campaign.not_judged;
  for (const auto& row : campaign.cases) {
    auto head = row.outcome == "not_fired"    ? "the fault did not fire"
                : row.outcome == "incomplete" ? "incomplete"
                : row.outcome == "left"       ? "left untried"
                : taken_back(campaign, row)   ? oracles::kKnewItAgain.data()
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

std::vector<trace::Judged> seen_too(const trace::CampaignRecord& campaign) {
  std::vector<trace::Judged> out;
  for (const auto& row : campaign.cases)
    if (row.outcome == "seen_too" && !taken_back(campaign, row))
      out.push_back({row.test, row.site, row.service, row.operation, row.policy, row.plan, row.why});
  return out;
}

namespace {
// "<lease.Lease object at 0x7f6a182e0210>": "<lease.Lease object>".
std::string without_addresses(std::string text) {
  constexpr std::string_view kBegins = " at 0x";
  constexpr std::size_t kDigits = 6;
  for (std::size_t at = 0; (at = text.find(kBegins, at)) != text.npos;) {
    auto end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + kBegins.size()), text.size());
    if (end - at - kBegins.size() >= kDigits)
      text.erase(at, end - at);
    else
      at = end;
  }
  return text;
}
}  // namespace

std::vector<Reason> by_reason(const std::vector<trace::Judged>& judged) {
  std::vector<Reason> out;
  for (const auto& j : judged) {
    auto why = without_addresses(j.why);
    auto at = std::find_if(out.begin(), out.end(), [&](const Reason& reason) { return reason.why == why; });
    if (at == out.end()) at = out.insert(out.end(), Reason{why, {}});
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

std::string command_line(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const auto& word : words) parts.push_back(quoted(word));
  return joined(parts, " ");
}

bool lacks_secrets(const trace::CampaignRecord& campaign) {
  return std::ranges::any_of(campaign.command, [](auto& word) { return word.find(trace::kRedacted) != word.npos; });
}

std::string told_folder(const std::filesystem::path& folder, const std::filesystem::path& directory) {
  auto at = std::filesystem::absolute(folder).lexically_normal();
  if (at.parent_path() == directory / ".retrial") return {};
  auto below = at.lexically_relative(directory).string();
  return below.starts_with("..") ? at.string() : below;
}

namespace {
// Of the `observe` that shows it: one of several that are judged together has its own.
const std::vector<std::string>& options_of(const trace::CampaignRecord& campaign, const trace::Finding& finding) {
  auto shows = [&](auto& row) { return std::ranges::count(row.runs, finding.run) && !row.options.empty(); };
  auto row = std::ranges::find_if(campaign.cases, shows);
  return row == campaign.cases.end() ? campaign.options : row->options;
}
}  // namespace

std::string replay_command(const trace::CampaignRecord& campaign, const trace::Finding& finding) {
  bool observed = finding.policy == trace::kObserved;
  if (finding.policy == trace::kServed || (!observed && campaign.command.empty())) return {};
  auto from = campaign.folder.empty() ? "" : " --from " + quoted(campaign.folder);
  auto& of_it = options_of(campaign, finding);
  auto options = of_it.empty() ? "" : " " + command_line(of_it);
  auto line = observed ? fmt::format("retrial observe --inject {}{}", quoted(finding.fault), options)
                       : fmt::format("retrial replay {}{}", finding.id, from);
  if (!observed && !lacks_secrets(campaign)) return line;
  return line + " -- " + (campaign.command.empty() ? "COMMAND" : command_line(campaign.command));
}

std::vector<trace::Judged> clean(const trace::CampaignRecord& campaign, bool seen) {
  std::vector<trace::Judged> out;
  std::ranges::copy_if(campaign.clean, std::back_inserter(out), [&](auto& j) { return trace::is_seen(j) == seen; });
  return out;
}

std::string shown_service(const std::string& address) { return trace::one_for_all_ports(address); }
std::string_view called(std::string_view operation) { return operation.empty() ? "every call" : operation; }

static bool begins_program(std::string_view function) {
  static constexpr std::array<std::string_view, 5> kEntries{"main", "<module>", "<anonymous>", "main.main",
                                                            "Main.main"};
  return std::ranges::find(kEntries, function) != kEntries.end();
}
std::string place(const std::optional<trace::CallSite>& site) {
  constexpr std::size_t kLongest = 4, kOuter = 2;  // functions: what it was for is said by the outermost
  if (!site) return "no call site";
  auto frames = trace::frames_of(*site);
  if (frames.size() <= kLongest) return trace::show(*site);
  // Where a program begins says nothing of what it was for.
  while (frames.size() > kLongest && begins_program(frames.back().function)) frames.pop_back();
  auto out = trace::show(frames.front()) + " <- ...";
  for (auto it = frames.end() - kOuter; it != frames.end(); ++it) out += " <- " + trace::show(*it);
  return out;
}

std::string show_ms(double ms) {
  if (ms < 0) return "-" + show_ms(-ms);
  if (ms < 0.05) return "0 ms";
  if (ms < 9.95) return fmt::format("{:.1f} ms", ms);
  if (ms < 999.5) return fmt::format("{:.0f} ms", ms);
  return show_duration(static_cast<Nanos>(std::llround(ms * 1e6)));
}

std::string client_did(const trace::Finding& finding) {
  constexpr std::size_t kMostGaps = 6;
  if (trace::is_stressed(finding.policy) && finding.gaps_ms.empty())
    return counted(static_cast<std::size_t>(std::max(finding.attempts, 0)), "request") + " where there was most of it";
  auto text = counted(static_cast<std::size_t>(std::max(finding.attempts, 0)), "attempt");
  auto gaps = finding.gaps_ms;
  bool endless = finding.verdict == "missing-cap";
  // Read, changed and written anew, or sent with what does not let it in: that request is in the evidence too.
  bool another =
      finding.evidence.size() > 1 && (finding.verdict == "duplicate-effect" || finding.verdict == "stale-credentials");
  bool kept = finding.verdict == "kept-failure";
  auto then = kept      ? ", and nobody asks again"
              : another ? ", then another request"
              : endless ? ", then the same again and again"
                        : ", no retry";
  if (gaps.empty()) return finding.attempts != 1 ? text : text + then;
  if (gaps.size() == 1) return text + ", " + show_ms(gaps[0]) + " apart" + (endless ? then : "");
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
