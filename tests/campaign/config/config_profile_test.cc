#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "campaign/config/config.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kWhole = R"(
[service.files]
address = "127.0.0.1:8080"
profile = "paper"

[profile.paper]
by_operation = true
id_headers = ["Paper-Call"]
key_headers = ["Paper-Key"]
key_queries = ["once"]
transient = [429, 503, 507]
transient_status = 507
created = ["/paper/id", "Paper-Id"]

[[profile.paper.recognise]]
host = "*.paper.example"
request = { Paper-Version = ["2*", "3*"], X-Other = false }

[[profile.paper.operation]]
method = "POST"
path = "/papers/{id}/print"
repeat = "effect"
transient_status = 429

[[profile.paper.operation]]
path = "/papers/find"
repeat = "safe"

[[profile.paper.answer]]
status = [200, 400]
json = { "/state" = "busy" }
means = "transient"

[profile.paper.error]
headers = { Content-Type = "application/problem+json", Paper-Error = "{code} {marker}" }
body = '{"title":"{message}","detail":"{marker}","status":{status},"code":"{code}"}'
404 = { code = "lost", message = "There is no such paper." }
5xx = { code = "jam" }
)";

trace::Exchange print(std::string host = "h") {
  trace::Exchange e;
  e.method = "POST";
  e.target = "/papers/7/print";
  e.host = std::move(host);
  return e;
}

