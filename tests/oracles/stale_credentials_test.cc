// The old credentials after new ones were given.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

TEST(StaleCredentials, new_credentials_that_are_not_used_are_none) {
  auto renewed = [](int then, bool asked, int usually = 200) {
    Trial t("N2", "error(401)");
    t.reference.call("balance", "GET", "/accounts/a1").answers(usually);
    t.in_case().call("balance", "GET", "/accounts/a1").gets_error(401);
    if (asked) t.in_case().call("renew", "POST", "/tokens").answers(201);
    t.in_case().call("balance:2", "GET", "/accounts/a1").answers(then);
    return t.verdicts();
  };
  EXPECT_EQ(renewed(401, true), "stale-credentials likely");
  EXPECT_EQ(renewed(200, true), "");
  EXPECT_EQ(renewed(401, true, 401), "") << "it does so without the fault too";
  EXPECT_FALSE(renewed(401, false).contains("likely")) << "nothing was given that it could have used";
}

TEST(StaleCredentials, the_old_credentials_after_new_ones_are_none_whatever_the_service_says) {
  constexpr std::uint32_t kOld = 11, kNew = 12;
  auto renewed = [](std::uint32_t given, std::uint32_t sent, bool refused) {
    Trial t("N2", "error(401)");
    t.reference.call("balance", "GET", "/accounts/a1").answers(200);
    t.in_case().call("balance", "GET", "/accounts/a1").gets_error(401).last().credentials = kOld;
    t.in_case().call("renew", "POST", "/tokens").answers(201).last().credentials_given = given;
    t.in_case().call("balance:2", "GET", "/accounts/a1");
    if (refused)
      t.in_case().gets_error(401);
    else
      t.in_case().answers(200);
    t.in_case().last().credentials = sent;
    return t.verdicts();
  };
  for (bool refused : {true, false}) {
    EXPECT_EQ(renewed(kNew, kOld, refused), "stale-credentials likely") << refused;
    EXPECT_EQ(renewed(kNew, kNew, refused), "") << refused;
    EXPECT_EQ(renewed(kOld, kOld, refused), "") << "the service gives the same again";
    EXPECT_EQ(renewed(0, kOld, refused), "") << "what it gave is not known";
  }
}

TEST(StaleCredentials, a_parallel_call_that_was_made_before_the_renewal_is_none) {
  constexpr std::uint32_t kOld = 11, kNew = 12;
  auto parallel = [](std::uint32_t later, bool refused) {
    Trial t("N2", "error(401)");
    t.reference.call("note:1", "POST", "/notes").answers(201).call("note:2", "POST", "/notes").answers(201);
    t.in_case().call("note:1", "POST", "/notes").gets_error(401).last().credentials = kOld;
    t.in_case().call("renew", "POST", "/tokens").answers(201).last().credentials_given = kNew;
    t.in_case().call("note:2", "POST", "/notes").answers(refused ? 401 : 201).last().credentials = kOld;
    t.in_case().call("note:3", "POST", "/notes").answers(later == kOld && refused ? 401 : 201).last().credentials =
        later;
    return t.verdicts();
  };
  for (bool refused : {true, false}) {
    EXPECT_EQ(parallel(kNew, refused), "") << refused;
    EXPECT_EQ(parallel(kOld, refused), "stale-credentials likely") << refused;
  }
}

TEST(StaleCredentials, an_attempt_of_the_call_itself_says_which_it_has_whatever_comes_later) {
  constexpr std::uint32_t kOld = 11, kNew = 12;
  auto attempt = [](std::uint32_t second) {
    Trial t("N2", "error(401)");
    t.reference.call("note", "POST", "/notes").answers(201);
    t.in_case().call("note", "POST", "/notes").gets_error(401).last().credentials = kOld;
    t.in_case().call("renew", "POST", "/tokens").answers(201).last().credentials_given = kNew;
    auto& again = t.in_case().call("note", "POST", "/notes").answers(201).last();
    again.call = 1;
    again.attempt = 2;
    again.credentials = second;
    t.in_case().call("note:3", "POST", "/notes").answers(201).last().credentials = kNew;
    return t.verdicts();
  };
  EXPECT_EQ(attempt(kNew), "");
  EXPECT_EQ(attempt(kOld), "stale-credentials likely");
}

}  // namespace
}  // namespace retrial::oracles
