// Bodies and heads with secrets in them on their way through a proxy: none is in any file that is left behind.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "campaign/report/reports.h"
#include "tests/campaign/sample_campaign.h"
#include "tests/support/conversation.h"
#include "tests/support/folder.h"
#include "tests/trace/secrets/corpus.h"
#include "trace/recording/redact.h"
#include "trace/recording/segment.h"
#include "trace/store/store.h"

namespace retrial::test {
namespace {
namespace fs = std::filesystem;

std::string whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Secrets : public Conversation {
 protected:
  // There and back, between the lines of a head.
  void passes(std::string_view start, std::string_view lines, std::string_view body) {
    auto message = [&](std::string_view first) {
      return fmt::format("{}\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}", first, lines, body.size(), body);
    };
    auto line = connect();
    line.client->say(message(start));
    line.service->hears(message(start));
    line.service->say(message("HTTP/1.1 200 OK"));
    line.client->hears(message("HTTP/1.1 200 OK"));
  }
  // What was recorded as segments, as a store and as every report.
  void leaves(const fs::path& folder) {
    auto all = campaign::report::sample_campaign();
    trace::Run run;
    run.id = 1000;
    run.exchanges = recorder.exchanges;
    auto finding = all.record.findings.front();
    finding.run = finding.reference = run.id;
    finding.evidence.clear();
    for (auto& e : run.exchanges) finding.evidence.push_back(e.id);
    all.record.findings.push_back(finding);
    all.record.command =
        trace::redacted_command({"pytest", "--token=hunter2-x9", "--password", "correct-horse", "-u", "a:hunter2-x9"});
    auto writer = trace::SegmentWriter::open(folder / "trace");
    ASSERT_TRUE(writer && (*writer)->begin(run));
    for (auto& e : run.exchanges) ASSERT_TRUE((*writer)->over(run.id, e));
    ASSERT_TRUE((*writer)->end(run));
    all.runs.push_back(std::move(run));
    ASSERT_TRUE(trace::write_store(folder / "campaign.db", all.record, all.runs));
    ASSERT_TRUE(campaign::report::write_reports(folder, all.record, all.runs, trace::Confidence::likely));
  }
};

TEST_F(Secrets, are_in_no_file_that_is_left_behind) {
  constexpr std::size_t kTelling = 8;  // fewer bytes come about by chance
  std::vector<Secret> sent;
  for (auto& secret : kSecretBodies) {
    passes("POST /a HTTP/1.1", "", unmarked(secret.text));
    sent.push_back(secret);
  }
  for (auto& secret : kSecretLines) {
    passes("GET /a HTTP/1.1", unmarked(secret.text) + "\r\n", "");
    sent.push_back(secret);
  }
  for (auto& secret : kSecretTargets) {
    passes("GET " + unmarked(secret.text) + " HTTP/1.1", "", "");
    sent.push_back(secret);
  }
  ASSERT_EQ(recorder.exchanges.size(), sent.size());
  Folder folder;
  leaves(folder.path());
  int files = 0;
  for (auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    files++;
    auto bytes = whole(entry.path());
    for (auto& [kind, text] : sent)
      each_secret(text, [&](std::string_view secret) {
        if (secret.size() >= kTelling) {
          EXPECT_EQ(bytes.find(secret), bytes.npos) << kind << " in " << entry.path();
        }
      });
  }
  EXPECT_GE(files, 6);
}
TEST_F(Secrets, are_found_in_the_last_of_many_fields_and_behind_a_head_without_them) {
  std::string many;
  for (int n = 0; n < 90; n++) many += fmt::format("X-Field-{}: {}\r\n", n, n);
  auto line = connect();
  for (auto last : {"plain", "Bearer mF_9.B5f-4.1JqM", "plain"}) {
    auto request = fmt::format("GET /a HTTP/1.1\r\nHost: x\r\n{}X-Upstream: {}\r\n\r\n", many, last);
    line.client->say(request);
    line.service->hears(request);
    line.service->say("HTTP/1.1 204 No Content\r\n\r\n");
    line.client->hears("HTTP/1.1 204 No Content\r\n\r\n");
  }
  ASSERT_EQ(recorder.exchanges.size(), 3u);
  for (auto& e : recorder.exchanges) EXPECT_TRUE(e.request_lines.find(many) != std::string::npos) << e.request_lines;
  EXPECT_TRUE(recorder.exchanges[0].request_lines.ends_with("X-Upstream: plain\r\n"));
  EXPECT_TRUE(recorder.exchanges[1].request_lines.ends_with("X-Upstream: Bearer ***\r\n"));
}
TEST_F(Secrets, alone_leave_what_was_recorded) {
  for (auto text : kNoSecrets)
    passes("POST /a?id=8f14e45f&page_token=abc&cursor=eyJpZCI6MX0 HTTP/1.1", "X-Request-Id: 8f14e45f\r\n", text);
  ASSERT_EQ(recorder.exchanges.size(), std::size(kNoSecrets));
  for (std::size_t n = 0; n < std::size(kNoSecrets); n++) {
    auto& e = recorder.exchanges[n];
    EXPECT_EQ(e.request_sample, kNoSecrets[n]);
    EXPECT_EQ(e.response_sample, kNoSecrets[n]);
    EXPECT_EQ(e.target, "/a?id=8f14e45f&page_token=abc&cursor=eyJpZCI6MX0");
    EXPECT_NE(e.request_lines.find("X-Request-Id: 8f14e45f"), std::string::npos);
  }
}

}  // namespace
}  // namespace retrial::test
