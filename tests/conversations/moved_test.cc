// Bodies whose rest is moved by the kernel: what is around them, and what breaks them off.
#include "tests/support/serving.h"

namespace retrial::test {
namespace {
using trace::Ending;

constexpr std::size_t kSize = 3 << 20;
std::string content() {
  std::string text(kSize, '\0');
  for (std::size_t i = 0; i < kSize; i++) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}
std::string sized(std::string_view start) {
  return std::string(start) + "\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n";
}

class Moved : public Serving {
 protected:
  Moved() {
    serve_as({});
    client = comes();
  }
  void asks(std::string_view path = "/") {
    auto request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    client->say(request);
    if (!service) service = listener.accepts();
    service->hears(request);
  }
  // Says it while the other end hears it; or (no `to`) as much as is taken. Returns what was said.
  std::size_t pass(Peer& from, std::string_view bytes, Peer* to) {
    std::size_t said = 0, heard = 0;
    for (bool goes_on = true; goes_on && heard < bytes.size();) {
      auto some = from.say_what_fits(bytes.substr(said));
      said += some;
      quiet();
      if (!to) {
        goes_on = some > 0;
        continue;
      }
      auto there = to->hears_some(std::max<std::size_t>(1, std::min(to->waiting(), bytes.size() - heard)));
      goes_on = !there.empty() && there == bytes.substr(heard, there.size());
      heard += there.size();
    }
    EXPECT_EQ(heard, to ? bytes.size() : 0);
    return said;
  }
  std::unique_ptr<Peer> client, service;
  std::string body = content();
};

TEST_F(Moved, an_answer_that_follows_one_comes_behind_it) {
  asks("/a");
  service->say(sized("HTTP/1.1 200 OK"));
  client->hears(sized("HTTP/1.1 200 OK"));
  pass(*service, std::string_view(body).substr(0, kSize - 100), client.get());
  client->say("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  service->say(std::string_view(body).substr(kSize - 100));
  service->hears("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  service->say(kAnswer);
  client->hears(body.substr(kSize - 100) + std::string(kAnswer));
  EXPECT_EQ(exchange(1).response_bytes, kSize);
  EXPECT_EQ(exchange(2).ending, Ending::answered);
}
TEST_F(Moved, a_request_goes_the_same_way_and_its_digest_tells_sizes_apart) {
  std::vector<std::uint64_t> digests;
  for (std::size_t n : {1, 2, 3}) {
    auto own = n < 3 ? body : body.substr(0, kSize - 1);
    auto head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(own.size()) + "\r\n\r\n";
    client->say(head);
    service = listener.accepts();
    service->hears(head);
    pass(*client, own, service.get());
    service->say(kAnswer);
    client->hears(kAnswer);
    EXPECT_EQ(exchange(n).request_bytes, own.size());
    digests.push_back(exchange(n).request_digest);
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[1], digests[2]);
}
TEST_F(Moved, one_without_a_length_ends_with_its_connection) {
  asks();
  service->say("HTTP/1.1 200 OK\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\n\r\n");
  pass(*service, body, client.get());
  service->finish();
  client->hears_fin();
  EXPECT_EQ(exchange().response_bytes, kSize);
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(Moved, a_client_that_does_not_read_holds_the_service_back_and_loses_nothing) {
  buffers = 32 << 10;
  auto line = connect();
  client = std::move(line.client);
  service = std::move(line.service);
  asks();
  service->say(sized("HTTP/1.1 200 OK"));
  client->hears(sized("HTTP/1.1 200 OK"));
  std::size_t half = kSize / 2;
  pass(*service, std::string_view(body).substr(0, half), client.get());
  auto said = pass(*service, std::string_view(body).substr(half), nullptr);
  EXPECT_LT(said, std::size_t{1} << 20);
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  client->hears(body.substr(half, said));
  pass(*service, std::string_view(body).substr(half + said), client.get());
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(Moved, a_service_that_leaves_in_the_middle_is_told_behind_what_came) {
  asks();
  service->say(sized("HTTP/1.1 200 OK"));
  client->hears(sized("HTTP/1.1 200 OK"));
  pass(*service, std::string_view(body).substr(0, 2 << 20), client.get());
  service->finish();
  client->hears_fin();
  EXPECT_EQ(exchange().ending, Ending::closed);
  EXPECT_EQ(exchange().response_bytes, std::uint64_t{2} << 20);
}
TEST_F(Moved, a_client_that_goes_ends_the_services_connection) {
  asks();
  service->say(sized("HTTP/1.1 200 OK"));
  client->hears(sized("HTTP/1.1 200 OK"));
  pass(*service, std::string_view(body).substr(0, 2 << 20), client.get());
  client->reset();
  service->hears_rst();
  EXPECT_EQ(exchange().ending, Ending::client_left);
}

}  // namespace
}  // namespace retrial::test
