#include "campaign/report/html_finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "campaign/report/growth_chart.h"
#include "campaign/report/rpc_words.h"
#include "campaign/report/waterfall.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {
using trace::Call;
using trace::Exchange;
using trace::Run;

constexpr std::size_t kFirstShown = 3, kLastShown = 1;  // attempts of a call whose heads and bodies are in the page

const Run* run_of(const RunsById& runs, std::uint64_t id) {
  auto at = runs.find(id);
  return at == runs.end() ? nullptr : at->second;
}

// The calls that its evidence belongs to, the one that it is about first.
std::vector<const Call*> calls_about(const std::vector<Call>& calls, const trace::Finding& f) {
  std::vector<const Call*> about;
  for (auto id : f.evidence)
    for (const auto& call : calls)
      if (std::ranges::any_of(call.attempts, [&](auto* e) { return e->id == id; }) &&
          std::ranges::find(about, &call) == about.end())
        about.push_back(&call);
  return about;
}

std::vector<const Call*> partners(const std::vector<Call>& calls, const std::vector<const Call*>& of) {
  std::vector<const Call*> same;
  for (auto* call : of)
    for (const auto& c : calls)
      if (c.site == call->site && c.operation == call->operation && c.occurrence == call->occurrence) {
        same.push_back(&c);
        break;
      }
  return same;
}

const Call* first_of(const std::vector<const Call*>& calls) { return calls.empty() ? nullptr : calls.front(); }

std::string lines(const std::vector<trace::Header>& headers) {
  std::string text;
  for (const auto& h : headers) text += fmt::format("\n{}: {}", h.name, h.value);
  return text;
}
// `more`: what stands behind the body.
std::string message(std::string_view first_line, const std::vector<trace::Header>& headers, std::string_view sample,
                    std::uint64_t bytes, bool binary, std::string_view more = {}) {
  auto text = std::string(first_line) + lines(headers);
  if (!sample.empty()) text += "\n\n" + (binary ? printable(sample) : std::string(sample));
  if (bytes > sample.size()) text += fmt::format("\n… {} bytes in all", bytes);
  if (!more.empty()) text.append("\n").append(more);
  return "<pre tabindex=\"0\">" + escape(text) + "</pre>";
}

std::string exchange_block(const Run& run, const Exchange& e, std::string_view which) {
  auto out = fmt::format("<div class=\"exchange\"><h5>{}, attempt {}: the client was told: {}</h5>", which, e.attempt,
                         escape(told_as(run, e)));
  if (e.fired)
    out += fmt::format("<p class=\"small\"><code>{}</code> on a {} connection: {}</p>", escape(trace::show(e.fault)),
                       e.fresh ? "fresh" : "reused", escape(e.evidence));
  if (auto facts = rpc_facts(e); !facts.empty()) out += fmt::format("<p class=\"small\">{}</p>", escape(facts));
  out += "<div class=\"sides\"><div><h5>Request</h5>" +
         message(e.method + " " + e.target, e.request_headers, e.request_sample, e.request_bytes, e.grpc.is) + "</div>";
  out += "<div><h5>The service's answer</h5>";
  auto status = trace::status_of(e, e.service_status);
  if (e.service_status)
    out += message(e.grpc.message.empty() ? status : status + ": " + e.grpc.message, e.response_headers,
                   e.response_sample, e.response_bytes, e.grpc.is, lines(e.trailers));
  else
    out += "<p class=\"small soft\">None.</p>";
  return out + "</div></div></div>";
}

std::string exchanges(const Run& run, const Call* call, std::string_view which) {
  if (!call) return "";
  std::string out;
  auto count = call->attempts.size();
  for (std::size_t i = 0; i < count; i++) {
    if (i == kFirstShown && count > kFirstShown + kLastShown) {
      auto skipped = count - kFirstShown - kLastShown;
      out += fmt::format("<p class=\"small soft\">{} in campaign.db</p>", counted(skipped, "more attempt"));
      i += skipped;
    }
    out += exchange_block(run, *call->attempts[i], which);
  }
  return out;
}

// Where who died, or came first, is what it is about.
Lanes lanes_of(const Run& in_case, const std::vector<const Call*>& about) {
  auto died = [](auto& e) { return e.fired && trace::ends_sender(e.fault); };
  auto another = [&](auto* call) { return call->first().pid != about.front()->first().pid; };
  bool processes = std::ranges::any_of(in_case.exchanges, died) || std::ranges::any_of(about, another);
  return processes ? Lanes::by_process : Lanes::none;
}

