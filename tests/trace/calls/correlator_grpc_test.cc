#include "tests/trace/traffic.h"
#include "trace/status.h"

namespace retrial::trace {
namespace {

constexpr int kUnavailable = kGrpcStatus + grpc_code::unavailable;
std::string rpc(std::string path, int previous = 0) {
  return "POST " + path + " HTTP/1.1\r\nuser-agent: grpc-go/1.70\r\ncontent-type: application/grpc\r\n" +
         (previous ? "grpc-previous-rpc-attempts: " + std::to_string(previous) + "\r\n" : "") + "\r\n" + path;
}
constexpr const char* kPut = "/etcdserverpb.KV/Put";

// An application without an agent on one HTTP/2 connection, on which every exchange is a stream.
class Channel : public Traffic {
 public:
  using Traffic::Traffic;
  Exchange send(std::string path = kPut, int previous = 0, std::string site = "", std::string body = "m") {
    stream_ += 2;
    auto raw = rpc(path, previous);
    return begin(raw.substr(0, raw.size() - path.size()) + body,
                 {.site = site, .test = "", .connection = 5, .stream = stream_});
  }
  Exchange& fail(Exchange& e, int status = kUnavailable) { return serve(e, status); }
  Exchange& refuse(Exchange& e) {
    e.refused = true;
    e.aborted = Exchange::Aborted::by_service;
    return reset(e);
  }
  Exchange& cancel(Exchange& e) {
    e.aborted = Exchange::Aborted::by_client;
    end(e, Ending::client_left);
    return e;
  }

