#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proxy/out/access_log.h"
#include "proxy/out/otlp.h"
#include "proxy/out/prometheus.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
using Json = nlohmann::json;
constexpr WallTime kWall{.began = kSecond, .wall_began = 1'700'000'000 * kSecond};

trace::Exchange exchange() {
  trace::Exchange e;
  e.id = 7;
  e.connection = 2;
  e.service = "127.0.0.1:10001";
  e.host = "queue";
  e.method = "POST";
  e.target = "/messages?sig=REDACTED";
  e.operation = "POST /messages";
  e.request_lines = "Host: queue\r\nTraceParent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nA: b\r\n";
  e.begun = kSecond + 250 * kMillisecond;
  e.request_read = e.begun + kMillisecond;
  e.answered = e.begun + 3 * kMillisecond;
  e.told = e.begun + 5 * kMillisecond;
  e.ending = trace::Ending::answered;
  e.service_status = 201;
  e.client_status = 503;
  e.attempt = 2;
  e.call = 3;
  e.fault.name = trace::FaultName::error;
  e.fault.status = 503;
  e.fault_id = "9-7";
  e.fired = true;
  e.fired_at = e.begun + 4 * kMillisecond;
  e.evidence = "503 in place of \"201\"";
  return e;
}

TEST(AccessLog, has_every_field_in_json_once_and_numbers_as_numbers) {
  auto line = AccessFormat::parse("json")->line(exchange(), kWall);
  auto json = Json::parse(line);
  EXPECT_EQ(json["time"], "2023-11-14T22:13:20.250Z");
  EXPECT_EQ(json["status"], "503");
  EXPECT_EQ(json["own_status"], "201");
  EXPECT_EQ(json["ms"], 5.0);
  EXPECT_EQ(json["own_ms"], 2.0);
  EXPECT_EQ(json["fault"], "error(503)");
  EXPECT_EQ(json["evidence"], "503 in place of \"201\"");
  EXPECT_EQ(json["attempt"], 2);
  EXPECT_FALSE(json.contains("call_site")) << "what is not known is left out";
}

TEST(AccessLog, is_written_by_a_format_in_which_nothing_that_a_client_sends_begins_a_line) {
  auto format = AccessFormat::parse("{method} {target} -> {status} in {ms} ms; {call_site}.");
  ASSERT_TRUE(format) << format.error().line();
  auto e = exchange();
  e.target = "/a\n127.0.0.1 GET /forged\x1b[2J";
  EXPECT_EQ(format->line(e, kWall), "POST /a?127.0.0.1 GET /forged?[2J -> 503 in 5.000 ms; -.");
}

TEST(AccessLog, says_what_is_wrong_with_a_format) {
  auto wrong = AccessFormat::parse("{statsu}");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what,
            "expected \"json\", or a text with names of fields in braces, found {statsu}, did you mean {status}?");
  EXPECT_FALSE(AccessFormat::parse("{status"));
}

TEST(AccessLog, takes_bytes_that_are_no_utf_8) {
  auto e = exchange();
  e.target = "/\xff\xfe";
  EXPECT_FALSE(Json::parse(AccessFormat::parse("json")->line(e, kWall), nullptr, false).is_discarded());
}

TEST(Traceparent, is_read_as_its_specification_has_it) {
  auto with = [](std::string value) {
    auto e = exchange();
    e.request_lines = "traceparent: " + value + "\r\n";
    return trace_parent_of(e);
  };
  auto parent = with("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(parent->span, "b7ad6b7169203331");
  EXPECT_TRUE(parent->sampled);
  EXPECT_FALSE(with("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")->sampled);
  EXPECT_TRUE(with("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0b")->sampled);
  EXPECT_FALSE(with("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0a")->sampled);
  EXPECT_TRUE(with("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later")) << "a later version";
  for (auto wrong : {"", "00", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                     "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                     "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                     "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-0af7-b7ad-01"})
    EXPECT_FALSE(with(wrong)) << wrong;
}

TEST(OtlpSpan, is_a_child_of_the_application_s_span_with_the_fault_as_an_event) {
  auto span = Json::parse(otlp_span(exchange(), kWall, 5));
  EXPECT_EQ(span["traceId"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(span["parentSpanId"], "b7ad6b7169203331");
  EXPECT_EQ(span["spanId"].get<std::string>().size(), 16u);
  EXPECT_EQ(span["name"], "POST /messages");
  EXPECT_EQ(span["startTimeUnixNano"], "1700000000250000000");
  EXPECT_EQ(span["endTimeUnixNano"], "1700000000255000000");
  EXPECT_EQ(span["status"]["code"], 2);
  std::map<std::string, Json> attributes;
  for (auto& one : span["attributes"]) attributes[one["key"]] = one["value"];
  EXPECT_EQ(attributes["http.response.status_code"]["intValue"], "503");
  EXPECT_EQ(attributes["http.request.resend_count"]["intValue"], "1");
  EXPECT_EQ(attributes["url.path"]["stringValue"], "/messages");
  ASSERT_EQ(span["events"].size(), 1u);
  EXPECT_EQ(span["events"][0]["name"], "retrial.fault");
  EXPECT_EQ(span["events"][0]["timeUnixNano"], "1700000000254000000");
}

TEST(OtlpSpan, has_a_trace_of_its_own_where_the_application_has_none) {
  auto e = exchange();
  e.request_lines.clear();
  auto one = Json::parse(otlp_span(e, kWall, 5)), other = Json::parse(otlp_span(e, kWall, 6));
  EXPECT_EQ(one["traceId"].get<std::string>().size(), 32u);
  EXPECT_FALSE(one.contains("parentSpanId"));
  EXPECT_NE(one["traceId"], other["traceId"]) << "of another process";
  auto body = Json::parse(otlp_export(one.dump() + "," + other.dump(), "re\"trial", 5));
  EXPECT_EQ(body["resourceSpans"][0]["scopeSpans"][0]["spans"].size(), 2u);
}

TEST(PrometheusText, escapes_what_its_format_asks_for) {
  PrometheusText out;
  out.family("retrial_x_total", "counter", "A \\ and\na line.");
  out.sample({{"a", "say \"hi\"\\\n"}}, std::uint64_t{3});
  out.sample({}, 0.5, "_sum");
  EXPECT_EQ(out.text(),
            "# HELP retrial_x_total A \\\\ and\\na line.\n# TYPE retrial_x_total counter\n"
            "retrial_x_total{a=\"say \\\"hi\\\"\\\\\\n\"} 3\nretrial_x_total_sum 0.5\n");
}

}  // namespace
}  // namespace retrial::proxy
