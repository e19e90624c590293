#include "campaign/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace retrial::campaign::report {
namespace {
constexpr Meaning kMeanings[] = {
    {"duplicate-effect", "A call had its effect twice",
     "The client sent a request again after its answer was lost, and the service carried it out both times.",
     "Send an idempotency key or a condition with it, make the operation idempotent, or do not retry it after a loss."},
    {"retries-non-idempotent", "A request with an effect is sent again after a loss",
     "The client sent a request again that the service may already have carried out, and nothing in it prevents a "
     "second effect.",
     "Send an idempotency key or a condition with it, or do not retry it after a loss."},
    {"unrelated-exception", "The caller is told of another error than the one that happened",
     "The error that reaches the caller is not the one that happened: the retry met the first attempt's own effect, or "
     "the answer was taken for something that it is not.",
     "Read a retry's conflict or not-found as a sign that the first attempt may have succeeded, and look before "
     "failing; "
     "look at an answer's status before its body."},
    {"silent-wrong-result", "The result is wrong, and nobody is told",
     "After the fault the test finds another result than without it, and no error told of it.",
     "Look at what the retry repeats or leaves out: state kept between attempts, a body read once, a page fetched "
     "twice."},
    {"missing-delay", "Retries come without a delay",
     "Retries that follow at once add load to a service that has just said that it cannot take more.",
     "Wait between attempts, longer each time and with jitter (exponential back-off)."},
    {"no-backoff", "The delay between retries does not grow",
     "With a constant delay a service that is overloaded gets no rest, however long it lasts.",
     "Let the delay grow with each attempt, with jitter (exponential back-off)."},
    {"missing-cap", "Retries go on without end",
     "A call that never gives up holds its caller, and keeps its load on a service that is down.",
     "Limit the attempts, or the time that they may take together."},
    {"missing-timeout", "A call waits for ever",
     "A service that accepts a request and never answers would hold this caller for as long as it likes.",
     "Set a time-out on the request; of a gRPC call, a deadline."},
    {"ignores-retry-after", "The service's word on when to retry is not kept",
     "The service said when to come back, or not to come, and the client came earlier.",
     "Wait for as long as Retry-After (HTTP) or grpc-retry-pushback-ms says, and do not retry where the latter is "
     "negative."},
    {"retries-permanent-error", "An error that will not pass is retried",
     "The service's answer will be the same each time: the retries only cost time and load.",
     "Retry only what can pass: 408, 429, 500, 502, 503, 504 and what the service documents."},
    {"retry-amplification", "Retries multiply",
     "Several layers retry the same call, and their attempts multiply just when the service is weak.",
     "Let one layer retry, and switch the others off."},
    {"changed-on-retry", "A retry sends something else",
     "The retry differs from the attempt that it repeats in more than what retries may change.",
     "Build the request once, and send the same one again."},
    {"poisoned-connection", "A broken connection is used again",
     "After the fault the client went on with a connection whose state it could not know.",
     "Close a connection after an error in the middle of an exchange."},
    {"inconsistent-retry", "The same call is retried in one place and not in another",
     "Callers cannot rely on either behaviour.", "Give one client one retry policy."},
    {"crash", "The process died", "A fault of the network ended the process, and not only the call.",
     "Handle the error where the call is made."},
    {"hang", "The program stands still",
     "After the fault nothing was running, sent or awaited, and the test never ended.",
     "Look for a callback or promise that is not settled on this error."},
    {"lost-effect", "A write is missing", "The call ended in success, and the service does not have its effect.",
     "Do not report success before the service has."},
    {"resource-leak", "Something was left behind",
     "The fault left a resource that the same run without it does not leave.",
     "Release what was taken also on the way of the error."},
    {"state-divergence", "The service ends in another state",
     "After the call recovered the service's state differs from the run without the fault.",
     "Look at what the retry repeats or leaves out."},
    {"not-retried-transient", "A transient error is not retried",
     "The service's own code says that it may pass; the error went up to the caller.",
     "Retry it if the caller cannot, with back-off and a limit."},
    {"cap-not-seen", "The limit of the retries was not reached", "The client was still retrying when the case ended.",
     "See that there is a limit, and that it is one that a caller can wait for."},
    {"retry-budget", "Retries are limited over many calls",
     "The client stopped retrying because earlier calls had used its budget.", ""},
    {"hedging", "Requests are sent twice on purpose", "The client sent a second request before the first had failed.",
     ""},
    {"no-agent", "No call sites could be read",
     "A process without an agent sent requests: its calls are known by operation alone.", ""},
};
constexpr Meaning kUnknown = {"", "", "", ""};
}  // namespace

const Meaning& meaning_of(std::string_view name) {
  for (const auto& meaning : kMeanings)
    if (meaning.name == name) return meaning;
  return kUnknown;
}

bool Cause::accepted() const {
  return std::all_of(findings.begin(), findings.end(), [](const trace::Finding* f) { return f->accepted; });
}

const trace::Finding& Cause::surest() const {
  return **std::max_element(findings.begin(), findings.end(),
                            [](auto* a, auto* b) { return a->confidence < b->confidence; });
}

std::vector<Cause> causes(const std::vector<trace::Finding>& findings) {
  std::vector<Cause> out;
  for (const auto& finding : findings) {
    auto same = [&](const Cause& cause) {
      const auto& first = *cause.findings.front();
      return cause.verdict == finding.verdict && cause.site == finding.site && first.operation == finding.operation &&
             first.service == finding.service && (first.attempts > 1) == (finding.attempts > 1);
    };
    auto at = std::find_if(out.begin(), out.end(), same);
    if (at == out.end()) at = out.insert(out.end(), Cause{finding.verdict, finding.site, {}});
    at->findings.push_back(&finding);
  }
  std::stable_partition(out.begin(), out.end(), [](const Cause& cause) { return !cause.accepted(); });
  return out;
}

bool counts(const trace::Finding& finding, trace::Confidence fail_on) {
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

std::size_t cases_run(const trace::CampaignRecord& campaign) {
  return static_cast<std::size_t>(std::count_if(campaign.cases.begin(), campaign.cases.end(),
                                                [](const trace::CaseRecord& row) { return !row.runs.empty(); }));
}

std::string more(std::string_view verdict) { return fmt::format("docs/verdicts.md#{}", verdict); }

std::string_view advice(const trace::Finding& finding) {
  return finding.advice.empty() ? meaning_of(finding.verdict).mend : finding.advice;
}

namespace {
// As a shell reads it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}
}  // namespace

std::string again(const trace::CampaignRecord& campaign, const trace::Finding& finding) {
  if (finding.policy == trace::kServed) return {};
  if (finding.policy != trace::kObserved) return "retrial replay " + finding.id;
  auto line = fmt::format("retrial observe --inject {} --", quoted(finding.fault));
  for (const auto& word : campaign.command) line += " " + quoted(word);
  return campaign.command.empty() ? line + " COMMAND" : line;
}

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
