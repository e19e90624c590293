#pragma once
#include "proxy/codec/h2.h"
#include "tests/support/h2_end.h"

// Faults on a stream: what the service hears, what the client hears, what is recorded, and what another stream of the
// same connection meets.
namespace retrial::test {

inline const std::string kGrpcHead = "HEADERS 3 | :status: 200 | content-type: application/grpc";

// Stream 1 is open all the time, and exchange 1. The fault is done to exchange 2, on stream 3.
class H2Faults : public H2Conversation {
 protected:
  void SetUp() override {
    meet();
    passes(asks(1));
  }
  void plan(std::string_view fault) { H2Conversation::plan(2, fault); }
  void other_goes_on() {
    passes_back("HEADERS 1 | :status: 200");
    passes_back("DATA 1 end whole");
    EXPECT_EQ(over(1).ending, trace::Ending::answered);
    EXPECT_FALSE(over(1).fired);
    client->hears_nothing();
    service->hears_nothing();
  }
  // The connection has ended for all streams.
  void other_is_lost(trace::Ending ending) {
    EXPECT_EQ(over(1).ending, ending);
    EXPECT_FALSE(over(1).fired);
    EXPECT_EQ(proxy->connections(), 0u);
  }
  void fired(std::string_view evidence, trace::Ending ending, int client_status, int service_status) {
    H2Conversation::fired(2, evidence, ending, client_status, service_status);
  }
  void spared(std::string_view why) { H2Conversation::spared(2, why); }
  void aborted(std::string_view code, bool refused = false) {
    EXPECT_EQ(over(2).aborted, trace::Exchange::Aborted::by_us);
    EXPECT_EQ(proxy::show_h2_error(over(2).abort_code), code);
    EXPECT_EQ(over(2).refused, refused);
  }
  // Held, until the client resets the stream.
  void held() {
    client->hears_nothing();
    EXPECT_EQ(proxy->held_exchanges(), 1u);
    EXPECT_NE(proxy->held_since(), 0);
    client->say("RST_STREAM 3 CANCEL");
    quiet();
    EXPECT_EQ(proxy->held_exchanges(), 0u);
  }
  void answers() { service->say("HEADERS 3 | :status: 200 | content-length: 10\nDATA 3 01234\nDATA 3 end 56789"); }
};

}  // namespace retrial::test