TEST(ConfigProfile, all_that_a_profile_says_is_done) {
  auto config = parse_config(kWhole, "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  ASSERT_EQ(config->profiles.size(), 1u);
  EXPECT_EQ(config->services[0].profile, "paper");
  auto& paper = *config->profiles[0];
  EXPECT_EQ(paper.name(), "paper");
  auto e = print();
  EXPECT_TRUE(paper.recognises(e)) << "by its operation";
  EXPECT_EQ(paper.operation(e), "/papers/{id}/print");
  EXPECT_EQ(paper.repeat(e), trace::Repeat::effect);
  EXPECT_EQ(paper.transient_status(e), 429);
  e.request_headers = {{"paper-key", "k"}};
  EXPECT_EQ(paper.repeat(e), trace::Repeat::guarded);
  e.target = "/other?once=1";
  EXPECT_FALSE(paper.recognises(e));
  EXPECT_EQ(paper.transient_status(e), 507);
  EXPECT_EQ(paper.repeat(e), trace::Repeat::guarded);
  e.host = "a.PAPER.example:80";
  EXPECT_FALSE(paper.recognises(e)) << "the header is not there";
  e.request_headers = {{"Paper-Version", "2/a"}};
  EXPECT_TRUE(paper.recognises(e));
  e.request_headers.push_back({"x-other", ""});
  EXPECT_FALSE(paper.recognises(e)) << "one that must not be there";
  EXPECT_EQ(std::vector(paper.id_headers().begin(), paper.id_headers().end()),
            (std::vector<std::string_view>{"paper-call"}));
  EXPECT_TRUE(paper.transient(507, ""));
  EXPECT_FALSE(paper.transient(502, ""));
  EXPECT_TRUE(paper.transient(200, R"({"state":"busy"})"));
  EXPECT_FALSE(paper.transient(200, R"({"state":"done"})"));

  auto lost = paper.error(e, 404, "retrial-1");
  EXPECT_EQ(lost.body, R"({"title":"There is no such paper.","detail":"retrial-1","status":404,"code":"lost"})");
  EXPECT_EQ(find(lost.headers, "paper-error"), "lost retrial-1");
  EXPECT_EQ(find(lost.headers, "content-type"), "application/problem+json");
  EXPECT_NE(paper.error(e, 503, "retrial-1").body.find(R"("title":"Service Unavailable")"), std::string::npos);
  EXPECT_TRUE(paper.error(e, 409, "retrial-1").body.starts_with("<html>")) << "a status that it has no code for";

  e = print();
  e.service_status = 201;
  e.response_headers = {{"Paper-Id", "8"}};
  EXPECT_EQ(paper.effect(e), "8");
  e.response_sample = R"({"paper":{"id":9}})";
  EXPECT_EQ(paper.effect(e), "9");
}

TEST(ConfigProfile, says_nothing_and_is_the_generic_one_under_another_name) {
  auto config = parse_config("[profile.own]\n", "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  auto& own = *config->profiles[0];
  auto& generic = *trace::profile_named("generic");
  EXPECT_FALSE(own.recognises(print())) << "it is for services that name it";
  EXPECT_EQ(own.error(print(), 503, "retrial-1").body, generic.error(print(), 503, "retrial-1").body);
  EXPECT_EQ(own.operation(print()), generic.operation(print()));
  EXPECT_EQ(own.repeat(print()), trace::Repeat::unknown);
  EXPECT_TRUE(own.transient(503, ""));
}

TEST(ConfigProfile, stands_in_a_file_of_its_own_too) {
  auto folder = std::filesystem::path(testing::TempDir()) / "own_profile";
  std::filesystem::create_directories(folder);
  auto load = [&](std::string_view profile, std::string_view name) {
    std::ofstream(folder / "paper.toml") << profile;
    std::ofstream(folder / "retrial.toml") << "[profile.paper]\nfile = \"" << name << "\"\n";
    return load_config(folder / "retrial.toml");
  };
  auto config = load("transient_status = 507\n", "paper.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->profiles[0]->transient_status({}), 507);
  auto at = (folder / "paper.toml").string();
  EXPECT_EQ(load("\ntransient_status = 700\n", "paper.toml").error().line(),
            at + ":2: [profile.paper] transient_status: expected a whole number from 400 to 599, found 700");
  EXPECT_TRUE(load("a = = 1\n", "paper.toml").error().line().starts_with(at + ":1: column "));
  EXPECT_EQ(load("", "nothing.toml").error().line(),
            (folder / "retrial.toml").string() +
                ":2: [profile.paper] file: expected the path of a file, relative to this one "
                "(cannot be read: No such file or directory), found \"nothing.toml\"");
  std::filesystem::remove_all(folder);
}

TEST(ConfigProfile, what_is_wrong_gets_one_line_that_says_where_and_what_was_expected) {
  struct Wrong {
    std::string_view text, line;
  };
  constexpr Wrong kWrong[] = {
      Wrong{"transent = [503]\n",
            "r.toml:2: [profile.p] transent: unknown key, expected one of recognise, by_operation, id_headers, "
            "key_headers, key_queries, operation, transient, transient_status, timeouts, answer, created, error, did "
            "you mean "
            "\"transient\"?"},
      Wrong{"timeouts = 503\n", "r.toml:2: [profile.p] timeouts: expected 408, 504 or both, found 503"},
      Wrong{"transient = [503, 42]\n",
            "r.toml:2: [profile.p] transient: expected whole numbers from 400 to 599, found 42"},
      Wrong{"by_operation = true\n",
            "r.toml:2: [profile.p] by_operation: expected operations beside it, to know the service by, found true"},
      Wrong{"key_headers = [\"a b\"]\n",
            "r.toml:2: [profile.p] key_headers: expected names of headers, found an array"},
      Wrong{"created = \"/\"\n",
            "r.toml:2: [profile.p] created: expected JSON pointers into the answer, such as \"/id\", or names of its "
            "headers, found \"/\""},
      Wrong{"[[profile.p.recognise]]\nmethod = \"POST\"\n",
            "r.toml:2: [profile.p] recognise 1 path: expected a path, host, query, request or response, of which other "
            "services have none"},
      Wrong{"[[profile.p.recognise]]\nhost = \"https://a.example\"\n",
            "r.toml:3: [profile.p] recognise 1 host: expected names of hosts without scheme and port, such as "
            "\"*.example.com\", found \"https://a.example\""},
      Wrong{"[[profile.p.operation]]\npath = \"/a-{id}\"\n",
            "r.toml:3: [profile.p] operation 1 path: expected a path whose places are whole segments, such as "
            "\"/users/{id}/files/{path...}\", found \"/a-{id}\""},
      Wrong{"[[profile.p.operation]]\npath = \"/a\"\nrepeat = \"idempotant\"\n",
            "r.toml:4: [profile.p] operation 1 repeat: expected \"safe\", \"idempotent\", \"guarded\" or \"effect\", "
            "found \"idempotant\", did you mean \"idempotent\"?"},
      Wrong{"[[profile.p.answer]]\nstatus = 200\njson = { error = \"busy\" }\nmeans = \"transient\"\n",
            "r.toml:4: [profile.p] answer 1 json error: expected a JSON pointer, such as \"/error/code\", found "
            "\"busy\""},
      Wrong{"[[profile.p.answer]]\nstatus = 200\n",
            "r.toml:2: [profile.p] answer 1 means: expected \"transient\" or \"permanent\""},
      Wrong{"[profile.p.error]\nbody = '{\"m\":\"{message}\"}'\n",
            "r.toml:3: [profile.p] error body: expected {marker} in it: by that an injected error is known again, "
            "found \"{\"m\":\"{message}\"}\""},
      Wrong{"[profile.p.error]\nbody = '{\"m\":\"{mesage} {marker}\"}'\n",
            "r.toml:3: [profile.p] error body: expected the places {status}, {reason}, {code}, {message}, {marker}, "
            "not {mesage}, found \"{\"m\":\"{mesage} {marker}\"}\", did you mean \"message\"?"},
      Wrong{"[profile.p.error]\nbody = '{\"m\":{marker}}'\n",
            "r.toml:2: [profile.p] error: expected JSON, as its Content-Type says; with status 599 it is none, found "
            "a table"},
      Wrong{"[profile.p.error]\nbody = '\"{marker}\"'\n600 = { code = \"x\" }\n",
            "r.toml:4: [profile.p] error 600: expected headers, body, or a status from 400 to 599, \"4xx\" or "
            "\"5xx\", found a table"},
      Wrong{"[profile.p.error]\n500 = { code = \"x\" }\n",
            "r.toml:3: [profile.p] error 500 body: expected a body, here or for all statuses"},
      Wrong{"[profile.generic]\n", "r.toml:2: [profile.generic]: expected a name of its own, this one is built in"}};
  for (auto& [text, line] : kWrong) {
    auto config = parse_config("[profile.p]\n" + std::string(text), "r.toml");
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().line(), line);
  }
}

}  // namespace
}  // namespace retrial::campaign
