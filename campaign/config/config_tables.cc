#include "campaign/config/config_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "campaign/config/named_file.h"
#include "checkers/file.h"
#include "policies/policy.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
using trace::ConfigTable;

namespace {

constexpr std::string_view kRunKeys[] = {"coverage", "once",   "policies", "workers",   "fail_on",
                                         "hold",     "budget", "tags",     "real_time", "application"};
constexpr std::string_view kChecksKeys[] = {"file"};
constexpr std::string_view kRedactKeys[] = {"names", "bodies"};
constexpr std::string_view kProcessKeys[] = {"match", "restart"};
constexpr std::string_view kAcceptKeys[] = {"finding", "why"};
constexpr std::string_view kCoverages[] = {"c0", "c1", "c2", "c3", "c4"};
constexpr std::string_view kConfidences[] = {"certain", "likely", "possible"};
constexpr std::string_view kTags[] = {"strip", "keep"};

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& policy : policies::policies()) names.push_back(lower(policy.name));
  return names;
}

}  // namespace

std::span<const std::string_view> run_keys() { return kRunKeys; }

void read_run(ConfigTable table, RunSettings& run) {
  table.only(kRunKeys);
  if (auto coverage = table.word("coverage", kCoverages)) run.coverage = *coverage;
  run.once = table.yes("once").value_or(false);
  auto names = policy_names();
  std::vector<std::string_view> known(names.begin(), names.end());
  run.policies = table.words("policies", known);
  if (auto workers = table.number("workers", 1, 1024)) run.workers = static_cast<int>(*workers);
  if (auto level = table.word("fail_on", kConfidences))
    run.fail_on = *level == "certain"  ? trace::Confidence::certain
                  : *level == "likely" ? trace::Confidence::likely
                                       : trace::Confidence::possible;
  if (auto hold = table.duration("hold", "30s")) run.hold = run.client_hold = *hold;
  if (auto budget = table.duration("budget", "10m")) run.budget = *budget;
  if (auto tags = table.word("tags", kTags)) run.keep_tags = *tags == "keep";
  run.real_time = table.yes("real_time").value_or(false);
  run.application = table.texts("application");
}

void read_process(ConfigTable table, Process& process) {
  table.only(kProcessKeys);
  process.match = table.text("match").value_or(process.name);
  if (process.match.empty()) table.refuse("match", "expected a part of its command line");
  auto restart = table.text("restart");
  if (!restart || restart->find_first_not_of(" \t") == restart->npos)
    table.refuse("restart", "expected a shell command that starts it again, {} for the command line that it had");
  else
    process.restart = *restart;
}

void read_redact(ConfigTable table, RedactSettings& redact) {
  table.only(kRedactKeys);
  redact.names = table.texts("names");
  if (!std::ranges::all_of(redact.names, trace::can_be_secret_name))
    table.refuse("names", "expected names of headers, query keys or fields, with a letter or a digit in each");
  redact.bodies = table.yes("bodies").value_or(true);
}

void read_checks(ConfigTable table, std::string_view file, std::vector<checkers::Checker>& checkers) {
  table.only(kChecksKeys);
  auto said = file_in(table, "file", file);
  if (!said) {
    if (!table.has("file")) table.refuse("file", "expected the file that `retrial learn` has written");
    return;
  }
  if (auto read = checkers::parse(said->second, said->first))
    checkers = std::move(*read);
  else
    table.refuse("file", fmt::format("expected checkers ({})", read.error().line()));
}

void read_accept(ConfigTable table, std::vector<Accept>& accepted) {
  table.only(kAcceptKeys);
  auto finding = table.text("finding");
  auto is_hex = [](const std::string& id) {
    return id.size() == 8 && id.find_first_not_of("0123456789abcdef") == id.npos;
  };
  if (!table.has("finding") || (finding && !is_hex(*finding)))
    table.refuse("finding", "expected a finding's id of eight hex digits, as the report shows it");
  if (finding) accepted.push_back({*finding, table.text("why").value_or("")});
}

}  // namespace retrial::campaign