 private:
  std::uint32_t stream_ = 1;
};

TEST(GrpcCorrelator, a_retry_that_counts_itself_is_certain_where_one_call_waits) {
  Channel c;
  auto first = c.send();
  c.fail(first);
  auto second = c.send(kPut, 1);
  EXPECT_ATTEMPT(second, first, 2, certain);
  c.fail(second);
  EXPECT_ATTEMPT(c.send(kPut, 2), first, 3, certain);
}

TEST(GrpcCorrelator, calls_in_parallel_are_told_apart_by_how_often_they_were_tried_and_else_possible) {
  Channel c;
  auto one = c.send(), other = c.send();
  c.fail(one), c.fail(other);
  auto again = c.send(kPut, 1);
  EXPECT_ATTEMPT(again, one, 2, possible);
  c.fail(again);
  EXPECT_ATTEMPT(c.send(kPut, 2), one, 3, certain);
  EXPECT_ATTEMPT(c.send(kPut, 1), other, 2, certain);
}

TEST(GrpcCorrelator, a_stream_of_the_same_connection_is_no_nearer_than_another) {
  Channel c;
  auto far = c.begin(rpc(kPut), {.site = "", .test = "", .connection = 9, .stream = 1});
  auto near = c.send();
  c.fail(far), c.fail(near);
  EXPECT_ATTEMPT(c.send(), far, 2, possible);
}

TEST(GrpcCorrelator, a_retry_goes_on_after_any_code_since_its_policy_may_name_it) {
  Channel c;
  auto first = c.send();
  c.fail(first, kGrpcStatus + grpc_code::not_found);
  EXPECT_ATTEMPT(c.send(kPut, 1), first, 2, certain);
}

TEST(GrpcCorrelator, a_service_that_says_no_is_asked_anew_and_one_that_failed_is_asked_again) {
  for (int code = 1; code <= 17; code++) {
    Channel c;
    auto first = c.send(kPut, 0, "app/kv.py:7:put");
    c.fail(first, kGrpcStatus + code);
    auto next = c.send(kPut, 0, "app/kv.py:7:put");
    bool no = code == 3 || code == 5 || code == 6 || code == 7 || code == 9 || code == 11 || code == 12 || code == 16;
    EXPECT_EQ(next.attempt, no ? 1 : 2) << code;
    EXPECT_EQ(next.confidence, no ? Confidence::certain : Confidence::likely) << code;
  }
}

TEST(GrpcCorrelator, what_was_refused_is_sent_again_unseen_without_a_count) {
  Channel c;
  auto first = c.send();
  c.refuse(first);
  auto again = c.send();
  EXPECT_ATTEMPT(again, first, 2, likely);
  c.fail(again);
  auto retry = c.send(kPut, 1);
  EXPECT_ATTEMPT(retry, first, 3, certain);
  c.refuse(retry);
  EXPECT_ATTEMPT(c.send(kPut, 1), first, 4, certain);
}

TEST(GrpcCorrelator, two_refused_calls_that_look_alike_are_possible) {
  Channel c;
  auto one = c.send(), other = c.send();
  c.refuse(one), c.refuse(other);
  EXPECT_ATTEMPT(c.send(), one, 2, possible);
}

TEST(GrpcCorrelator, without_a_call_site_another_message_turns_out_to_be_another_call) {
  Channel c;
  auto one = c.send(kPut, 0, "", "a=1");
  c.fail(one);
  auto two = c.send(kPut, 0, "", "b=2");
  EXPECT_ATTEMPT(two, one, 2, possible);
  c.fail(two);
  auto again = c.send(kPut, 0, "", "b=2");
  c.serve(again, 200);
  auto& all = c.run.exchanges;
  Correlator::correlate_again(all);
  EXPECT_EQ(all[0].call, one.call);
  EXPECT_NE(all[1].call, one.call);
  EXPECT_EQ(all[1].attempt, 1);
  EXPECT_EQ(all[1].confidence, Confidence::certain);
  EXPECT_EQ(all[2].call, all[1].call);
  EXPECT_EQ(all[2].attempt, 2);
  EXPECT_EQ(all[2].confidence, Confidence::likely) << "nothing else that could have gone on was under way";
}

TEST(GrpcCorrelator, messages_have_no_length_ahead_so_a_digest_tells_two_of_one_call_site_apart) {
  Channel c;
  auto first = c.send(kPut, 0, "app/kv.py:7:put", "a=1");
  c.fail(first);
  auto next = c.send(kPut, 0, "app/kv.py:7:put", "b=2");
  EXPECT_ATTEMPT(next, first, 2, likely);
  c.serve(next, 200);
  Correlator::correlate_again(c.run.exchanges);
  EXPECT_EQ(c.run.exchanges.back().confidence, Confidence::possible);
}

TEST(GrpcCorrelator, copies_that_are_sent_while_the_first_is_open_belong_to_its_call) {
  Channel c;
  auto first = c.send(), second = c.send(kPut, 1), third = c.send(kPut, 2);
  EXPECT_ATTEMPT(second, first, 2, certain);
  EXPECT_ATTEMPT(third, first, 3, certain);
  c.serve(second, 200);
  c.cancel(first), c.cancel(third);
  EXPECT_OWN_CALL(c.send());  // the call has succeeded: its other copies were cancelled
}

TEST(GrpcCorrelator, a_copy_after_one_of_several_has_failed_counts_on) {
  Channel c;
  auto first = c.send(), second = c.send(kPut, 1);
  c.fail(first);
  auto third = c.send(kPut, 2);
  EXPECT_ATTEMPT(third, first, 3, certain);
  c.fail(second), c.fail(third);
  EXPECT_ATTEMPT(c.send(kPut, 3), first, 4, certain);
}

TEST(GrpcCorrelator, calls_in_parallel_without_a_count_are_no_copies) {
  Channel c;
  auto first = c.send(), second = c.send();
  EXPECT_OWN_CALL(second);
  EXPECT_NE(first.call, second.call);
  EXPECT_ATTEMPT(c.send(kPut, 1), first, 2, possible);
}

TEST(GrpcCorrelator, a_count_of_what_was_never_seen_begins_a_call) {
  Channel c;
  auto first = c.send(kPut, 1);
  EXPECT_OWN_CALL(first);
  c.serve(first, 200);
  EXPECT_OWN_CALL(c.send(kPut, 3));
  EXPECT_OWN_CALL(c.send("/etcdserverpb.KV/Range", 2));  // another method
}

TEST(GrpcCorrelator, a_channel_may_go_to_another_address_of_the_name) {
  Channel c;
  auto first = c.begin(rpc(kPut), {.site = "", .test = "", .service = "127.0.0.1:2379", .stream = 1});
  c.fail(first);
  EXPECT_ATTEMPT(c.begin(rpc(kPut, 1), {.site = "", .test = "", .service = "[::1]:2379", .stream = 1}), first, 2,
                 certain);
}

TEST(GrpcCorrelator, credentials_that_were_asked_for_make_a_call_of_their_own) {
  Channel c;
  auto first = c.send(kPut, 0, "app/kv.py:7:put");
  c.fail(first, kGrpcStatus + grpc_code::unauthenticated);
  EXPECT_OWN_CALL(c.send(kPut, 0, "app/kv.py:7:put"));
}

}  // namespace
}  // namespace retrial::trace
