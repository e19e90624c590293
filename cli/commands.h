#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace retrial::cli {

// Exit statuses (design): 0 nothing to say, 1 a confirmed finding, 2 wrong usage or configuration, 3 nothing to try, or
// nothing that could be judged, 4 incomplete, 130 interrupted.
enum Status { kFine = 0, kFindings = 1, kUsage = 2, kNothing = 3, kIncomplete = 4, kInterrupted = 130 };

// One file a command. Each adds its subcommand to `app`; when it has run, `status` holds the exit status.
void add_run(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_learn(CLI::App& app, int& status);
void add_predict(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_replay(CLI::App& app, int& status);
void add_observe(CLI::App& app, int& status);
void add_judge(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_ca(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_envoy(CLI::App& app, int& status);
void add_look(CLI::App& app, int& status);
void add_each(CLI::App& app, int& status);
void add_health(CLI::App& app, int& status);
void add_ctl(CLI::App& app, int& status);
void add_redirect(CLI::App& app, int& status);
void add_compose(CLI::App& app, int& status);
void add_inject(CLI::App& app, int& status);
void add_webhook(CLI::App& app, int& status);
void add_init(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_man(CLI::App& app, int& status);
void add_scan(CLI::App& app, int& status);
void add_stress(CLI::App& app, int& status);

// Prints "retrial: LINE" to stderr, and gives `status` back.
int complain(const std::string& line, int status);

// A new folder for a campaign: `out` (new, empty, or an earlier campaign's, which is emptied) or .retrial/<local time>.
// .retrial/latest will name it, unless `latest` is false.
Result<std::filesystem::path> make_folder(const std::string& out, bool latest = true);
// Of the campaign that was made last.
inline constexpr auto kLatest = ".retrial/latest";
// That a campaign's folder is there; an error says what is in its place.
Result<void> check_folder(const std::filesystem::path& folder);
// A folder beside the campaigns: `out`, which may hold earlier traces, or .retrial/<command>-<local time>.
Result<std::filesystem::path> make_side_folder(const std::string& out, const std::string& command);
// One that stays: .retrial/<name>.
Result<std::filesystem::path> make_kept_folder(const std::string& name);

}  // namespace retrial::cli
