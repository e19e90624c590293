// retries-permanent-error: by what was refused, and sent again all the same.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

Trial answered(int status, int more, std::vector<trace::Header> headers = {}, std::string method = "GET") {
  Trial t("N", "error");
  t.reference.call("load", method, "/things/lamp", headers).answers(200);
  t.in_case().call("load", method, "/things/lamp", headers).gets_error(status);
  for (int i = 0, gap = 1000; i < more; i++, gap *= 2) t.in_case().again(gap * kMillisecond).gets_error(status);
  return t;
}

TEST(RetriesPermanentError, a_400_or_404_that_is_sent_again_is_likely) {
  EXPECT_EQ(answered(400, 1).verdicts(), "retries-permanent-error likely");
  EXPECT_EQ(answered(404, 3, {}, "PUT").verdicts(), "retries-permanent-error likely");
  EXPECT_EQ(answered(400, 0).verdicts(), "");
}

TEST(RetriesPermanentError, another_service_may_take_what_this_one_does_not) {
  auto t = answered(400, 1);
  t.in_case().last().service = "127.0.0.1:9001";
  EXPECT_EQ(t.verdicts(), "");
}

TEST(RetriesPermanentError, of_things_that_are_alike_each_may_be_refused_for_itself) {
  auto alike = [](int before) {
    Trial t("N1", "error(400)");
    for (int n = 0; n < before; n++) t.reference.call("import", "POST", "/customers").answers(201);
    t.in_case().call("import", "POST", "/customers").gets_error(400);
    t.in_case().again(5 * kMillisecond, trace::Confidence::likely).gets_error(400);
    return t.verdicts();
  };
  EXPECT_EQ(alike(2), "");
  EXPECT_EQ(alike(1), "retries-permanent-error likely");
}

TEST(RetriesPermanentError, what_undoes_it_at_the_same_place_is_none) {
  auto undone = [](std::uint64_t digest) {
    Trial t("N1", "error(400)");
    t.reference.call("seat", "PUT", "/tenancies/1").answers(200);
    t.in_case().call("seat", "PUT", "/tenancies/1").gets_error(400);
    t.in_case().last().request_digest = 7;
    t.in_case().again(50 * kMillisecond, trace::Confidence::possible).last().request_digest = digest;
    t.in_case().answers(200);
    return t.verdicts();
  };
  EXPECT_EQ(undone(7), "retries-permanent-error possible");
  EXPECT_EQ(undone(8), "");
}

// An outbox that is gone through a second time: between the two attempts of a parcel another was sent for the first
// time.
TEST(RetriesPermanentError, who_has_gone_on_to_the_next_thing_comes_back_on_another_occasion) {
  auto verdicts = [](bool another) {
    Trial t("N1", "error(400)");
    t.reference.call("flush", "POST", "/parcels/71").answers(201).call("flush", "POST", "/parcels/72").answers(201);
    auto& tale = t.in_case().call("flush", "POST", "/parcels/71").gets_error(400);
    auto first = tale.last();
    if (another) tale.call("flush", "POST", "/parcels/72").answers(201);
    tale.waits(kSecond).call("flush", "POST", "/parcels/71").gets_error(400);
    tale.last().call = first.call;
    tale.last().attempt = 2;
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(false), "retries-permanent-error likely");
  EXPECT_EQ(verdicts(true), "");
}

TEST(RetriesPermanentError, a_look_at_what_is_not_there_may_wait_for_it) {
  EXPECT_EQ(answered(404, 3).verdicts(), "retries-permanent-error possible");
}

TEST(RetriesPermanentError, a_look_that_comes_evenly_again_and_again_may_wait_for_a_service) {
  Trial even = answered(400, 0);
  for (int i = 0; i < 5; i++) even.in_case().again(500 * kMillisecond).gets_error(400);
  EXPECT_EQ(even.verdicts(), "retries-permanent-error possible");
  EXPECT_EQ(answered(400, 6).verdicts(), "retries-permanent-error likely") << "it backs off";
  Trial hurried = answered(400, 0);
  for (int i = 0; i < 5; i++) hurried.in_case().again(10 * kMillisecond).gets_error(400);
  EXPECT_TRUE(hurried.verdicts().contains("retries-permanent-error likely")) << hurried.verdicts();
}

TEST(RetriesPermanentError, what_may_pass_is_none) {
  for (int status : {408, 409, 423, 425, 429, 500, 503}) EXPECT_EQ(answered(status, 2).verdicts(), "") << status;
}

TEST(RetriesPermanentError, once_more_with_a_new_token_is_right_and_twice_is_not) {
  EXPECT_EQ(answered(401, 1).verdicts(), "");
  EXPECT_EQ(answered(403, 1).verdicts(), "");
  EXPECT_EQ(answered(401, 2).verdicts(), "retries-permanent-error likely");
}

TEST(RetriesPermanentError, to_look_again_whether_it_is_there_is_right) {
  EXPECT_EQ(answered(404, 5, {}, "HEAD").verdicts(), "");
}

TEST(RetriesPermanentError, an_answer_that_asks_for_another_try_is_none) {
  Trial t("N", "error(400, retry-after=1)");
  t.reference.call("load", "GET", "/things/lamp").answers(200);
  t.in_case().call("load", "GET", "/things/lamp").gets_error(400, 1);
  t.in_case().again(1005 * kMillisecond).gets_error(400, 1);
  EXPECT_EQ(t.verdicts(), "");
}

}  // namespace
}  // namespace retrial::oracles
