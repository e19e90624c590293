// Much data: it streams through, and a side that does not read holds the other one back.
#include <unistd.h>

#include <fstream>

#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // what was freed is kept
#else
constexpr bool kSanitized = false;
#endif

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; i++) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}

class Bulk : public Conversation {
 protected:
  // Speaks and listens in turns until all of it has come.
  void stream(Peer& from, Peer& to, std::size_t blocks, std::string_view block) {
    std::size_t said = 0, heard = 0, all = blocks * block.size();
    bool same = true;
    while (heard < all && same) {
      if (said < all) said += from.say_what_fits(block.substr(said % block.size()));
      auto some = to.hears_some(std::min(block.size() - heard % block.size(), std::max<std::size_t>(1, to.waiting())));
      same = some == block.substr(heard % block.size(), some.size()) && !some.empty();
      heard += some.size();
    }
    EXPECT_TRUE(same) << "after " << heard << " bytes";
  }
};

TEST_F(Bulk, sixty_four_mebibytes_stream_both_ways_in_little_memory) {
  auto [client, service] = connect();
  auto block = pattern(1 << 20);
  client->say("PUT / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n");
  service->hears("PUT / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n");
  auto before = resident_bytes();
  stream(*client, *service, 64, block);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n");
  stream(*service, *client, 64, block);
  if (!kSanitized) {
    EXPECT_LT(resident_bytes(), before + (16u << 20));
  }
  auto& e = exchange();
  EXPECT_EQ(e.request_bytes, 67108864u);
  EXPECT_EQ(e.response_bytes, 67108864u);
  EXPECT_EQ(e.response_sample.size(), 2048u);
  EXPECT_EQ(e.ending, trace::Ending::answered);
}
TEST_F(Bulk, a_client_that_does_not_read_holds_the_service_back_and_loses_nothing) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  auto body = pattern(4 << 20);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n");
  std::size_t said = 0;
  for (std::size_t some = 1; some > 0;) {
    quiet();
    some = service->say_what_fits(std::string_view(body).substr(said));
    said += some;
  }
  EXPECT_LT(said, body.size() / 2);
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n");
  std::size_t heard = 0;
  while (heard < body.size()) {
    if (said < body.size()) said += service->say_what_fits(std::string_view(body).substr(said));
    auto some =
        client->hears_some(std::min<std::size_t>(body.size() - heard, std::max<std::size_t>(1, client->waiting())));
    ASSERT_TRUE(!some.empty() && some == body.substr(heard, some.size())) << "after " << heard;
    heard += some.size();
  }
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
}
TEST_F(Bulk, a_service_that_does_not_read_holds_the_client_back_and_is_still_heard) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  client->say("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  service->hears("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  auto chunk = "1000\r\n" + pattern(4096) + "\r\n";
  std::string said;
  for (std::size_t some = 1; some > 0;) {
    quiet();
    auto left = chunk.substr(said.size() % chunk.size());
    some = client->say_what_fits(left);
    said += left.substr(0, some);
  }
  EXPECT_LT(said.size(), 2u << 20);
  service->say("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  client->hears("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  service->hears(said);
}
TEST_F(Bulk, a_response_that_the_client_has_not_taken_is_not_yet_told) {
  buffers = 16 << 10;
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  auto body = pattern(200 << 10);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 204800\r\n\r\n" + body);
  quiet();
  EXPECT_TRUE(recorder.exchanges.empty());
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 204800\r\n\r\n" + body);
  auto& e = exchange();
  EXPECT_GT(e.told, e.service_done);
}
TEST_F(Bulk, a_FIN_waits_for_all_that_is_on_its_way_either_way) {
  buffers = 16 << 10;
  auto [client, service] = connect();
  auto body = pattern(450 << 10);
  client->say("PUT / HTTP/1.1\r\nContent-Length: 460800\r\n\r\n");
  for (std::size_t said = 0; said < body.size();) {
    auto some = client->say_what_fits(std::string_view(body).substr(said));
    said += some;
    quiet();
    ASSERT_GT(some, 0u) << "less is held than was thought";
  }
  client->finish();
  quiet();
  service->hears("PUT / HTTP/1.1\r\nContent-Length: 460800\r\n\r\n" + body);
  service->hears_fin();
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 460800\r\n\r\n");
  for (std::size_t said = 0; said < body.size();) {
    auto some = service->say_what_fits(std::string_view(body).substr(said));
    said += some;
    quiet();
    ASSERT_GT(some, 0u) << "less is held than was thought";
  }
  service->finish();
  quiet();
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 460800\r\n\r\n" + body);
  client->hears_fin();
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
}
// However the exchange becomes a tunnel, nothing that was read before is lost.
TEST_F(Bulk, what_waits_for_a_service_goes_on_before_what_passes_in_a_tunnel) {
  auto block = pattern(1000);
  std::string upload,
      head = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n";
  for (int i = 0; i < 1500; i++) upload += "3e8\r\n" + block + "\r\n";
  upload += "0\r\n\r\n";
  for (std::string_view answer :
       {"", "HELLO, THIS IS NO HTTP\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"}) {
    SCOPED_TRACE(answer);
    buffers = 16 << 10;
    auto [client, service] = connect();
    client->say(head);
    std::size_t said = 0;
    for (std::size_t some = 1; some > 0; said += some) {
      some = client->say_what_fits(std::string_view(upload).substr(said));
      quiet();
    }
    ASSERT_LT(said, upload.size()) << "less is held than was thought";
    service->say(answer);
    service->finish();
    quiet();
    service->hears(head);
    for (std::size_t heard = 0; heard < upload.size();) {
      if (said < upload.size()) said += client->say_what_fits(std::string_view(upload).substr(said));
      auto some = service->hears_some(std::max<std::size_t>(1, service->waiting()));
      ASSERT_EQ(some, upload.substr(heard, some.size())) << "behind " << heard;
      ASSERT_FALSE(some.empty());
      heard += some.size();
    }
    client->hears(answer);
    client->hears_fin();
  }
}
TEST_F(Bulk, half_a_request_behind_another_passes_as_it_is_when_its_client_has_said_all) {
  auto [client, service] = connect();
  client->say("GET /1 HTTP/1.1\r\n\r\nGET /2 HT");
  service->hears("GET /1 HTTP/1.1\r\n\r\n");
  client->finish();
  quiet();
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  service->hears("GET /2 HT");
  service->hears_fin();
}
TEST_F(Bulk, requests_behind_a_slow_one_are_kept_up_to_the_limit_and_then_not_read) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  std::string request = "PUT / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n" + pattern(1000);
  std::string said;
  for (std::size_t some = 1; some > 0;) {
    quiet();
    auto left = request.substr(said.size() % request.size());
    some = client->say_what_fits(left);
    said += left.substr(0, some);
  }
  EXPECT_LT(said.size(), 1u << 20);
  auto whole = said.size() / request.size();
  EXPECT_GT(whole, 60u);
  for (std::size_t i = 0; i < whole; i++) {
    service->hears(request);
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    client->hears("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  }
  EXPECT_EQ(recorder.exchanges.size(), whole);
}
TEST_F(Bulk, interim_responses_that_the_client_does_not_read_are_not_kept_without_end) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  auto interim = "HTTP/1.1 103 Early Hints\r\nLink: " + std::string(8000, 'a') + "\r\n\r\n";
  for (int i = 0; i < 200; i++) service->say(interim);
  quiet();
  std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  service->say(answer);
  std::string heard;
  run_until([&] {
    if (auto some = client->waiting()) heard += client->hears_some(some);
    return heard.ends_with(answer);
  });
  EXPECT_GE(heard.size(), 128u << 10);
  EXPECT_LT(heard.size(), 100 * interim.size());
  EXPECT_EQ((heard.size() - answer.size()) % interim.size(), 0u);
}
TEST_F(Bulk, a_lost_response_is_read_whole_while_the_client_reads_nothing) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  director.plan(1, {trace::FaultName::lost_response, trace::Telling::reset, 0, 0});
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n" + pattern(4 << 20));
  client->hears_rst();
  EXPECT_EQ(exchange().response_bytes, 4194304u);
  EXPECT_TRUE(exchange().fired);
}
TEST_F(Bulk, a_response_that_comes_twice_to_a_slow_client_comes_in_order) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  for (std::uint64_t n = 1; n <= 12; n++) {
    director.plan(n, {trace::FaultName::duplicate});
    auto [client, service] = connect();
    client->say("GET / HTTP/1.1\r\n\r\n");
    service->hears("GET / HTTP/1.1\r\n\r\n");
    auto body = pattern(n * (20 << 10));
    auto response = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string heard;
    for (std::size_t said = 0; said < response.size(); quiet()) {
      auto some = service->say_what_fits(std::string_view(response).substr(said));
      said += some;
      if (some == 0) heard += client->hears_some(4096);
    }
    heard += client->hears_some(2 * response.size() - heard.size());
    EXPECT_TRUE(heard == response + response) << body.size();
    EXPECT_TRUE(exchange(n).fired);
    EXPECT_EQ(exchange(n).ending, trace::Ending::answered);
  }
}
TEST_F(Bulk, a_tunnel_is_held_back_too_and_loses_nothing) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  auto [client, service] = connect();
  client->say("\x16");
  service->hears("\x16");
  auto bytes = pattern(4 << 20);
  std::size_t said = 0;
  for (std::size_t some = 1; some > 0;) {
    quiet();
    some = client->say_what_fits(std::string_view(bytes).substr(said));
    said += some;
  }
  EXPECT_LT(said, bytes.size() / 2);
  client->finish();
  service->hears(bytes.substr(0, said));
  service->hears_fin();
}
}  // namespace
}  // namespace retrial::test
