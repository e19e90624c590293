// gRPC-Web on HTTP/1.1: a call's end stands in its body.
#include "tests/support/conversation.h"

namespace retrial::test {
namespace {

class GrpcWeb : public Conversation {
 protected:
  // What is answered to a call with one message.
  const trace::Exchange& answered(std::string_view head, std::string_view body) {
    auto [client, service] = connect();
    std::string request =
        "POST /pkg.Service/Method HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc-web+proto\r\n"
        "grpc-timeout: 250m\r\nContent-Length: 7\r\n\r\n" +
        std::string("\0\0\0\0\2hi", 7);
    client->say(request);
    service->hears(request);
    auto response = "HTTP/1.1 200 OK\r\nContent-Type: application/grpc-web+proto\r\n" + std::string(head) +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    for (char byte : response) service->say({&byte, 1});
    client->hears(response);
    return exchange(recorder.exchanges.size());
  }
};

TEST_F(GrpcWeb, a_call_ends_with_the_status_of_its_last_frame) {
  auto& e = answered("", std::string("\0\0\0\0\3yes\x80\0\0\0\x0fgrpc-status:0\r\n", 28));
  EXPECT_TRUE(e.grpc.is);
  EXPECT_EQ(e.grpc.timeout, 250 * kMillisecond);
  EXPECT_EQ(e.grpc.requests, 1u);
  EXPECT_EQ(e.grpc.responses, 1u);
  EXPECT_FALSE(e.grpc.cut);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 200);
}
TEST_F(GrpcWeb, a_call_that_fails_is_one_that_failed) {
  auto& e = answered("", std::string("\x80\0\0\0\x28grpc-status:14\r\ngrpc-message:too%20few\r\n", 45));
  EXPECT_EQ(e.service_status, 2014);
  EXPECT_EQ(e.client_status, 2014);
  EXPECT_EQ(e.grpc.message, "too few");
  EXPECT_EQ(e.grpc.responses, 0u);
}
TEST_F(GrpcWeb, a_status_may_stand_in_the_head_alone) {
  EXPECT_EQ(answered("grpc-status: 5\r\n", "").client_status, 2005);
}
TEST_F(GrpcWeb, a_call_without_a_status_is_no_success) {
  EXPECT_EQ(answered("", std::string("\0\0\0\0\3yes", 8)).client_status, 2002);
}
TEST_F(GrpcWeb, the_next_request_of_its_connection_is_none) {
  auto [client, service] = connect();
  for (std::string_view request :
       {"POST /a/b HTTP/1.1\r\nContent-Type: application/grpc-web\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n"}) {
    client->say(request);
    service->hears(request);
    service->say("HTTP/1.1 200 OK\r\ngrpc-status: 0\r\nContent-Length: 0\r\n\r\n");
    client->hears("HTTP/1.1 200 OK\r\ngrpc-status: 0\r\nContent-Length: 0\r\n\r\n");
  }
  EXPECT_TRUE(exchange(1).grpc.is);
  EXPECT_FALSE(exchange(2).grpc.is);
  EXPECT_EQ(exchange(2).client_status, 200);
}

}  // namespace
}  // namespace retrial::test
