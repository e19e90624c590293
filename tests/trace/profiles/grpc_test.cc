#include <gtest/gtest.h>

#include "tests/trace/wire.h"
#include "trace/fault_name.h"
#include "trace/status.h"

// The profile of gRPC. Heads are told in HTTP/1.1's words, as the proxy does for HTTP/2.
namespace retrial::trace {
namespace {
using namespace std::string_literals;

Exchange rpc(std::string path, std::string headers = "", std::string type = "application/grpc", std::string body = "") {
  return wire::request("POST " + path + " HTTP/1.1\r\nhost: h\r\ncontent-type: " + type + "\r\n" + headers + "\r\n" +
                       body);
}
std::string message(std::string_view bytes) {
  std::string out(5, '\0');
  out[4] = static_cast<char>(bytes.size());
  return out.append(bytes);
}
Repeat repeat(const Exchange& e) { return profile_of(e).repeat(e); }
const Profile& grpc() { return *profile_named("grpc"); }
Exchange told(int status) {
  auto e = rpc("/a.B/C");
  e.client_status = status;
  e.ending = Ending::answered;
  return e;
}

TEST(GrpcProfile, is_known_by_its_content_type_and_before_all_others) {
  for (auto type : {"application/grpc", "application/grpc+proto", "application/grpc; x=1", "application/grpc-web",
                    "application/grpc-web-text+proto"})
    EXPECT_EQ(rpc("/a.B/C", "", type).profile, "grpc") << type;
  for (auto type : {"application/json", "application/grpcs", "application/x-grpc"})
    EXPECT_EQ(rpc("/a.B/C", "", type).profile, "generic") << type;
  EXPECT_EQ(rpc("/v2/app/manifests/latest").profile, "grpc") << "a registry's path";
  EXPECT_EQ(rpc("/a.B/C", "x-amz-content-sha256: x\r\nx-ms-version: 1\r\nx-ms-date: x\r\n").profile, "grpc");
  EXPECT_EQ(wire::request("OPTIONS /a.B/C HTTP/1.1\r\ncontent-type: application/grpc-web\r\n\r\n").profile, "generic");
}

TEST(GrpcProfile, names_an_operation_by_its_path_alone) {
  EXPECT_EQ(rpc("/etcdserverpb.KV/Range").operation, "/etcdserverpb.KV/Range");
  EXPECT_EQ(rpc("/pkg.Svc/Get123456?x=1").operation, "/pkg.Svc/Get123456");
}

TEST(GrpcProfile, only_UNAVAILABLE_passes_by_its_code_alone) {
  for (int code = 1; code <= 16; code++)
    EXPECT_EQ(grpc().transient(kGrpcStatus + code, ""), code == grpc_code::unavailable) << code;
  EXPECT_FALSE(grpc().transient(200, ""));
  EXPECT_FALSE(grpc().transient(2042, ""));
}

TEST(GrpcProfile, reads_an_answer_of_HTTP_alone_as_a_grpc_client_does) {
  for (int status : {429, 502, 503, 504}) EXPECT_TRUE(grpc().transient(status, "")) << status;
  for (int status : {400, 401, 403, 404, 408, 500, 501, 505}) EXPECT_FALSE(grpc().transient(status, "")) << status;
}

TEST(GrpcProfile, RESOURCE_EXHAUSTED_passes_where_the_service_says_when) {
  auto e = told(2008);
  EXPECT_FALSE(grpc().asks_again(e));
  e.grpc.pushback = 0;
  EXPECT_TRUE(grpc().asks_again(e));
  e.grpc.pushback = -1;
  EXPECT_FALSE(grpc().asks_again(e));
  e.grpc.pushback = kNoPushback;
  // google.rpc.Status{code: 8, message: "slow", details: Any{type.googleapis.com/google.rpc.RetryInfo, 1 s}}
  e.trailers = {
      {"grpc-status-details-bin", "CAgSBHNsb3caMAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIECgIIAQ"}};
  EXPECT_TRUE(grpc().asks_again(e));
  e.trailers = {{"grpc-status-details-bin", "CAgSBHNsb3c="}};
  EXPECT_FALSE(grpc().asks_again(e));
}

TEST(GrpcProfile, a_negative_pushback_ends_what_else_would_pass) {
  auto e = told(2014);
  EXPECT_TRUE(grpc().asks_again(e));
  e.grpc.pushback = -1;
  EXPECT_FALSE(grpc().asks_again(e));
  e.grpc.pushback = kNoPushback;
  e.fault = {.name = FaultName::error, .status = 2014, .pushback = -5};
  EXPECT_TRUE(grpc().asks_again(e)) << "planned, not told";
  e.fired = true;
  EXPECT_EQ(pushback_told(e), -5);
  EXPECT_FALSE(grpc().asks_again(e));
}

TEST(GrpcProfile, gives_an_error_as_trailers_only_with_the_marker_in_message_and_metadata) {
  auto e = rpc("/a.B/C");
  EXPECT_EQ(grpc().transient_status(e), 2014);
  auto answer = grpc().error(e, 2014, "retrial-7f3a");
  EXPECT_EQ(answer.status, 2014);
  EXPECT_EQ(find(answer.headers, "content-type"), "application/grpc");
  EXPECT_EQ(find(answer.headers, "grpc-status"), "14");
  EXPECT_EQ(find(answer.headers, "grpc-message"), "the service is not available (retrial-7f3a)");
  EXPECT_EQ(find(answer.headers, "x-retrial-fault"), "retrial-7f3a");
  EXPECT_EQ(answer.body, "");
  for (int code = 1; code <= 20; code++) {
    auto any = grpc().error(e, kGrpcStatus + code, "retrial-7f3a");
    EXPECT_FALSE(any.reason.empty());
    for (char c : find(any.headers, "grpc-message")) EXPECT_TRUE(c >= ' ' && c <= '~' && c != '%') << "percent-encoded";
  }
  auto web = rpc("/a.B/C", "", "application/grpc-web-text");
  EXPECT_EQ(find(grpc().error(web, 2013, "m").headers, "content-type"), "application/grpc-web-text");
  EXPECT_EQ(grpc().error(e, 503, "m").headers[0].value, "text/html") << "from what stands before the service";
}

TEST(GrpcProfile, knows_what_may_be_repeated_of_services_that_are_widely_met_and_trusts_no_names) {
  EXPECT_EQ(repeat(rpc("/grpc.health.v1.Health/Check")), Repeat::safe);
  EXPECT_EQ(repeat(rpc("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")), Repeat::safe);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.KV/Range")), Repeat::safe);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.Watch/Watch")), Repeat::safe);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.KV/Put")), Repeat::idempotent);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.KV/DeleteRange")), Repeat::idempotent);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.KV/RangeStream")), Repeat::unknown);
  for (auto path : {"/a.B/GetThing", "/a.B/ListThings", "/a.B/Check", "/x.grpc.health.v1.Health/Check"})
    EXPECT_EQ(repeat(rpc(path)), Repeat::unknown) << path;
  EXPECT_EQ(repeat(rpc("/a.B/GetThing", "idempotency-key: 1\r\n")), Repeat::guarded);
}

