#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "proxy/codec/protobuf.h"
#include "proxy/out/access_log.h"
#include "proxy/out/otlp.h"
#include "proxy/out/prometheus.h"
#include "proxy/out/span.h"
#include "tests/support/folder.h"
#include "tests/support/sockets.h"
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

// As of a disk that is full: what is written ends after so many bytes of the file.
class Full {
 public:
  explicit Full(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~Full() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST(LineFile, has_whole_lines_alone_where_a_disk_was_full_and_counts_those_that_are_not_there) {
  test::Folder folder;
  LineFile file((folder.path() / "access.log").string());
  ASSERT_TRUE(file.open());
  {
    Full full(12);
    EXPECT_TRUE(file.write("one\n"));
    auto written = file.write("two\nthree\nfour\n");
    EXPECT_FALSE(written);
    EXPECT_NE(written.error().line().find("cannot be written"), std::string::npos);
    EXPECT_EQ(file.lost(), 2u);
    EXPECT_FALSE(file.write("five\n"));
    EXPECT_EQ(file.lost(), 3u);
  }
  EXPECT_TRUE(file.write("six\n"));
  EXPECT_EQ(test::contents(folder.path() / "access.log"), "one\ntwo\nsix\n");
}

TEST(LineFile, takes_back_its_own_bytes_alone_where_others_write_too) {
  test::Folder folder;
  auto path = folder.path() / "access.log";
  LineFile file(path.string());
  ASSERT_TRUE(file.open());
  std::ofstream(path) << "another's\n";
  {
    Full full(12);
    EXPECT_FALSE(file.write("three\n"));
  }
  EXPECT_TRUE(file.write("four\n"));
  EXPECT_EQ(test::contents(path), "another's\nfour\n");
}

// A receiver that takes a batch and never answers.
TEST(OtlpExporter, ends_soon_whatever_its_receiver_does) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto at = Address::v4(INADDR_LOOPBACK, 0);
  socklen_t size = sizeof at.storage_;
  ASSERT_EQ(bind(listener, at.get(), at.size()), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  getsockname(listener, at.get(), &size);
  test::KeptLog log;
  auto began = std::chrono::steady_clock::now();
  {
    OtlpExporter exporter({.at = *http_address_of(at.show()), .path = "/v1/traces", .timeout = 60 * kSecond}, log);
    OtlpRecords records;
    records.add([](auto& out) { out += "a span"; });
    exporter.add(records);
    EXPECT_EQ(records.count, 0u);
    exporter.flush();
    int taken = accept(listener, nullptr, nullptr);
    records.add([](auto& out) { out += "another"; });
    exporter.add(records);
    exporter.flush();
    EXPECT_GE(taken, 0);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20)) << "60 s is what it asked for";
  EXPECT_EQ(log.count("traces were not taken"), 1);
  close(listener);
}

TEST(Traceparent, is_read_as_its_specification_has_it) {
  auto e = exchange();
  auto with = [&e](std::string value) {
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

// Fields of a message by number, and of attributes the values by key.
struct Told {
  explicit Told(std::string_view bytes) {
    ProtoReader in(bytes);
    for (ProtoField f; in.next(f);) {
      numbers[f.number] = f.value;
      texts[f.number].push_back(std::string(f.bytes));
    }
    EXPECT_FALSE(in.broken());
  }
  std::string text(std::uint32_t field) const { return texts.contains(field) ? texts.at(field).front() : ""; }
  // A number as text.
  std::map<std::string, std::string> attributes(std::uint32_t field) const {
    std::map<std::string, std::string> out;
    if (texts.contains(field))
      for (auto& one : texts.at(field)) {
        Told pair(one), value(pair.text(2));
        out[pair.text(1)] = value.texts.contains(1) ? value.text(1) : std::to_string(value.numbers.at(3));
      }
    return out;
  }
  std::map<std::uint32_t, std::uint64_t> numbers;
  std::map<std::uint32_t, std::vector<std::string>> texts;
};
std::string hexed(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) out += hex(c, 2);
  return out;
}
std::string span_of(const trace::Exchange& e, std::uint64_t id = 5) {
  std::string out;
  write_span(out, e, trace_parent_of(e), kWall, id);
  return out;
}

TEST(OtlpSpan, is_a_child_of_the_application_s_span_with_the_fault_as_an_event) {
  Told span(span_of(exchange()));
  EXPECT_EQ(hexed(span.text(1)), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(hexed(span.text(4)), "b7ad6b7169203331");
  EXPECT_EQ(span.text(2).size(), 8u);
  EXPECT_EQ(span.text(5), "POST /messages");
  EXPECT_EQ(span.numbers[6], 3u) << "a client's";
  EXPECT_EQ(span.numbers[7], 1700000000250000000u);
  EXPECT_EQ(span.numbers[8], 1700000000255000000u);
  EXPECT_EQ(Told(span.text(15)).numbers[3], 2u) << "an error";
  auto attributes = span.attributes(9);
  EXPECT_EQ(attributes["http.response.status_code"], "503");
  EXPECT_EQ(attributes["http.request.resend_count"], "1");
  EXPECT_EQ(attributes["url.path"], "/messages");
  EXPECT_EQ(attributes["server.port"], "10001");
  EXPECT_FALSE(attributes.contains("test.case.name")) << "what is not known is left out";
  ASSERT_EQ(span.texts[11].size(), 1u);
  Told event(span.text(11));
  EXPECT_EQ(event.text(2), "retrial.fault");
  EXPECT_EQ(event.numbers[1], 1700000000254000000u);
  EXPECT_EQ(event.attributes(3)["retrial.evidence"], "503 in place of \"201\"");
}

TEST(OtlpSpan, has_a_trace_of_its_own_where_the_application_has_none) {
  auto e = exchange();
  e.request_lines.clear();
  Told one(span_of(e, 5)), other(span_of(e, 6));
  EXPECT_EQ(one.text(1).size(), 16u);
  EXPECT_FALSE(one.texts.contains(4));
  EXPECT_NE(one.text(1), other.text(1)) << "of another process";
}

TEST(OtlpSpan, has_nothing_in_it_that_is_no_utf_8) {
  auto e = exchange();
  e.target = "/caf\xc3\xa9/\xff\xfe";
  e.operation = "GET /\xe2\x82";
  Told span(span_of(e));
  EXPECT_EQ(span.attributes(9)["url.path"], "/caf\xc3\xa9/\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(span.text(5), "GET /\xef\xbf\xbd");
}

TEST(OtlpExport, is_one_resource_and_one_scope_with_all_records) {
  OtlpRecords records;
  const std::string longest(20'000, 'y');
  for (auto& one : {std::string("one"), std::string(300, 'x'), longest}) records.add([&](auto& out) { out += one; });
  EXPECT_EQ(records.count, 3u);
  Told body(otlp_export(otlp_resource("re\"trial", 5), records.bytes));
  Told of(body.text(1)), scope(of.text(2));
  EXPECT_EQ(Told(of.text(1)).attributes(1)["service.name"], "re\"trial");
  EXPECT_EQ(Told(of.text(1)).attributes(1)["service.instance.id"], "0000000000000005");
  EXPECT_EQ(Told(scope.text(1)).text(1), "retrial");
  ASSERT_EQ(scope.texts[2].size(), 3u);
  EXPECT_EQ(scope.texts[2][0], "one");
  EXPECT_EQ(scope.texts[2][2], longest);
}

TEST(ProtoReader, says_where_a_message_is_broken) {
  auto good = [](std::string_view bytes) {
    ProtoReader in(bytes);
    for (ProtoField f; in.next(f);) continue;
    return !in.broken();
  };
  EXPECT_TRUE(good(""));
  EXPECT_TRUE(good(std::string_view("\x08\x96\x01", 3)));
  EXPECT_FALSE(good(std::string_view("\x08\x96", 2))) << "a number that does not end";
  EXPECT_FALSE(good(std::string_view("\x0a\x05hi", 4))) << "longer than there is";
  EXPECT_FALSE(good(std::string_view("\x0b", 1))) << "a group";
  EXPECT_FALSE(good(std::string_view("\x09\x01\x02", 3)));
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
