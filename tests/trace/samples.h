#pragma once
// A run and an exchange with every field set to something of its own, and their whole contents as text.
#include <fmt/format.h>

#include <string>

#include "trace/fault_name.h"
#include "trace/run.h"
#include "trace/stored_fault.h"

namespace retrial::trace::samples {

inline Exchange exchange(std::uint64_t id) {
  Exchange e;
  e.id = id;
  e.connection = 3 + id;
  e.stream = static_cast<std::uint32_t>(2 * id + 1);
  e.fresh = id % 2;
  e.pid = 4711;
  e.service = "127.0.0.1:10001";
  e.host = "localhost:10001";
  e.method = "POST";
  e.target = "/acct/q/messages?n=" + std::to_string(id);
  e.request_headers = {{"Host", "localhost"}, {"x-ms-client-request-id", "id-" + std::to_string(id)}, {"Empty", ""}};
  e.tag.site = CallSite{"src/jobs.mjs", 17, "Jobs.send", "src/queue.mjs:4:put,src/a%20b.mjs:9:main"};
  e.tag.stack = "1:a,2:b";
  e.tag.libraries = "2:undici%207.1.0";
  e.tag.statement = 0xfedcba9876543210;
  e.tag.call_id = "4711-9";
  e.tag.test = "test/jobs.test.mjs > sends";
  e.tag.phase = Phase::test;
  e.profile = "azure-storage";
  e.operation = "POST /{account}/{queue}/messages";
  e.call = id / 2 + 1;
  e.attempt = 2;
  e.confidence = Confidence::likely;
  e.fault = {.name = FaultName::lost_response,
             .telling = Telling::error,
             .status = 503,
             .delay = 200 * kMillisecond,
             .point = Point::in_body,
             .spread = Spread::pareto,
             .retry = RetryAfter::date,
             .part = Malformed::chunk,
             .retry_after = 3,
             .base = 4,
             .shape = 5,
             .bytes = 6,
             .burst = 7,
             .code = 0xfffffffe,
             .of_message = OfMessage::truncate,
             .nth = -3,
             .pushback = -9,
             .header = "Name: value\n"};
  e.fault_id = "12-" + std::to_string(id);
  e.begun = 1000 * static_cast<Nanos>(id);
  e.busy = {41, 12 * kSecond, 0};
  return e;
}
// What becomes known afterwards.
inline Exchange& answered(Exchange& e) {
  e.request_read = e.begun + 10;
  e.answered = e.begun + 20;
  e.service_status = 201;
  e.response_headers = {{"Server", "Azurite"}, {"Location", "/m/1"}};
  return e;
}
inline Exchange& fired(Exchange& e) {
  e.fired = true;
  e.fired_at = e.begun + 30;
  e.evidence = "RST after 312 response bytes were withheld";
  e.injected_sample = R"({"error":"try again, retrial-1-1"})";
  return e;
}
inline Exchange& over(Exchange& e) {
  e.service_done = e.begun + 25;
  e.told = e.begun + 40;
  e.ending = Ending::reset;
  e.client_status = 503;
  e.request_bytes = 97;
  e.response_bytes = 312;
  e.request_digest = 0xfedcba9876543210u;
  e.request_sample = "<QueueMessage/>\n\0\xff'\"";
  e.request_sample += '\0';
  e.response_sample = std::string("\x1f\x8b\x00\x01", 4);
  e.trailers = {{"grpc-status", "14"}, {"x-cost", ""}};
  e.aborted = Exchange::Aborted::by_service;
  e.abort_code = 7;
  e.refused = true;
  e.closes = true;
  e.busy.told = 13 * kSecond;
  e.grpc = {.is = true,
            .previous = 2,
            .timeout = 5 * kSecond,
            .requests = 11,
            .responses = 12,
            .largest = 1u << 20,
            .streams = true,
            .cut = true,
            .message = "try\nagain",
            .pushback = -1};
  return e;
}
inline Exchange whole(std::uint64_t id) {
  auto e = exchange(id);
  answered(e);
  fired(e);
  return over(e);
}

inline Run run(std::uint64_t id) {
  Run r;
  r.id = id;
  r.kind = RunKind::with_fault;
  r.case_id = "c12";
  r.tests = {"t1", "t2"};
  r.began = 5;
  r.ended = 99;
  r.wall_began = 1'700'000'000'000'000'000;
  r.stop = Stop::held;
  r.exit_code = -7;
  r.results = {{"t1",
                Phase::test,
                "failed",
                12.5,
                {{"E", "line 1\nline 2 \"x\"", "ECONNRESET", "raised", "src/a.mjs", 3, "f", true},
                 {"F", "", "", "cause", "", 0, "", false}}},
               {"t2", Phase::setup, "passed", 0.25, {}}};
  r.stages = {{"t1", Phase::test, 4711, true, 3 * kSecond}, {"t1", Phase::test, 4711, false, 4 * kSecond}};
  r.compressed = true;
  r.jumps = {{2 * kSecond, kSecond}, {4 * kSecond, 30 * kSecond + 1}};
  r.real_time = {"tool[12] (static)"};
  r.connection_faults = {
      {4711, "127.0.0.1:80", {.name = FaultName::slow_connect, .delay = 7}, true, "answered late", 11, 2, 5},
      {4712, "[::1]:80", {.name = FaultName::tls_cut}, false, "no TLS", 12, 1, 0}};
  r.listed = {"t1", "t2", "t3"};
  r.broken = {"x.mjs: cannot be loaded"};
  r.agents = {"node"};
  r.capture = {1, 2, 3, 4, 5, 6, 7, 8, 9, {"api.example.com:443 (outside)"}, {"azurite[123]"}};
  return r;
}

inline std::string text(const std::vector<Header>& headers) {
  std::string out;
  for (auto& h : headers) out += h.name + "=" + h.value + ";";
  return out;
}
inline std::string text(const FaultSpec& f) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {:?}", word_of(f.name), word_of(f.telling),
                     f.status, f.delay, word_of(f.point), word_of(f.spread), static_cast<int>(f.retry), word_of(f.part),
                     f.retry_after, f.base, f.*stored_width(f.spread), f.*stored_bytes(f.name), f.burst, f.code,
                     static_cast<int>(f.of_message), f.nth, f.pushback, f.header);
}
inline std::string text(const Grpc& g) {
  return fmt::format("{} {} {} {} {} {} {} {} {:?} {}", g.is, g.previous, g.timeout, g.requests, g.responses, g.largest,
                     g.streams, g.cut, g.message, g.pushback);
}
inline std::string text(const Exchange& e) {
  return fmt::format(
      "{} {} {} {} {} {} {} {} | {} | {} {} {} {} {} {} | {} {} {} | {} {} {} {} | {} {} {} {} {} {} | {} {} {} | "
      "{} | {} {} {} | {:?} {:?} {:?} | {} {} {} {} {} {} | {} {} {} | {}",
      e.id, e.connection, e.fresh, e.pid, e.service, e.host, e.method, e.target, text(e.request_headers),
      e.tag.site ? show(*e.tag.site) + e.tag.stack + e.tag.libraries + std::to_string(e.tag.statement) : "-",
      e.tag.call_id, e.tag.test, show(e.tag.phase), e.profile, e.operation, e.call, e.attempt, show(e.confidence),
      text(e.fault), e.fired, e.fault_id, e.evidence, e.fired_at, e.begun, e.request_read, e.answered, e.service_done,
      e.told, show(e.ending), e.service_status, e.client_status, text(e.response_headers), e.request_bytes,
      e.response_bytes, e.request_digest, e.request_sample, e.response_sample, e.injected_sample, e.stream,
      text(e.trailers), show(e.aborted), e.abort_code, e.refused, e.closes, e.busy.thread, e.busy.begun, e.busy.told,
      text(e.grpc));
}
inline std::string text(const Run& r) {
  std::string out = fmt::format("{} {} {} {} {} {} {} {} incomplete={}\n", r.id, show(r.kind), r.case_id, r.began,
                                r.ended, r.wall_began, show(r.stop), r.exit_code, r.incomplete);
  for (auto& t : r.results) {
    out += fmt::format("result {} {} {} {}\n", t.test, show(t.phase), t.outcome, t.ms);
    for (auto& c : t.chain)
      out += fmt::format("  {} {} {} {} {} {} {} {}\n", c.type, c.message, c.code, c.link, c.file, c.line, c.function,
                         c.in_test);
  }
  out += fmt::format("compressed {}\n", r.compressed);
  for (auto& j : r.jumps) out += fmt::format("jump {} {}\n", j.at, j.by);
  for (auto& s : r.stages) out += fmt::format("stage {} {} {} {}\n", s.test, show(s.phase), s.pid, s.starts);
  for (auto& c : r.connection_faults)
    out += fmt::format("connection {} {} {} {} {} {} {} {}\n", c.pid, c.service, text(c.fault), c.fired, c.evidence,
                       c.at, c.times, c.exchange);
  for (auto* list :
       {&r.tests, &r.listed, &r.broken, &r.agents, &r.capture.not_seen, &r.capture.left_over, &r.real_time}) {
    for (auto& s : *list) out += s + ";";
    out += "\n";
  }
  auto& c = r.capture;
  out += fmt::format("{} {} {} {} {} {} {} {} {}\n", c.seen, c.failed, c.late, c.outside, c.unix_socket, c.udp,
                     c.unreadable, c.tunnels, c.interrupted);
  for (auto& e : r.exchanges) out += text(e) + "\n";
  return out;
}

}  // namespace retrial::trace::samples