TEST(GrpcProfile, reads_an_etcd_transactions_condition_and_a_leases_id_off_the_message) {
  auto txn = [](std::string body) { return repeat(rpc("/etcdserverpb.KV/Txn", "", "application/grpc", body)); };
  auto grant = [](std::string body) {
    return repeat(rpc("/etcdserverpb.Lease/LeaseGrant", "", "application/grpc", body));
  };
  auto compare = "\x0a\x05\x10\x00\x1a\x01k\x12\x02\x12\x00"s, puts = "\x12\x08\x12\x06\x0a\x01k\x12\x01v"s;
  EXPECT_EQ(txn(message(compare)), Repeat::guarded);
  EXPECT_EQ(txn(message(puts)), Repeat::idempotent) << "what it is made of";
  EXPECT_EQ(txn(""), Repeat::unknown) << "no sample";
  EXPECT_EQ(txn("\x01"s + message(compare).substr(1)), Repeat::unknown) << "compressed";
  EXPECT_EQ(grant(message("\x08\x3c"s)), Repeat::effect);
  EXPECT_EQ(grant(message("\x08\x3c\x10\x00"s)), Repeat::effect) << "0: etcd chooses";
  EXPECT_EQ(grant(message("\x08\x3c\x10\xd2\x09"s)), Repeat::guarded);
  EXPECT_EQ(repeat(rpc("/etcdserverpb.Lease/LeaseGrant", "", "application/grpc-web-text", message("\x08\x3c"s))),
            Repeat::unknown);
  for (auto& whole : {message(compare), message(puts), message("\x08\x3c\x10\xd2\x09"s), "\0\xff\xff\xff\xff\xff"s})
    for (std::size_t n = 0; n <= whole.size(); n++) txn(whole.substr(0, n)), grant(whole.substr(0, n));
}

TEST(GrpcProfile, a_lease_that_etcd_gave_shows_its_effect) {
  auto e = rpc("/etcdserverpb.Lease/LeaseGrant", "", "application/grpc", message("\x08\x3c"s));
  e.service_status = 200;
  e.response_sample = message("\x0a\x02\x08\x01\x10\xd2\x09\x18\x3c"s);
  EXPECT_EQ(profile_of(e).effect(e), "1234");
  e.service_status = 2014;
  EXPECT_EQ(profile_of(e).effect(e), "");
}

TEST(GrpcCalls, a_status_a_reset_and_giving_up_are_failures_told_and_what_was_refused_never_ran) {
  EXPECT_TRUE(told_failed(told(2014)));
  EXPECT_TRUE(told_failed(told(2005)));
  EXPECT_FALSE(told_failed(told(200)));
  auto e = rpc("/a.B/C");
  EXPECT_FALSE(told_failed(e)) << "still open";
  e.ending = Ending::client_left;
  e.aborted = Exchange::Aborted::by_client;
  e.abort_code = 8;
  EXPECT_TRUE(told_failed(e)) << "its deadline passed";
  e.ending = Ending::reset;
  e.aborted = Exchange::Aborted::by_service;
  EXPECT_TRUE(told_failed(e));
  e.service_status = 200;
  EXPECT_TRUE(executed(e));
  e.refused = true;
  EXPECT_FALSE(executed(e));
}

}  // namespace
}  // namespace retrial::trace
