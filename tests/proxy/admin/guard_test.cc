#include "proxy/admin/guard.h"

#include <gtest/gtest.h>

namespace retrial::proxy {
namespace {

struct GuardOfTheAdminSide : ::testing::Test {
  Guard guard{.token = "0123456789abcdef", .hosts = {"127.0.0.1", "localhost", "[::1]", "retrial.staging"}};
  Caller caller{.path = "/v1/rules", .host = "127.0.0.1:9900", .authorization = "Bearer 0123456789abcdef"};
  int refused() {
    auto refusal = guard.refuses(caller);
    return refusal ? refusal->status : 0;
  }
};

TEST_F(GuardOfTheAdminSide, lets_in_who_has_the_token) {
  EXPECT_EQ(refused(), 0);
  caller.authorization = "bearer  0123456789abcdef";
  EXPECT_EQ(refused(), 0);
}

TEST_F(GuardOfTheAdminSide, asks_everybody_else_for_it) {
  for (auto wrong : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
                     "Basic 0123456789abcdef", "0123456789abcdef"}) {
    caller.authorization = wrong;
    EXPECT_EQ(refused(), 401) << wrong;
  }
  caller.authorization = "Bearer 0123456789abcdeg";
  EXPECT_TRUE(guard.refuses(caller)->wrong_token);
  caller.authorization = "";
  EXPECT_FALSE(guard.refuses(caller)->wrong_token) << "nobody guessed";
}

TEST_F(GuardOfTheAdminSide, tells_without_it_whether_it_is_well_and_shows_the_page_that_asks_for_it) {
  caller.authorization = "";
  for (auto open : {"/health", "/", "/page/page.js"}) {
    caller.path = open;
    EXPECT_EQ(refused(), 0) << open;
  }
  for (auto closed : {"/healthy", "//", "/v1/state", "/metrics", "/pagex"}) {
    caller.path = closed;
    EXPECT_EQ(refused(), 401) << closed;
  }
}

TEST_F(GuardOfTheAdminSide, is_called_by_its_own_names_alone_so_that_no_other_name_can_lead_a_browser_here) {
  for (auto own : {"localhost", "LOCALHOST:9900", "[::1]:9900", "[::1]", "Retrial.Staging:443"}) {
    caller.host = own;
    EXPECT_EQ(refused(), 0) << own;
  }
  for (auto other : {"", "attacker.example:9900", "127.0.0.1.attacker.example", "localhost.", "::1"}) {
    caller.host = other;
    caller.path = "/health";
    EXPECT_EQ(refused(), 421) << other;
  }
}

TEST_F(GuardOfTheAdminSide, refuses_pages_of_other_origins_whatever_they_know) {
  for (auto other :
       {"http://attacker.example", "http://127.0.0.1:8000", "http://127.0.0.1", "null", "127.0.0.1:9900"}) {
    caller.origin = other;
    EXPECT_EQ(refused(), 403) << other;
  }
  caller.origin = "http://127.0.0.1:9900";
  EXPECT_EQ(refused(), 0) << "its own page";
  caller.fetch_site = "cross-site";
  EXPECT_EQ(refused(), 403);
  caller.fetch_site = "same-origin";
  EXPECT_EQ(refused(), 0);
  guard.browsers = false;
  EXPECT_EQ(refused(), 403) << "where no token is asked for";
}

TEST_F(GuardOfTheAdminSide, asks_for_no_token_and_no_name_where_the_socket_s_mode_decides) {
  guard = {.token = {}, .hosts = {}};
  caller.authorization = "";
  caller.host = "anything";
  EXPECT_EQ(refused(), 0);
}

TEST(SameSecret, compares_texts_of_any_length) {
  EXPECT_TRUE(same_secret("", ""));
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("abc", "abd"));
}

}  // namespace
}  // namespace retrial::proxy
