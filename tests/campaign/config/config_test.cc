#include "campaign/config/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace retrial::campaign {
namespace {

// The one line that a user sees for this text; "" if it is right.
std::string complaint(std::string_view text) {
  auto config = parse_config(text, "retrial.toml");
  if (config) return "";
  EXPECT_EQ(config.error().blame, Blame::user);
  EXPECT_EQ(config.error().line().find('\n'), std::string::npos);
  return config.error().line();
}

TEST(Config, an_empty_file_gives_the_defaults) {
  auto config = parse_config("", "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->run.coverage, "");
  EXPECT_TRUE(config->run.policies.empty());
  EXPECT_EQ(config->run.workers, 0);
  EXPECT_EQ(config->run.fail_on, trace::Confidence::likely);
  EXPECT_EQ(config->run.hold, 30 * kSecond);
  EXPECT_EQ(config->run.client_hold, 7200 * kSecond);
  EXPECT_EQ(config->run.budget, 0);
  EXPECT_FALSE(config->run.keep_tags);
  EXPECT_FALSE(config->run.real_time);
  EXPECT_TRUE(config->services.empty());
  EXPECT_TRUE(config->accepted.empty());
}

TEST(Config, every_key_of_run_is_read) {
  auto config = parse_config(R"(
[run]
coverage = "c0"
policies = ["P3", "k1"]
workers  = 4
fail_on  = "certain"
hold     = "310s"
budget   = "10m"
tags     = "keep"
real_time = true
application = ["webdav4"]
)",
                             "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->run.policies, (std::vector<std::string>{"p3", "k1"}));
  EXPECT_EQ(config->run.workers, 4);
  EXPECT_EQ(config->run.fail_on, trace::Confidence::certain);
  EXPECT_EQ(config->run.hold, 310 * kSecond);
  EXPECT_EQ(config->run.client_hold, 310 * kSecond);
  EXPECT_EQ(config->run.budget, 600 * kSecond);
  EXPECT_TRUE(config->run.keep_tags);
  EXPECT_TRUE(config->run.real_time);
  EXPECT_EQ(config->run.application, std::vector<std::string>{"webdav4"});
}

TEST(Config, services_come_in_the_order_of_the_file_with_their_ways_to_start_wait_and_reset) {
  auto config = parse_config(R"(
[service.queue]
address = "127.0.0.1:10001"
profile = "azure-storage"
start   = "npx azurite --silent"
reset   = "restart"
[service.blob]
address = "[0:0::1]:10000"
ready   = "http:/health?deep=1"
reset   = "./clean.sh --all"
allow   = true
[service.aws]
start = "moto_server"
ready = 'log:Running on .*:\d+'
reset = "none"
[service.db]
address = "localhost:5432"
ready = "pg_isready -q"
)",
                             "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  ASSERT_EQ(config->services.size(), 4u);
  const auto& queue = config->services[0];
  EXPECT_EQ(queue.name, "queue");
  EXPECT_EQ(queue.profile, "azure-storage");
  EXPECT_EQ(queue.start, "npx azurite --silent");
  EXPECT_EQ(queue.ready.kind, Ready::Kind::tcp)
      << "where it is started and has an address, a connect shows that it is up";
  EXPECT_EQ(queue.reset.kind, Reset::Kind::restart);
  const auto& blob = config->services[1];
  EXPECT_EQ(blob.ready.kind, Ready::Kind::http);
  EXPECT_EQ(blob.ready.text, "/health?deep=1");
  EXPECT_EQ(blob.reset.kind, Reset::Kind::command);
  EXPECT_EQ(blob.reset.command, "./clean.sh --all");
  EXPECT_TRUE(blob.allow);
  EXPECT_FALSE(blob.start);
  EXPECT_EQ(config->services[2].ready.kind, Ready::Kind::log);
  EXPECT_EQ(config->services[2].ready.text, R"(Running on .*:\d+)");
  EXPECT_EQ(config->services[3].address, "127.0.0.1:5432") << "as the traffic shows it";
  EXPECT_EQ(config->services[3].ready.kind, Ready::Kind::command);
  EXPECT_EQ(config->services[3].ready.text, "pg_isready -q");
  EXPECT_EQ(config->at("[::1]:10000"), &blob);
  EXPECT_EQ(config->at("127.0.0.1:9"), nullptr);
  EXPECT_EQ(config->at(""), nullptr) << "a service without address is none that is asked for by address";
}

TEST(Config, accepted_findings_are_known_by_their_ids) {
  auto config =
      parse_config("[[accept]]\nfinding = \"8f3a61c2\"\nwhy = \"the reader is idempotent\"\n", "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_TRUE(config->accepts("8f3a61c2"));
  EXPECT_FALSE(config->accepts("8f3a61c3"));
  EXPECT_EQ(config->accepted[0].why, "the reader is idempotent");
}

TEST(Config, a_key_with_a_line_break_is_told_in_one_line) {
  EXPECT_EQ(complaint("[run]\n\"\\nbudget\" = 1\n").find('\n'), std::string::npos);
}

TEST(Config, paths_of_files_are_trees) {
  auto config = parse_config("[service.s]\npaths = [\"/files/**\", \"/**\"]\n", "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->trees(), (std::set<std::string, std::less<>>{"", "/files"}));
  for (auto bad : {"/files", "files/**", "/a/*/**", "/a/{id}/**", "/**/**"})
    EXPECT_NE(complaint(fmt::format("[service.s]\npaths = \"{}\"\n", bad)).find("expected paths that end in /**"),
              std::string::npos)
        << bad;
}

TEST(Config, an_unknown_key_is_named_with_line_and_the_nearest_known_key) {
  EXPECT_EQ(
      complaint("[run]\nworkers = 2\nfail_onn = \"likely\"\n"),
      "retrial.toml:3: [run] fail_onn: unknown key, expected one of coverage, once, policies, workers, fail_on, hold, "
      "budget, "
      "tags, real_time, application, did you mean \"fail_on\"?");
  EXPECT_EQ(complaint("[service.queue]\nadress = \"127.0.0.1:1\"\n"),
            "retrial.toml:2: [service.queue] adress: unknown key, expected one of address, profile, openapi, look, "
            "paths, start, ready, "
            "reset, data, allow, ca, pin, verify, certificate, key, server_name, close_notify, connect_timeout, "
            "resolve_timeout, faults_per_minute, faults_share, own_errors, own_latency, "
            "did you mean \"address\"?");
  EXPECT_EQ(complaint("[[accept]]\nfinding = \"00000000\"\nreason = \"\"\n"),
            "retrial.toml:3: [[accept]] reason: unknown key, expected one of finding, why");
}

TEST(Config, a_process_is_known_by_its_name_or_by_what_its_command_line_holds_and_says_what_starts_it_again) {
  auto config = parse_config(
      "[process.worker]\nrestart = \"exec {}\"\n[process.other]\nmatch = \"other.py 1\"\nrestart = \"make\"\n",
      "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  ASSERT_EQ(config->processes.size(), 2u);
  EXPECT_EQ(config->processes[0].match, "other.py 1");
  EXPECT_EQ(config->processes[1].match, "worker");
  EXPECT_EQ(config->processes[1].restart, "exec {}");
  EXPECT_EQ(
      complaint("[process.worker]\nrestart = \"x\"\nmach = \"y\"\n"),
      "retrial.toml:3: [process.worker] mach: unknown key, expected one of match, restart, did you mean \"match\"?");
  EXPECT_TRUE(complaint("[process.worker]\nmatch = \"x\"\n")
                  .ends_with("expected a shell command that starts it again, {} for the command line that it had"));
  EXPECT_EQ(complaint("process = 1\n"),
            "retrial.toml:1: process: expected tables [process.NAME], one a process that the tests start");
}

TEST(Config, an_unknown_table_is_named_with_line_and_the_nearest_known_table) {
  EXPECT_EQ(complaint("\n[servic.queue]\n"), "retrial.toml:2: servic: unknown table, did you mean \"service\"?");
  EXPECT_EQ(complaint("[monitoring]\n"),
            "retrial.toml:1: monitoring: unknown table, "
            "expected [run], [serve], [admin], [safety], [telemetry], [service.NAME], [profile.NAME], [process.NAME], "
            "[redact], [checks], [[listener]], [[rule]] or [[accept]]");
  EXPECT_EQ(complaint("policies = [\"p1\"]\n"), "retrial.toml:1: policies: a key of [run], expected below that line");
}

TEST(Config, checks_need_a_file_of_checkers) {
  EXPECT_EQ(complaint("[checks]\n"),
            "retrial.toml:1: [checks] file: expected the file that `retrial learn` has written");
  EXPECT_TRUE(complaint("[checks]\nfile = \"/nonexistent/c.toml\"\n").contains("expected the path of a file"));
}

TEST(Config, an_unknown_coverage_is_refused) {
  EXPECT_EQ(complaint("[run]\ncoverage = \"all\"\n"),
            "retrial.toml:2: [run] coverage: expected \"c0\", \"c1\", \"c2\", \"c3\" or \"c4\", found \"all\"");
}

TEST(Config, a_wrong_value_is_answered_with_what_was_expected) {
  EXPECT_EQ(complaint("[run]\npolicies = [\n  \"p1\",\n  \"p9\"]\n"),
            "retrial.toml:4: [run] policies: expected \"p3\", \"p1\", \"k1\", \"k2\", \"p4\", \"p2\", \"k3\", \"k4\", "
            "\"p1+\", "
            "\"n1\", \"n2\", \"r1\", \"b1\", \"b2\", \"order\" or \"tof\", found "
            "\"p9\", did you "
            "mean \"p3\"?");
  EXPECT_EQ(complaint("[run]\nfail_on = \"sure\"\n"),
            "retrial.toml:2: [run] fail_on: expected \"certain\", \"likely\" or \"possible\", found \"sure\"");
  EXPECT_EQ(
      complaint("[run]\nfail_on = \"likley\"\n"),
      "retrial.toml:2: [run] fail_on: expected \"certain\", \"likely\" or \"possible\", found \"likley\", did you mean "
      "\"likely\"?");
  EXPECT_EQ(complaint("[run]\nhold = \"30\"\n"),
            "retrial.toml:2: [run] hold: expected a duration such as \"30s\", found \"30\"");
  EXPECT_EQ(complaint("[run]\nworkers = 0\n"),
            "retrial.toml:2: [run] workers: expected a whole number from 1 to 1024, found 0");
  EXPECT_EQ(complaint("[service.q]\naddress = \"ftp://127.0.0.1:1\"\n"),
            "retrial.toml:2: [service.q] address: expected a host and a port, such as \"127.0.0.1:10001\" or "
            "\"https://queue.example:443\", found "
            "\"ftp://127.0.0.1:1\"");
  EXPECT_EQ(
      complaint("[service.q]\naddress = \"127.0.0.1:1\"\nready = \"tcpp\"\n"),
      "retrial.toml:3: [service.q] ready: expected \"tcp\", \"http:/path\", \"log:REGEX\" or a shell command, found "
      "\"tcpp\", did you mean \"tcp\"?");
  EXPECT_EQ(complaint("[service.q]\nstart = \"x\"\nreset = \"restrat\"\n"),
            "retrial.toml:3: [service.q] reset: expected \"restart\", \"none\" or a shell command, found \"restrat\", "
            "did you mean "
            "\"restart\"?");
  EXPECT_EQ(
      complaint("[[accept]]\nfinding = \"the first\"\n"),
      "retrial.toml:2: [[accept]] finding: expected a finding's id of eight hex digits, as the report shows it, found "
      "\"the first\"");
}

TEST(Config, a_wrong_type_is_answered_with_what_was_expected) {
  EXPECT_EQ(complaint("[run]\nworkers = \"4\"\n"),
            "retrial.toml:2: [run] workers: expected a whole number from 1 to 1024, found \"4\"");
  EXPECT_EQ(complaint("[run]\nhold = 30\n"),
            "retrial.toml:2: [run] hold: expected a duration such as \"30s\", found 30");
  EXPECT_EQ(complaint("[run]\npolicies = \"p1\"\n"),
            "retrial.toml:2: [run] policies: expected an array of \"p3\", \"p1\", \"k1\", \"k2\", \"p4\", \"p2\", "
            "\"k3\", \"k4\", \"p1+\", "
            "\"n1\", \"n2\", \"r1\", \"b1\", \"b2\", \"order\" or \"tof\", found \"p1\"");
  EXPECT_EQ(complaint("[run]\npolicies = [1]\n"),
            "retrial.toml:2: [run] policies: expected \"p3\", \"p1\", \"k1\", \"k2\", \"p4\", \"p2\", \"k3\", \"k4\", "
            "\"p1+\", "
            "\"n1\", \"n2\", \"r1\", \"b1\", \"b2\", \"order\" or \"tof\", found 1");
  EXPECT_EQ(complaint("[service.q]\nallow = \"yes\"\n"),
            "retrial.toml:2: [service.q] allow: expected true or false, found \"yes\"");
  EXPECT_EQ(complaint("run = 1\n"), "retrial.toml:1: run: expected a table [run]");
  EXPECT_EQ(complaint("[service]\nreset = \"none\"\n"),
            "retrial.toml:2: [service] reset: expected tables [service.NAME], one a backing service");
  EXPECT_EQ(complaint("[accept]\nfinding = \"8f3a61c2\"\n"),
            "retrial.toml:1: accept: expected tables [[accept]], one a finding");
}

TEST(Config, a_key_that_needs_another_says_so) {
  EXPECT_EQ(complaint("[service.q]\nready = \"tcp\"\n"),
            "retrial.toml:2: [service.q] ready: expected an address beside it, to connect to, found \"tcp\"");
  EXPECT_EQ(
      complaint("[service.q]\nreset = \"restart\"\n"),
      "retrial.toml:2: [service.q] reset: expected a start command to restart the service with, found \"restart\"");
  EXPECT_EQ(complaint("[service.q]\nready = \"log:up\"\n"),
            "retrial.toml:2: [service.q] ready: expected a start command whose output log: can read, found \"log:up\"");
  EXPECT_EQ(complaint("[[accept]]\nwhy = \"known\"\n"),
            "retrial.toml:1: [[accept]] finding: expected a finding's id of eight hex digits, as the report shows it");
  EXPECT_EQ(complaint("[service.a]\naddress = \"127.0.0.1:1\"\n[service.b]\naddress = \"127.0.0.1:1\"\n"),
            "retrial.toml:3: [service.b] address: expected one of its own, \"127.0.0.1:1\" is that of [service.a]");
}

TEST(Config, a_broken_regular_expression_is_refused_before_anything_is_started) {
  auto text = complaint("[service.q]\nstart = \"x\"\nready = \"log:[\"\n");
  EXPECT_TRUE(text.starts_with("retrial.toml:3: [service.q] ready: expected a regular expression after log:")) << text;
}

TEST(Config, a_syntax_error_names_line_and_column) {
  auto text = complaint("[run]\nhold = \"30s\nworkers = 2\n");
  EXPECT_TRUE(text.starts_with("retrial.toml:2: column ")) << text;
  EXPECT_TRUE(complaint("[run]\nhold = \"1s\"\nhold = \"2s\"\n").starts_with("retrial.toml:3: column "))
      << "a key that stands twice";
}

TEST(Config, a_table_whose_name_begins_wrong_is_a_syntax_error) {
  auto text = complaint("[run]\n[?rule]\n");
  EXPECT_TRUE(text.starts_with("retrial.toml:2: column 2: ")) << text;
}

TEST(Config, a_letter_that_is_no_ascii_stands_in_quotes_and_comments_only) {
  auto text = complaint("[run]\nl\xc3\xa4nge = 1\n");
  EXPECT_TRUE(text.starts_with("retrial.toml:2: column 2: ")) << text;
  EXPECT_EQ(complaint("# \xc3\xa4\n[service.\"\xc3\xa4\"]\nstart = '\xc3\xa4'\n"), "");
}

TEST(Config, check_gives_all_errors_in_the_order_of_their_lines) {
  auto checked = check_config("[service.q]\nreset = \"restart\"\n[run]\nzoom = 1\nworkers = -1\n[[rule]]\n", "f.toml");
  ASSERT_EQ(checked.errors.size(), 4u);
  EXPECT_EQ(checked.errors[0].on, "f.toml:2: [service.q] reset");
  EXPECT_EQ(checked.errors[1].on, "f.toml:4: [run] zoom");
  EXPECT_EQ(checked.errors[2].on, "f.toml:5: [run] workers");
  EXPECT_EQ(checked.errors[3].on, "f.toml:6: [[rule]] inject");
}

TEST(Config, a_file_that_is_not_there_is_named) {
  auto config = load_config("/nonexistent/retrial.toml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().line(), "/nonexistent/retrial.toml: cannot be read: No such file or directory");
  config = load_config(std::filesystem::temp_directory_path());
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().line().find("expected a file, found a folder"), std::string::npos);
}

TEST(Config, the_samples_own_files_are_right) {
  int files = 0;
  for (auto& app :
       std::filesystem::directory_iterator(std::filesystem::path(RETRIAL_SOURCE_DIR) / "integration" / "apps")) {
    auto file = app.path() / "retrial.toml";
    if (!std::filesystem::exists(file)) continue;
    auto config = load_config(file);
    ASSERT_TRUE(config) << config.error().line();
    EXPECT_FALSE(config->services.empty()) << file;
    files++;
  }
  EXPECT_GT(files, 0);
}

TEST(Config, what_is_redacted_is_named_and_bodies_can_be_left_out) {
  EXPECT_EQ(parse_config("", "r.toml")->redact, RedactSettings{});
  auto config = parse_config("[redact]\nnames = [\"X-Tax-Id\", \"iban\"]\nbodies = false\n", "r.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->redact, (RedactSettings{{"X-Tax-Id", "iban"}, false}));
  auto wrong = [](std::string_view text) { return parse_config(text, "r.toml").error().line(); };
  EXPECT_NE(
      wrong("[redact]\nname = \"a\"\n").find("r.toml:2: [redact] name: unknown key, expected one of names, bodies"),
      std::string::npos)
      << wrong("[redact]\nname = \"a\"\n");
  EXPECT_NE(wrong("[redact]\nnames = [\"--\"]\n").find("with a letter or a digit in each"), std::string::npos);
  EXPECT_NE(wrong("[redact]\nbodies = \"none\"\n").find("[redact] bodies: expected"), std::string::npos);
  EXPECT_NE(wrong("redact = 1\n").find("expected a table [redact]"), std::string::npos);
}
TEST(Config, an_error_shows_no_password) {
  auto line = parse_config("[service.a]\naddress = \"http://me:hunter2@h/\"\n", "r.toml").error().line();
  EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
}

}  // namespace
}  // namespace retrial::campaign
