#include "trace/comparing/body_change.h"

#include <gtest/gtest.h>

#include "tests/trace/wire.h"
#include "trace/calls/content.h"

namespace retrial::trace {
namespace {

struct Two {
  Exchange before, now;
  Change change() const { return change_between(before, now); }
  std::string what() const { return change().what; }
  bool alike() const { return content_key(before) == content_key(now); }
};
// Two attempts, three seconds apart.
Two two(std::string before, std::string now) {
  Two t{wire::request(before), wire::request(now)};
  t.before.begun = kSecond;
  t.before.request_read = kSecond + 1;
  t.now.begun = 4 * kSecond;
  t.now.request_read = 4 * kSecond + 1;
  return t;
}
Two bodies(std::string before, std::string now, std::string headers = "") {
  std::string head = "POST /orders HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
  return two(head + before, head + now);
}
Two headers(std::string before, std::string now) {
  std::string line = "PUT /things/1 HTTP/1.1\r\nHost: h\r\n";
  return two(line + before + "\r\n{}", line + now + "\r\n{}");
}

TEST(BodyChange, the_same_body_is_no_change_and_another_is_named) {
  EXPECT_FALSE(bodies(R"({"amount":1})", R"({"amount":1})").change());
  auto t = bodies(R"({"amount":1,"to":"a"})", R"({"amount":2,"to":"a"})");
  EXPECT_TRUE(t.change().body);
  EXPECT_EQ(t.what(), "in the body amount went from 1 to 2");
  EXPECT_FALSE(t.alike());
  EXPECT_TRUE(bodies("a=1&b=2", "a=1&b=3").change().body);
  EXPECT_TRUE(bodies("<o><n>1</n></o>", "<o><n>2</n></o>").change().body);
  EXPECT_TRUE(bodies(R"({"a":1})", R"({"a":1,"b":2})").change().body);
  EXPECT_TRUE(bodies("", "{}").change().body);
}

TEST(BodyChange, members_in_another_order_are_no_change_and_what_is_another_is_named) {
  auto shuffled = bodies(R"({"sku":"Ulm","qty":2,"gift":false})", R"({"gift":false,"qty":2,"sku":"Ulm"})");
  EXPECT_EQ(shuffled.what(), "");
  EXPECT_TRUE(shuffled.alike());
  EXPECT_EQ(bodies(R"({"sku":"Ulm","qty":2})", R"({"qty":3,"sku":"Ulm"})").what(), "in the body qty went from 2 to 3");
}

TEST(BodyChange, counters_nonces_and_signatures_are_what_retries_change) {
  for (auto [before, now] : std::vector<std::pair<std::string, std::string>>{
           {R"({"n":1,"attempt":1})", R"({"n":1,"attempt":2})"},
           {R"({"n":1,"retry_count": 9})", R"({"n":1,"retry_count": 10})"},
           {"Action=Send&Signature=abc&Timestamp=x", "Action=Send&Signature=def&Timestamp=y"},
           {"a=1&X-Amz-Date=20261122T001439Z&X-Amz-Signature=aa", "a=1&X-Amz-Date=20261122T001441Z&X-Amz-Signature=bb"},
           {"<r><Nonce>1</Nonce><n>1</n></r>", "<r><Nonce>2</Nonce><n>1</n></r>"},
           {"oauth_nonce=1&x=1", "oauth_nonce=2&x=1"}}) {
    auto t = bodies(before, now);
    EXPECT_FALSE(t.change()) << before << ": " << t.what();
    EXPECT_TRUE(t.alike()) << before;
  }
}

TEST(BodyChange, a_time_that_went_on_with_the_clock_is_no_change_and_another_day_is) {
  EXPECT_FALSE(bodies(R"({"at":"2026-11-22T00:14:39Z"})", R"({"at":"2026-11-22T00:14:42Z"})").change());
  EXPECT_FALSE(bodies(R"({"at":"2026-11-22T00:14:39.120Z"})", R"({"at":"2026-11-22T00:14:42.999Z"})").change());
  EXPECT_FALSE(bodies(R"({"made":1763770479})", R"({"made":1763770482})").change());
  EXPECT_FALSE(bodies(R"({"made":1763770479123})", R"({"made":1763770482123})").change());
  EXPECT_FALSE(bodies("at=2026-11-22T00%3A14%3A39Z", "at=2026-11-22T00%3A14%3A42Z").change());
  EXPECT_TRUE(bodies(R"({"at":"2026-11-22T00:14:39Z"})", R"({"at":"2026-11-23T00:14:39Z"})").change().body);
  EXPECT_TRUE(bodies(R"({"at":"2026-11-22T00:14:39Z"})", R"({"at":"2026-11-22T00:14:29Z"})").change().body);
  EXPECT_TRUE(bodies(R"({"made":3770479})", R"({"made":3770482})").change().body) << "a number like any other";
}

TEST(BodyChange, a_new_boundary_is_no_change_and_another_field_within_is) {
  auto form = [](std::string boundary, std::string text) {
    return "POST /up HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=\"" + boundary + "\"\r\n\r\n--" +
           boundary + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + text + "\r\n--" + boundary + "--\r\n";
  };
  auto same = two(form("1111", "x"), form("22222", "x"));
  EXPECT_FALSE(same.change()) << same.what();
  EXPECT_TRUE(same.alike());
  EXPECT_TRUE(two(form("1111", "x"), form("2222", "y")).change().body);
  auto large = two(form("1111", std::string(5000, 'x')), form("2222", std::string(5000, 'x')));
  EXPECT_FALSE(large.change());
  EXPECT_EQ(content_key(large.before), 0u);
}

TEST(BodyChange, a_boundary_in_whose_midst_the_sample_ends_is_none_either) {
  auto form = [](const std::string& boundary, std::size_t text) {
    std::string part = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
    return "POST /up HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=" + boundary + "\r\n\r\n" + part +
           std::string(text, 'x') + "\r\n" + part + std::string(3000, 'y') + "\r\n--" + boundary + "--\r\n";
  };
  for (std::size_t text = kSampleBytes - 200; text < kSampleBytes; text++) {
    auto t = two(form("28bad16a762b4fdd94cc", text), form("a42641c7a0724576b193", text));
    ASSERT_FALSE(t.change()) << text << t.what();
    t = two(form("28bad16a", text), form("28bad16a762b4fdd94cc", text));
    ASSERT_FALSE(t.change()) << text << t.what();
  }
}

TEST(BodyChange, a_key_in_the_body_is_a_key) {
  auto t = bodies(R"({"ClientToken":"a","n":1})", R"({"ClientToken":"b","n":1})");
  EXPECT_TRUE(t.change().key);
  EXPECT_FALSE(t.change().body);
}

TEST(BodyChange, of_bodies_that_were_not_read_or_are_packed_anew_nothing_is_said) {
  auto t = bodies("{\"n\":1}", "{\"n\"");
  t.now.request_read = 0;
  EXPECT_FALSE(t.change());
  for (auto* packing : {"Content-Encoding: gzip\r\n", "Content-Encoding: aws-chunked\r\n",
                        "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n"}) {
    auto packed = bodies("one", "two", packing);
    packed.before.request_sample = packed.now.request_sample = "";  // it could not be read
    EXPECT_FALSE(packed.change()) << packing;
    EXPECT_EQ(content_key(packed.now), 0u) << packing;
  }
}

TEST(BodyChange, what_a_packed_body_holds_is_compared_like_any_other) {
  auto gzip = "Content-Encoding: gzip\r\nContent-Length: 40\r\n";
  auto envelope = [](std::string id, std::string sent, std::string item) {
    return R"({"event_id":")" + id + R"(","sent_at":")" + sent + "\"}\n{\"type\":\"" + item + "\"}\n{\"n\":1}\n";
  };
  EXPECT_TRUE(bodies(envelope("a", "x", "event"), envelope("a", "y", "event"), gzip).alike()) << "sent once more";
  EXPECT_FALSE(bodies(envelope("a", "x", "event"), envelope("a", "y", "event"), gzip).change());
  EXPECT_FALSE(bodies(envelope("a", "x", "event"), envelope("b", "x", "event"), gzip).alike());
  EXPECT_EQ(bodies(envelope("a", "x", "event"), envelope("a", "x", "client_report"), gzip).what(),
            "in the body type went from event to client_report");
  auto secret = bodies("password=***&n=1", "password=***&n=1 ", gzip);
  EXPECT_EQ(content_key(secret.before), secret.before.request_digest | 1) << "how long it was is not known";
}

TEST(BodyChange, behind_the_sample_the_digest_speaks) {
  auto t = bodies(std::string(3000, 'a') + "1", std::string(3000, 'a') + "2");
  EXPECT_EQ(t.what(), "the body differs behind its first 2048 bytes");
  EXPECT_FALSE(t.alike());
  auto early = bodies("{\"n\":1,\"a\":" + std::string(3000, '1'), "{\"n\":2,\"a\":" + std::string(3000, '1'));
  EXPECT_EQ(early.what(), "in the body n went from 1 to 2");
  auto redacted =
      bodies("password=***&" + std::string(3000, 'a') + "1", "password=***&" + std::string(3000, 'a') + "2");
  EXPECT_FALSE(redacted.change()) << "what was taken out may be all that differs";
}

TEST(BodyChange, what_is_left_of_a_stream_is_told_by_its_bytes) {
  std::string all = "one,1\ntwo,2\nthree,3\n";
  EXPECT_EQ(bodies(all, "").what(), "the body is empty where it had 20 bytes");
  EXPECT_EQ(bodies(all, "three,3\n").what(), "only the end of the body was sent, 8 of 20 bytes");
  EXPECT_EQ(bodies(all, "one,1\n").what(), "only the beginning of the body was sent, 6 of 20 bytes");
  EXPECT_TRUE(bodies(all, "").change().shrunk);
  EXPECT_EQ(bodies(R"({"csv":"a,b,c","n":1})", R"({"csv":"","n":1})").what(),
            "a value in the body is empty where it had 5 bytes");
  EXPECT_TRUE(bodies("csv=a,b,c&n=1", "csv=&n=1").change().shrunk);
  EXPECT_TRUE(bodies(R"({"points":[{"at":1},{"at":2}],"n":1})", R"({"points":[],"n":1})").change().shrunk)
      << "what was drained";
  EXPECT_FALSE(bodies(R"({"points":[[1],[2]]})", R"({"points":[[1]]})").change().shrunk);
  EXPECT_TRUE(bodies("<csv>a,b,c</csv>", "<csv></csv>").change().shrunk);
  EXPECT_FALSE(bodies(R"({"signature":"a,b,c","n":1})", R"({"signature":"","n":1})").change().shrunk);
  EXPECT_FALSE(bodies(R"({"csv":"a,b,c","n":1})", R"({"csv":"","n":2})").change().shrunk) << "and something else";
  EXPECT_FALSE(bodies(R"({"csv":"a,b,c","n":1})", R"({"csv":"a","n":1})").change().shrunk);
  EXPECT_FALSE(bodies(R"(["one","two"])", R"(["one"])").change().shrunk);
  EXPECT_FALSE(bodies(all, "two,2\n").change().shrunk) << "of its middle";
  EXPECT_FALSE(bodies(all, all + "four").change().shrunk);
  EXPECT_FALSE(bodies("12", "1").change().shrunk) << "two numbers";
  EXPECT_FALSE(bodies("count=12", "count=1").change().shrunk);
  EXPECT_FALSE(bodies("", all).change().shrunk);
  EXPECT_FALSE(bodies("password=***", "password=***").change().shrunk) << "of two secrets one may be the longer";
}

TEST(BodyChange, a_beginning_of_what_was_not_kept_whole_is_known_by_both_sizes) {
  auto sized = [](std::size_t size) {
    return "PUT /f HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" + std::string(size, 'a');
  };
  EXPECT_EQ(two(sized(4000), sized(3000)).what(), "only the beginning of the body was sent, 3000 of 4000 bytes");
  EXPECT_FALSE(two(sized(3000), sized(4000)).change().shrunk);
  EXPECT_FALSE(bodies(std::string(4000, 'a'), std::string(3000, 'a')).change().shrunk) << "in chunks";
}

TEST(BodyChange, a_part_of_a_form_that_is_empty_now_is_known_under_a_new_boundary) {
  auto form = [](std::string boundary, std::string file) {
    auto body = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n" + file +
                "\r\n--" + boundary + "--\r\n";
    return "POST /up HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=" + boundary +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  for (auto size : {100, 10000}) {
    auto file = std::string(static_cast<std::size_t>(size), 'x');
    EXPECT_TRUE(two(form("1111", file), form("2222", "")).change().shrunk) << size;
    EXPECT_FALSE(two(form("1111", file), form("2222", file)).change()) << size;
    EXPECT_FALSE(two(form("1111", file), form("2222", "yyy")).change().shrunk) << size;
  }
}

TEST(BodyChange, of_bytes_that_nobody_reads_little_is_kept_and_it_is_not_all) {
  auto t = bodies(std::string(kUnreadSample, 'a') + "1", std::string(kUnreadSample, 'a') + "2");
  t.before.request_sample.resize(kUnreadSample);
  t.now.request_sample.resize(kUnreadSample);
  EXPECT_FALSE(t.alike());
  EXPECT_EQ(t.what(), "the body differs behind its first 256 bytes");
}

TEST(HeaderChange, keys_and_conditions_count) {
  auto key = headers("Idempotency-Key: a\r\n", "idempotency-key: b\r\n");
  EXPECT_TRUE(key.change().key);
  EXPECT_EQ(key.what(), "idempotency-key went from a to b");
  EXPECT_EQ(headers("Idempotency-Key: a\r\n", "").what(), "idempotency-key was left out");
  EXPECT_TRUE(headers("", "Idempotency-Key: a\r\n").change().key);
  EXPECT_TRUE(headers("If-Match: \"1\"\r\n", "If-Match: \"2\"\r\n").change().condition);
  EXPECT_TRUE(headers("If-Match: \"1\"\r\n", "").change().condition);
  EXPECT_TRUE(headers("Content-Range: bytes 0-9/30\r\n", "Content-Range: bytes 10-19/30\r\n").change().condition);
}

TEST(HeaderChange, what_attempts_make_anew_does_not) {
  for (auto [before, now] : std::vector<std::pair<std::string, std::string>>{
           {"Authorization: AWS4 a", "Authorization: AWS4 b"},
           {"Date: Sun, 22 Nov 2026 00:14:39 GMT", "Date: Sun, 22 Nov 2026 00:14:42 GMT"},
           {"X-Foo: 1", "Expect: 100-continue"},
           {"amz-sdk-request: attempt=1; max=3", "amz-sdk-request: attempt=2; max=3"},
           {"x-stainless-retry-count: 0", "x-stainless-retry-count: 1"},
           {"x-retry-count: 1", "x-retry-count: 2"},
           {"grpc-previous-rpc-attempts: 1", "grpc-previous-rpc-attempts: 2"},
           {"x-ms-client-request-id: a", "x-ms-client-request-id: b"},
           {"traceparent: 00-a-b-01", "traceparent: 00-a-c-01"},
           {"sentry-trace: a", "sentry-trace: b"},
           {"b3: a", "b3: b"},
           {"x-request-id: a", "x-request-id: b"},
           {"User-Agent: sdk/1 retry/0", "User-Agent: sdk/1 retry/1"}}) {
    auto t = headers(before + "\r\n", now + "\r\n");
    EXPECT_FALSE(t.change()) << before << ": " << t.what();
  }
}

TEST(TargetChange, is_seen_but_for_signatures_dates_and_counters) {
  auto target = [](std::string before, std::string now) {
    return two("GET " + before + " HTTP/1.1\r\n\r\n", "GET " + now + " HTTP/1.1\r\n\r\n");
  };
  EXPECT_FALSE(target("/b/k?X-Amz-Signature=a&n=1", "/b/k?X-Amz-Signature=b&n=1").change());
  EXPECT_FALSE(target("/b/k?retry=1", "/b/k?retry=2").change());
  EXPECT_TRUE(target("/b/k?n=1", "/b/k?n=2").change().target);
  EXPECT_TRUE(two("PUT /x HTTP/1.1\r\n\r\n", "POST /x HTTP/1.1\r\n\r\n").change().method);
  EXPECT_FALSE(two("POST /x HTTP/1.1\r\n\r\nbody", "GET /x HTTP/1.1\r\n\r\n").change().shrunk);
}

TEST(RangeChange, a_download_that_goes_on_is_no_change_and_another_part_is) {
  auto range = [](std::string before, std::string now) {
    auto line = std::string("GET /big HTTP/1.1\r\nHost: h\r\n");
    return two(line + before + "\r\n", line + now + "\r\n");
  };
  EXPECT_FALSE(range("", "Range: bytes=500-\r\nIf-Match: \"1\"\r\n").change());
  EXPECT_FALSE(range("Range: bytes=0-999\r\n", "Range: bytes=500-999\r\nIf-Range: \"1\"\r\n").change());
  EXPECT_FALSE(range("x-ms-range: bytes=0-999\r\n", "x-ms-range: bytes=500-999\r\n").change());
  EXPECT_TRUE(range("Range: bytes=0-999\r\n", "Range: bytes=1000-1999\r\n").change().condition);
  EXPECT_TRUE(range("Range: bytes=500-999\r\n", "Range: bytes=0-999\r\n").change().condition);
}

}  // namespace
}  // namespace retrial::trace
