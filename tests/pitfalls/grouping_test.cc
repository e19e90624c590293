// Which requests are attempts of one call, without any agent: by what clients of real libraries send with them.
#include <gtest/gtest.h>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

const Traffic::From kBare{.site = ""};
std::string request(std::string line, std::string headers) {
  return line + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n\r\n";
}

struct Kept {
  std::string line, with, id;
};
const std::vector<Kept> kKept{
    {"GET /acct/q/messages", "x-ms-version: 2025\r\nx-ms-date: x\r\nx-ms-client-request-id: ", "11"},
    {"GET /b/k", "x-amz-content-sha256: x\r\namz-sdk-invocation-id: ", "f2cb"},
    {"GET /storage/v1/b/shelf", "x-goog-api-client: gl-node/20 gccl/7 gccl-invocation-id/", "48e8"},
    {"POST /v1/customers", "Idempotency-Key: ", "k-1"}};

TEST(IdHeaders, that_stay_name_the_call_on_new_connections_and_among_parallel_ones) {
  for (auto& [line, with, id] : kKept) {
    SCOPED_TRACE(with);
    Traffic t;
    auto one = t.begin(request(line, with + id), kBare), other = t.begin(request(line, with + "other"), kBare);
    t.inject(one, 503);
    t.inject(other, 503);
    EXPECT_ATTEMPT((t.begin(request(line, with + "other"), kBare)), other, 2, certain);
    EXPECT_ATTEMPT((t.begin(request(line, with + id), kBare)), one, 2, certain);
  }
}

TEST(IdHeaders, that_are_another_with_every_attempt_prove_nothing) {
  for (auto& [line, with, id] : kKept) {
    SCOPED_TRACE(with);
    Traffic t;
    auto first = t.begin(request(line, with + id));
    t.inject(first, 503);
    EXPECT_ATTEMPT((t.begin(request(line, with + "new"))), first, 2, likely);
  }
}

TEST(Counters, go_on_from_the_attempt_that_counted_one_less) {
  struct Counted {
    std::string line, name;
    std::vector<std::string> values;
  };
  for (auto& [line, name, values] : std::vector<Counted>{
           {"GET /b/k", "amz-sdk-request", {"attempt=1; max=3", "attempt=2; max=3", "attempt=3; max=3"}},
           {"GET /v1/things", "x-stainless-retry-count", {"0", "1", "2"}},
           {"GET /v1/things", "x-retry-count", {"0", "1", "2"}},
           {"GET /storage/v1/b/shelf",
            "x-goog-api-client",
            {"gccl/7 gccl-attempt-count/1", "gccl/7 gccl-attempt-count/2", "gccl/7 gccl-attempt-count/3"}}}) {
    auto count = [&, line = line, name = name, values = values](std::size_t n) {
      return request(line, name + ": " + values[n]);
    };
    SCOPED_TRACE(name);
    Traffic t;
    auto first = t.begin(count(0), kBare);
    t.inject(first, 503);
    auto second = t.begin(count(1), kBare);
    EXPECT_ATTEMPT(second, first, 2, likely);
    t.inject(second, 503);
    EXPECT_OWN_CALL(t.begin(count(1), kBare));  // another call's second attempt
    EXPECT_ATTEMPT((t.begin(count(2), kBare)), first, 3, likely);
  }
}

TEST(RequestsOfTheLibrarysOwn, are_no_attempts_of_what_they_serve) {
  for (auto site : {"app/shop.py:9:save", ""}) {
    Traffic t;
    Traffic::From from{.site = site};
    auto asks = [&](std::string line, int status) {
      auto e = t.begin(request(line, "x-amz-content-sha256: x"), from);
      EXPECT_OWN_CALL(e);
      t.serve(e, status);
    };
    auto put = t.begin(request("PUT /shelf/lamp", "x-amz-content-sha256: x"), from);
    t.inject(put, 503);
    asks("GET /shelf?location", 200);    // where is the bucket?
    asks("GET /?comp=properties", 200);  // may I read the account?
    asks("POST /shelf/lamp?uploads", 200);
    asks("HEAD /shelf/lamp", 404);        // is it there?
    asks("GET /shelf?list-type=2", 200);  // a listing
    asks("POST /errors", 202);            // a report of the error
    auto again = t.begin(request("PUT /shelf/lamp", "x-amz-content-sha256: x"), from);
    EXPECT_EQ(again.call, put.call);
    EXPECT_EQ(again.attempt, 2);
  }
}

TEST(Downloads, that_go_on_where_they_were_cut_off_are_attempts_and_other_parts_are_not) {
  Traffic t;
  auto part = [&](std::string range) {
    return t.begin(request("GET /b/k", "x-amz-content-sha256: x\r\nRange: bytes=" + range + "\r\nIf-Match: \"1\""));
  };
  auto first = t.begin(request("GET /b/k", "x-amz-content-sha256: x"));
  first.answered = first.begun + kMillisecond;
  first.service_status = 200;
  t.reset(first);
  auto rest = part("500-");
  EXPECT_ATTEMPT(rest, first, 2, likely);
  rest.answered = rest.begun + kMillisecond;
  rest.service_status = 206;
  t.reset(rest);
  EXPECT_OWN_CALL(part("0-99"));
  EXPECT_ATTEMPT((part("800-")), first, 3, likely);
}

// Of one upload in blocks that differ in one parameter.
TEST(ParallelBlocks, come_back_each_to_its_own) {
  Traffic t;
  auto block = [&](std::string id) {
    return t.begin(request("PUT /acct/c/b?comp=block&blockid=" + id, "x-ms-version: 2025\r\nx-ms-date: x"), kBare);
  };
  auto a = block("AAAA"), b = block("BBBB");
  t.inject(a, 503);
  t.inject(b, 503);
  EXPECT_ATTEMPT((block("BBBB")), b, 2, possible);
  EXPECT_ATTEMPT((block("AAAA")), a, 2, possible);
}

}  // namespace
}  // namespace retrial::trace