std::string panel(const Run& run, const std::vector<Call>& calls, const std::vector<const Call*>& about, Lanes lanes,
                  std::string_view caption, std::string_view what) {
  if (calls.empty()) return "";
  std::set<std::uint64_t> focus;
  for (auto* call : about) focus.insert(call->id);
  auto title = fmt::format("{}: {}", caption, what);
  return fmt::format(
      "<figcaption><b>{}</b> <span class=\"soft\">{}</span></figcaption><div class=\"scroll\" tabindex=\"0\">{}</div>",
      caption, escape(what), waterfall(run, calls, focus, title, lanes));
}

constexpr std::string_view kLegend =
    "<figcaption class=\"legend\"><span class=\"key\" style=\"background:var(--bar-good)\"></span>answered"
    "<span class=\"key\" style=\"background:var(--bar-bad)\"></span>failed by itself"
    "<span class=\"key\" style=\"background:var(--bar-fault)\"></span>fault, × where the client was told"
    "&emsp;○ the service's own answer&emsp;┄ the client waited</figcaption>";

bool of_a_plan(const trace::Finding& f) { return f.policy != trace::kObserved && f.policy != trace::kServed; }

std::string_view standing_of(const trace::Finding& f) {
  if (!f.confirmed) return "not confirmed";
  if (trace::is_stressed(f.policy)) return "seen at several sizes, and not without the fault";
  return of_a_plan(f) ? "seen again with the fault, and not without it" : "seen in the runs that there are";
}

std::string row(std::string_view name, std::string_view html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>", name, html);
}
}  // namespace

std::string html_finding(const trace::CampaignRecord& campaign, const trace::Finding& f, const RunsById& runs) {
  auto out = fmt::format(
      "<article class=\"finding\" id=\"f-{0}\"><h4><code>{1}</code> <span class=\"soft\">at {2}</span></h4>",
      escape(f.id), escape(f.operation), escape(f.service.empty() ? "an unknown service" : shown_service(f.service)));
  out += "<p>" + escape(f.message) + "</p>";
  if (auto right = advice(f); !right.empty())
    out += fmt::format("<p class=\"right\">{} <a href=\"#v-{}\">More</a></p>", escape(right), escape(f.verdict));
  out += "<dl>";
  out += row(
      "On the wire",
      fmt::format("<code>{}</code>", escape(f.fault)) +
          (of_a_plan(f) ? fmt::format(" <span class=\"soft\">(policy {})</span>", escape(f.policy)) : std::string()));
  out += row("The client", escape(client_did(f)));
  if (f.site && !f.site->callers.empty())
    out += row("Call site", "<span class=\"mono small\">" + escape(trace::show(*f.site)) + "</span>");
  if (!f.retried_by.empty()) out += row("Sent again by", "<code>" + escape(f.retried_by) + "</code>");
  if (!f.test.empty()) out += row("Test", "<span class=\"mono small\">" + escape(f.test) + "</span>");
  auto standing = fmt::format("{}, {}{}", trace::show(f.confidence), standing_of(f),
                              f.accepted ? "; accepted in retrial.toml"
                              : f.known  ? "; known"
                                         : "");
  out += row("Confidence", standing);
  if (auto command = replay_command(campaign, f); !command.empty())
    out += row("Again", "<code>" + escape(command) + "</code>");
  out += "</dl>";

  const auto* in_case = run_of(runs, f.run);
  const auto* reference = run_of(runs, f.reference);
  if (!in_case) return out + "</article>\n";
  auto case_calls = trace::calls_of(*in_case);
  auto about = calls_about(case_calls, f);
  if (auto chart = growth_chart(campaign, f, runs); !chart.empty()) out += "<figure>" + chart + "</figure>";
  auto reference_calls = reference ? trace::calls_of(*reference) : std::vector<Call>{};
  auto before = partners(reference_calls, about);
  auto lanes = lanes_of(*in_case, about);
  out += "<figure>";
  if (reference) out += panel(*reference, reference_calls, before, lanes, "Reference", "the same test without a fault");
  out += panel(*in_case, case_calls, about, lanes, "Case", f.fault);
  out += std::string(kLegend) + "</figure>";
  if (auto* call = first_of(about))
    out += fmt::format("<details class=\"more\"><summary>Heads and bodies of this call</summary>{}{}</details>",
                       reference ? exchanges(*reference, first_of(before), "Reference") : "",
                       exchanges(*in_case, call, "Case"));
  return out + "</article>\n";
}

}  // namespace retrial::campaign::report
