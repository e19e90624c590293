#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/campaign_record.h"

// The words that all formats share.
namespace retrial::campaign::report {

// Confirmed, neither accepted nor known, at or above `fail_on`.
bool fails_run(const trace::Finding& finding, trace::Confidence fail_on);

// How many of the findings fail the run, and why the others do not: one sentence. There is one finding at least.
std::string failing_line(const std::vector<trace::Finding>& findings, trace::Confidence fail_on);

// What a campaign that found nothing has not tried unless it was asked for; empty: it was, or nothing was judged.
std::string not_tried(const trace::CampaignRecord& campaign);

// What was not judged, with why: also cases that were left untried, whose fault never fired or whose runs are
// incomplete.
std::vector<trace::Judged> not_judged(const trace::CampaignRecord& campaign);
// Cases that showed in company what a finding elsewhere was confirmed for; `why` names it.
std::vector<trace::Judged> seen_too(const trace::CampaignRecord& campaign);

// The same by why, in the order of the first of each: one reason (a service's state, the budget) often keeps many cases
// from being judged. Addresses of objects, another in each run, are left out of it. Points into what it is given.
struct Reason {
  std::string why;
  std::vector<const trace::Judged*> judged;  // never empty
};
std::vector<Reason> by_reason(const std::vector<trace::Judged>& judged);

// Of a connection that passed unopened, or unseen.
std::string left_as_it_is(const std::string& connection);

// How many cases were run.
std::size_t cases_run(const trace::CampaignRecord& campaign);

// The command that explains a verdict, wherever the reader is: "retrial explain missing-delay".
std::string explain_command(std::string_view verdict);
// What a right client would have done: the finding's own word, else what is usually done about such a one.
std::string_view advice(const trace::Finding& finding);
// CampaignRecord::folder of a campaign that is put into `folder`.
std::string told_folder(const std::filesystem::path& folder, const std::filesystem::path& directory);
// The command that shows it again; empty where none does (it was seen in the traffic of `serve`).
// With `***` where the command held secrets, for whoever knows them.
std::string replay_command(const trace::CampaignRecord& campaign, const trace::Finding& finding);

// Of what was judged and nothing found of: those that show what became of the error, or those that do not.
std::vector<trace::Judged> clean(const trace::CampaignRecord& campaign, bool seen);
inline constexpr std::string_view kUnseenTitle = "Went on after the error, and nothing shows what was made of it";

std::string command_line(const std::vector<std::string>& words);  // as a shell reads it

// Did the command hold secrets? They were not kept.
bool lacks_secrets(const trace::CampaignRecord& campaign);

// A service as people read it: at ports that change one word stands for all, by which a test's own are not told apart.
std::string shown_service(const std::string& address);
std::string_view called(std::string_view operation);            // itself; of a command whose every call is meant, that
std::string quoted(const std::string& word);                    // as a shell reads it
std::string place(const std::optional<trace::CallSite>& site);  // of a long chain its ends; or "no call site"
std::string client_did(const trace::Finding& finding);          // "2 attempts, 9 ms apart"
std::string show_ms(double ms);                                 // "0.3 ms" "9 ms" "4.0 s"
std::string counted(std::size_t n, std::string_view one, std::string_view many = {});  // "1 case", "2 cases"
std::string joined(const std::vector<std::string>& parts, std::string_view by);

}  // namespace retrial::campaign::report
