#include "trace/status.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

TEST(Status, is_HTTPs_own_or_grpcs_above_two_thousand) {
  EXPECT_FALSE(is_grpc(200));
  EXPECT_FALSE(is_grpc(599));
  EXPECT_TRUE(is_grpc(2014));
  EXPECT_EQ(grpc_code_of(2014), grpc_code::unavailable);
  EXPECT_EQ(grpc_code_of(503), 0);
}

TEST(Status, of_a_grpc_status_field_is_OK_or_a_code_and_UNKNOWN_for_what_cannot_be_read) {
  EXPECT_EQ(status_of_grpc("0"), 200);
  EXPECT_EQ(status_of_grpc("14"), 2014);
  EXPECT_EQ(status_of_grpc("42"), 2042);
  for (auto text : {"", " 0", "-1", "+1", "1.5", "OK", "0x1", "99999999", "99999999999999999999999"})
    EXPECT_EQ(status_of_grpc(text), 2002) << text;
}

TEST(Status, is_shown_as_people_know_it_and_read_by_that_name) {
  EXPECT_EQ(show_status(503), "503");
  EXPECT_EQ(show_status(2014), "UNAVAILABLE");
  EXPECT_EQ(show_status(2016), "UNAUTHENTICATED");
  EXPECT_EQ(show_status(2042), "gRPC status 42");
  for (int code = 1; code <= 16; code++) EXPECT_EQ(grpc_status_named(show_status(kGrpcStatus + code)), 2000 + code);
  for (auto name : {"OK", "unavailable", "", "gRPC status 42", "503"}) EXPECT_EQ(grpc_status_named(name), std::nullopt);
}

TEST(Status, tells_a_service_that_failed_from_a_request_that_was_wrong) {
  for (int status : {500, 503, 2002, 2004, 2012, 2013, 2014, 2015, 2042}) EXPECT_TRUE(says_service_failed(status));
  for (int status : {200, 404, 429, 2001, 2003, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2016})
    EXPECT_FALSE(says_service_failed(status));
}

}  // namespace
}  // namespace retrial::trace
