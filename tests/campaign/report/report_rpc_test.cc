// What a report says of RPCs and of streams.
#include <gtest/gtest.h>

#include "campaign/report/rpc_words.h"
#include "campaign/report/waterfall.h"
#include "tests/campaign/report/formats.h"
#include "tests/campaign/well_formed.h"
#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"
#include "trace/fault_name.h"
#include "trace/status.h"

namespace retrial::campaign::report {
namespace {
using trace::Ending;
using trace::Exchange;

constexpr const char* kPut = "/etcdserverpb.KV/Put";

Exchange rpc(std::uint64_t id, int attempt, Nanos begun) {
  Exchange e;
  e.id = id;
  e.connection = 3;
  e.stream = static_cast<std::uint32_t>(2 * id - 1);
  e.service = "127.0.0.1:2379";
  e.method = "POST";
  e.target = e.operation = kPut;
  e.profile = "grpc";
  e.call = 1;
  e.attempt = attempt;
  e.confidence = trace::Confidence::certain;
  e.request_headers = {{"content-type", "application/grpc"}, {"grpc-timeout", "5S"}};
  e.request_sample = std::string("\0\0\0\0\x08\x0a\x03key\x12\x01v", 13);
  e.request_bytes = 13;
  e.grpc = {.is = true, .previous = attempt - 1, .timeout = 5 * kSecond, .requests = 1, .responses = 1, .largest = 8};
  e.begun = begun;
  e.answered = begun + kMillisecond;
  e.told = begun + 2 * kMillisecond;
  e.ending = Ending::answered;
  e.service_status = e.client_status = 200;
  e.trailers = {{"grpc-status", "0"}};
  return e;
}

// A put that was answered UNAVAILABLE, and then refused by the service itself.
struct Sample {
  trace::CampaignRecord record;
  std::vector<trace::Run> runs{2};

