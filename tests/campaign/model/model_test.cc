#include "campaign/model/model.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/model/second_opinion.h"
#include "scan/language.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;

// An endpoint that answers each request with the next of `answers`, and keeps what it was sent.
class Endpoint {
 public:
  explicit Endpoint(std::vector<std::string> answers) : answers_(std::move(answers)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at);
    listen(listener_, 8);
    socklen_t size = sizeof at;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    url = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/v1/";
    thread_ = std::thread([this] { serve(); });
  }
  ~Endpoint() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string url;
  std::vector<std::string> heard;  // once the answer has come

 private:
  void serve() {
    for (auto& answer : answers_) {
      int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      std::string all;
      char buffer[4096];
      for (std::size_t end, length;
           (end = all.find("\r\n\r\n")) == all.npos ||
           (length = std::stoul(all.substr(all.find("Content-Length: ") + 16)), all.size() < end + 4 + length);) {
        auto got = recv(fd, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        all.append(buffer, static_cast<std::size_t>(got));
      }
      heard.push_back(all);
      for (auto c : answer) send(fd, &c, 1, MSG_NOSIGNAL);  // split as it can be
      close(fd);
    }
  }
  std::vector<std::string> answers_;
  int listener_;
  std::thread thread_;
};

std::string completion(const std::string& words, int tokens = 10) {
  auto body = Json{{"choices", {{{"message", {{"content", words}}}}}}, {"usage", {{"total_tokens", tokens}}}}.dump();
  char size[16];
  std::snprintf(size, sizeof size, "%zx", body.size());
  return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(size) + "\r\n" + body + "\r\n0\r\n\r\n";
}

struct ModelTest : testing::Test {
  test::Folder folder;
  ModelOptions options(const std::string& url, std::int64_t tokens = 100'000) {
    return {.url = url, .name = "m", .key = "sk-key", .tokens = tokens, .folder = folder.path() / "model"};
  }
};

TEST_F(ModelTest, is_asked_once_for_the_same) {
  Endpoint endpoint({completion("{}", 40)});
  auto model = Model::at(options(endpoint.url));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->ask("task", "question").value(), "{}");
  EXPECT_EQ(model->ask("task", "question").value(), "{}");
  EXPECT_EQ(model->account().sent, 1);
  EXPECT_EQ(model->account().from_folder, 1);
  EXPECT_EQ(model->account().tokens, 40);
  auto& heard = endpoint.heard.at(0);
  EXPECT_TRUE(heard.starts_with("POST /v1/chat/completions HTTP/1.1\r\n")) << heard;
  EXPECT_NE(heard.find("Authorization: Bearer sk-key"), heard.npos);
  auto sent = Json::parse(heard.substr(heard.find("\r\n\r\n")));
  EXPECT_EQ(sent["model"], "m");
  EXPECT_EQ(sent["messages"][1]["content"], "question");
  for (auto& file : std::filesystem::directory_iterator(folder.path() / "model"))
    EXPECT_EQ(test::contents(file).find("sk-key"), std::string::npos);
}

TEST_F(ModelTest, that_fails_is_asked_no_more) {
  Endpoint endpoint({"HTTP/1.1 429 Too Many\r\nContent-Length: 34\r\n\r\n{\"error\":{\"message\":\"no quota\\n\"}}"});
  auto model = Model::at(options(endpoint.url));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->ask("task", "one").error().what, "429 was answered: no quota");
  EXPECT_FALSE(model->ask("task", "two"));
  EXPECT_EQ(model->account().sent, 1);
  EXPECT_EQ(model->account().not_answered, 2);
  for (auto& file : std::filesystem::directory_iterator(folder.path() / "model"))
    EXPECT_EQ(Json::parse(test::contents(file))["sent"]["messages"][1]["content"], "one") << "it was sent all the same";
}

TEST_F(ModelTest, that_answers_nonsense_or_nothing_is_told_in_a_line) {
  for (auto [answer, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "what was answered is no chat completion"},
           {"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n[]", "its answer was cut off"},
           {"hello\r\n\r\n", "what answers there does not speak HTTP"},
           {"", "no answer came"}}) {
    Endpoint endpoint({answer});
    auto model = Model::at(options(endpoint.url));
    ASSERT_TRUE(model);
    auto got = model->ask("task", "question");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().what, why);
  }
}

TEST_F(ModelTest, never_takes_more_tokens_than_it_may) {
  Endpoint endpoint({completion("{}", 2500)});
  auto model = Model::at(options(endpoint.url, 3000));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->ask("task", "one"));
  EXPECT_FALSE(model->ask("task", "two"));
  EXPECT_EQ(model->account().sent, 1);
}

