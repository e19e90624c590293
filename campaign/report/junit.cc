#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/escape.h"
#include "campaign/report/registry.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {

// A judged case, and all that was said of it.
struct TestCase {
  trace::Judged of;
  std::vector<const trace::Finding*> findings;
  bool clean = false;
  std::string skipped;
};

bool same(const trace::Judged& a, const trace::Judged& b) {
  return a.test == b.test && a.site == b.site && a.service == b.service && a.operation == b.operation &&
         a.policy == b.policy && a.fault == b.fault;
}

std::vector<TestCase> test_cases(const trace::CampaignRecord& campaign) {
  std::vector<TestCase> cases;
  auto at = [&](const trace::Judged& of) -> TestCase& {
    auto found = std::find_if(cases.begin(), cases.end(), [&](const TestCase& c) { return same(c.of, of); });
    if (found != cases.end()) return *found;
    return cases.emplace_back(TestCase{of, {}, false, ""});
  };
  for (const auto& f : campaign.findings)
    at({f.test, f.site, f.service, f.operation, f.policy, f.fault, ""}).findings.push_back(&f);
  for (const auto& j : campaign.clean) at(j).clean = true;
  for (const auto& j : not_judged(campaign)) at(j).skipped = j.why.empty() ? "not judged" : j.why;
  return cases;
}

std::string text_of(const trace::CampaignRecord& campaign, const trace::Finding& f) {
  return fmt::format(
      "{}\n{}\nmore: {}\ncall site: {}{}\noperation: {} at {}\ntest: {}\nfault: {} ({})\nclient: {}\nconfidence: "
      "{}{}{}{}\n{}\n",
      f.message, advice(f), explain_command(f.verdict), place(f.site),
      f.retried_by.empty() ? "" : "\nretry: " + f.retried_by, f.operation, f.service, f.test, f.fault, f.policy,
      client_did(f), trace::show(f.confidence), f.confirmed ? "" : ", not confirmed", f.accepted ? ", accepted" : "",
      f.known ? ", known" : "", replay_command(campaign, f));
}

bool fails(const TestCase& c, trace::Confidence fail_on) {
  return std::any_of(c.findings.begin(), c.findings.end(), [&](auto* f) { return fails_run(*f, fail_on); });
}
bool skips(const TestCase& c) { return c.findings.empty() && !c.clean; }

std::string element(const trace::CampaignRecord& campaign, const TestCase& c, trace::Confidence fail_on) {
  auto class_name = c.of.site ? c.of.site->file : c.of.service;
  auto at = c.of.site ? fmt::format("{}:{} ", c.of.site->function, c.of.site->line) : "";
  if (c.of.site)
    for (auto& caller : trace::frames_of(*c.of.site) | std::views::drop(1))
      at += fmt::format("<- {} ", caller.function);
  auto name = fmt::format("{}{} [{}: {}]{}", at, called(c.of.operation), c.of.policy, c.of.fault,
                          c.of.test.empty() ? "" : " in " + c.of.test);
  auto out = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escape(class_name), escape(name));
  std::string inner, aside;
  for (const auto* f : c.findings) {
    if (fails_run(*f, fail_on))
      inner +=
          fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", escape(f->verdict),
                      escape(fmt::format("{}: {}", f->verdict, one_line(f->message))), escape(text_of(campaign, *f)));
    else
      aside += fmt::format("{} (does not fail the run)\n{}\n", f->verdict, text_of(campaign, *f));
  }
  if (skips(c)) inner += fmt::format("      <skipped message=\"{}\"/>\n", escape(one_line(c.skipped)));
  if (!aside.empty()) inner += fmt::format("      <system-out>{}</system-out>\n", escape(aside));
  return out + (inner.empty() ? "/>\n" : ">\n" + inner + "    </testcase>\n");
}

std::string junit_text(const ReportInput& input) {
  auto& campaign = input.campaign;
  auto cases = test_cases(campaign);
  auto failures = std::count_if(cases.begin(), cases.end(), [&](auto& c) { return fails(c, input.fail_on); });
  auto skipped = std::count_if(cases.begin(), cases.end(), skips);
  auto seconds = fmt::format("{:.3f}", static_cast<double>(campaign.took) / kSecond);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"retrial\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{}\">\n",
                     cases.size(), failures, seconds);
  out += fmt::format(
      "  <testsuite name=\"retrial\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\" "
      "timestamp=\"{:%Y-%m-%dT%H:%M:%S}\">\n",
      cases.size(), failures, skipped, seconds, fmt::gmtime(static_cast<std::time_t>(campaign.wall_began / kSecond)));
  for (const auto& c : cases) out += element(campaign, c, input.fail_on);
  if (!campaign.incomplete.empty())
    out += fmt::format("    <system-err>{}</system-err>\n", escape("incomplete: " + campaign.incomplete));
  return out + "  </testsuite>\n</testsuites>\n";
}
}  // namespace

// As Jenkins reads it: a testcase a judged case; a failure for each finding at or above `fail_on` that is confirmed and
// not accepted; skipped where it could not be judged. Characters that XML 1.0 cannot hold become U+FFFD.
const Format& junit_format() {
  static const Format format{.file = "junit.xml", .text = junit_text};
  return format;
}

}  // namespace retrial::campaign::report