  Sample() {
    runs[0] = {.id = 1, .kind = trace::RunKind::alone, .ended = kSecond};
    runs[0].exchanges = {rpc(1, 1, 10 * kMillisecond)};
    runs[1] = {.id = 2, .kind = trace::RunKind::with_fault, .ended = kSecond};
    auto first = rpc(1, 1, 10 * kMillisecond), second = rpc(2, 2, 70 * kMillisecond);
    first.fired = true;
    first.fault = {
        .name = trace::FaultName::error, .status = trace::kGrpcStatus + trace::grpc_code::unavailable, .pushback = 100};
    first.evidence = "answered UNAVAILABLE";
    first.client_status = first.fault.status;
    first.service_status = 0;
    first.grpc.responses = 0;
    first.grpc.pushback = 100;
    second.service_status = second.client_status = trace::kGrpcStatus + trace::grpc_code::failed_precondition;
    second.grpc.message = "etcdserver: <no> leader";
    runs[1].exchanges = {first, second};
    trace::Finding f;
    f.id = "01234567";
    f.verdict = "ignores-retry-after";
    f.confidence = trace::Confidence::certain;
    f.confirmed = true;
    f.service = "127.0.0.1:2379";
    f.operation = kPut;
    f.fault = trace::show(first.fault);
    f.message = "it came too early";
    f.evidence = {1, 2};
    f.run = 2;
    f.reference = 1;
    f.attempts = 2;
    f.gaps_ms = {58};
    record.findings = {f};
  }
  std::string page() const { return html_page(record, runs, trace::Confidence::likely); }
};

TEST(RpcWords, say_stream_deadline_and_messages_and_nothing_of_http_1) {
  EXPECT_EQ(rpc_facts({}), "");
  auto e = rpc(4, 1, 0);
  EXPECT_EQ(rpc_facts(e),
            "stream 7 of connection 3; deadline 5.0 s; 1 message sent, 1 received, the largest of 8 bytes");
  e.grpc = {.is = true, .previous = 2, .requests = 0, .responses = 12, .largest = 1, .cut = true, .pushback = -1};
  EXPECT_EQ(rpc_facts(e),
            "stream 7 of connection 3; no deadline; 2 attempts before it, as its client counts; 0 messages sent, 12 "
            "received, the largest of 1 byte, the last one cut; told not to retry");
  Exchange plain;
  plain.stream = 1;
  plain.connection = 2;
  EXPECT_EQ(rpc_facts(plain), "stream 1 of connection 2") << "HTTP/2 without gRPC";
}

TEST(RpcWords, tell_how_a_stream_ended) {
  trace::Run run;
  auto told = [&](auto change) {
    auto e = rpc(1, 1, 0);
    change(e);
    return told_as(run, e);
  };
  EXPECT_EQ(told([](auto&) {}), "OK");
  EXPECT_EQ(told([](auto& e) { e.service_status = e.client_status = 2005; }), "NOT_FOUND");
  EXPECT_EQ(told([](auto& e) { e.fired = true, e.client_status = 2014; }), "UNAVAILABLE in place of OK");
  EXPECT_EQ(told([](auto& e) { e.fired = true, e.client_status = 2014, e.service_status = 0; }),
            "UNAVAILABLE by fault");
  auto reset = [](auto& e) {
    e.ending = Ending::reset;
    e.service_status = 0;
    e.aborted = Exchange::Aborted::by_service;
    e.abort_code = 7;
  };
  EXPECT_EQ(told(reset), "REFUSED_STREAM");
  EXPECT_EQ(told([&](auto& e) { reset(e), e.abort_code = 0x1f; }), "RST_STREAM 0x1f");
  EXPECT_EQ(told([&](auto& e) { reset(e), e.abort_code = 2, e.service_status = 200; }),
            "INTERNAL_ERROR in place of OK");
  EXPECT_EQ(told([&](auto& e) { reset(e), e.aborted = Exchange::Aborted::no, e.refused = true; }), "GOAWAY");
  EXPECT_EQ(told([](auto& e) { e.grpc = {}, e.profile = "generic"; }), "200");
}

TEST(RpcWords, of_a_binary_sample_show_what_can_be_printed) {
  EXPECT_EQ(printable(std::string_view("\0\0\x0a\x03key\xff", 8)), "····key·");
}

TEST(HtmlOfRpcs, shows_operation_status_message_stream_deadline_and_messages) {
  auto page = Sample().page();
  EXPECT_EQ(ill_formed(page), "");
  EXPECT_NE(page.find(">UNAVAILABLE by fault</text>"), page.npos);
  EXPECT_NE(page.find(">FAILED_PRECONDITION</text>"), page.npos);
  EXPECT_NE(page.find(">OK</text>"), page.npos) << "the reference";
  EXPECT_NE(page.find(">/etcdserverpb.KV/Put</text>"), page.npos);
  EXPECT_NE(page.find("the service answered FAILED_PRECONDITION after 1.0 ms: etcdserver: &lt;no&gt; leader"),
            page.npos);
  EXPECT_NE(page.find("FAILED_PRECONDITION: etcdserver: &lt;no&gt; leader\n"), page.npos) << "heads and bodies";
  EXPECT_NE(page.find("stream 3 of connection 3; deadline 5.0 s; 1 attempt before it"), page.npos);
  EXPECT_NE(page.find("told to retry after 100 ms"), page.npos);
  EXPECT_NE(page.find("\n\n·······key··v"), page.npos);
  EXPECT_NE(page.find("\n\ngrpc-status: 0"), page.npos) << "trailers stand behind the body";
  EXPECT_EQ(page.find("2014"), page.npos);
  EXPECT_EQ(page.find("2009"), page.npos);
}

TEST(HtmlOfRpcs, makes_room_for_the_longest_word_behind_a_bar) {
  Sample s;
  auto& e = s.runs[1].exchanges[0];
  e.service_status = 200;
  e.client_status = trace::kGrpcStatus + trace::grpc_code::resource_exhausted;
  auto calls = trace::calls_of(s.runs[1]);
  auto wide = waterfall(s.runs[1], calls, {1}, "t");
  EXPECT_NE(wide.find("RESOURCE_EXHAUSTED in place of OK"), wide.npos);
  EXPECT_NE(wide.find("width=\"1038\""), wide.npos) << wide.substr(0, 120);
}

}  // namespace
}  // namespace retrial::campaign::report