TEST_F(ModelTest, key_never_goes_over_the_net_in_the_clear) {
  EXPECT_FALSE(Model::at(options("http://192.0.2.1/v1")));
  EXPECT_FALSE(Model::at(options("http://127.example.com/v1"))) << "a name, not an address of this machine";
  EXPECT_TRUE(Model::at(options("http://[::1]:11434/v1")));
  EXPECT_TRUE(Model::at(options("https://192.0.2.1/v1")));
  EXPECT_TRUE(Model::at(options("http://127.0.0.1/v1")));
  for (auto url : {"", "ftp://a/v1", "http://", "https://:x/v1", "http://a:0/v1", "http://127.0.0.1:/v1"})
    EXPECT_FALSE(Model::at(options(url))) << url;
}

constexpr auto kSource = R"(def send(order):
    for n in range(LIMITS.of("send")):
        try:
            return session.post("/orders", json=order, headers={"Authorization": "Bearer abcdefghijklmnop"})
        except ConnectionError:
            pause(n)

def watch(job):
    key = """-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7
-----END PRIVATE KEY-----"""
    retry_later = machine.next_state(job)
    machine.run(retry_later)
)";

struct SecondOpinion : testing::Test {
  scan::Scan found;
  Questions questions;
  SecondOpinion() {
    found.locations = scan::scan_text(*scan::language_of("a.py"), kSource).locations;
    for (auto& at : found.locations) at.file = "a.py";
    add_questions("a.py", kSource, found, questions);
  }
};

TEST_F(SecondOpinion, asks_of_what_is_undecided_and_of_functions_about_retries) {
  ASSERT_EQ(found.locations.size(), 1u);
  ASSERT_EQ(questions.undecided.size() + questions.decided.size(), 1u);
  ASSERT_EQ(questions.unseen.size(), 1u);
  EXPECT_EQ(questions.unseen[0].first_line, 8u);
  EXPECT_EQ(questions.unseen[0].last_line, 13u);
  EXPECT_EQ(questions.unseen[0].text.find("MIIE"), std::string::npos);
  EXPECT_NE(questions.unseen[0].text.find("13|     machine.run"), std::string::npos) << questions.unseen[0].text;
  auto& text = (questions.undecided.empty() ? questions.decided : questions.undecided)[0].text;
  EXPECT_NE(text.find("2|     for n in range"), text.npos) << text;
  EXPECT_EQ(text.find("abcdefghijklmnop"), text.npos) << text;
}

TEST_F(SecondOpinion, is_marked_and_never_more_than_possible) {
  auto& question = questions.unseen[0];
  ASSERT_TRUE(take_answer(question,
                          "```json\n{\"retries\": [{\"line\": 13, \"calls\": \"machine.run\", \"bound\": \"none\", "
                          "\"wait\": \"growing\", \"permanent\": true, \"why\": \"It \\u001b[31mruns again.\"}]}\n```",
                          found));
  ASSERT_EQ(found.locations.size(), 2u);
  auto& at = found.locations.back();
  EXPECT_TRUE(at.by_model);
  EXPECT_EQ(at.function, "watch");
  EXPECT_EQ(at.model, "It  [31mruns again.");
  ASSERT_EQ(at.verdicts.size(), 2u);
  for (auto& verdict : at.verdicts) {
    EXPECT_TRUE(verdict.by_model);
    EXPECT_EQ(verdict.confidence, "possible");
  }
}

TEST_F(SecondOpinion, clears_nothing) {
  auto& question = (questions.undecided.empty() ? questions.decided : questions.undecided)[0];
  found.locations[0].verdicts.push_back({"missing-delay", "No wait was seen."});
  ASSERT_TRUE(take_answer(question, R"({"retries": []})", found));
  EXPECT_EQ(found.locations[0].verdicts.size(), 1u);
  EXPECT_EQ(found.locations[0].model, "tries nothing again");
}

TEST_F(SecondOpinion, of_something_else_is_not_taken) {
  for (auto* answer : {"", "yes", "[]", "{}", R"({"retries": 1})", R"({"retries": [1]})",
                       R"({"retries": [{"line": -1}]})", R"({"retries": [{"line": 4000}]})",
                       R"({"retries": [{"line": 4294967306}]})", R"({"retries": [{"line": "9"}]})"})
    EXPECT_FALSE(take_answer(questions.unseen[0], answer, found)) << answer;
  EXPECT_EQ(found.locations.size(), 1u);
}

}  // namespace
}  // namespace retrial::campaign
