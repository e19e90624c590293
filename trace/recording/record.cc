#include "trace/recording/record.h"

#include <utility>

#include "trace/recording/record_fields.h"

namespace retrial::trace::record {
namespace {

struct HeadFixed {
  u64 id, connection, call;
  i64 begun, request_read;
  i32 pid, attempt, line;
  u8 fresh, has_site, phase, confidence, has_fault, has_words, has_busy, further;  // further: bits of Further
  u32 stream;
};
// What else stands in a head's record. Up to version 10 the stack alone, the statement since version 12, the
// credentials since version 14.
enum Further : u8 { kStack = 1, kCallers = 2, kLibraries = 4, kStatement = 8, kCredentials = 16 };
// Stands in a head's record where the connection's thread is known.
struct BusyFixed {
  i64 begun;
  i32 thread;
  u32 zero;
};
struct AnswerFixed {
  u64 id;
  i64 request_read, answered;
  i32 status;
  u32 zero;
};
struct FiredFixed {
  u64 id;
  i64 fired_at;
};
struct OverFixed {
  u64 id;
  i64 request_read, answered, service_done, told, fired_at;
  u64 request_bytes, response_bytes, request_digest;
  i32 service_status, client_status;
  u8 ending, fired, aborted, refused, has_trailers, has_grpc, behind;  // behind: bits of Behind
  u8 closes;                                                           // 0 before it was known
};
// What stands at the end of such a record; the credentials since version 14.
enum Behind : u8 { kBusy = 1, kGiven = 2 };
// Stands in the record of a gRPC call alone.
struct GrpcFixed {
  i64 timeout, pushback;
  u64 requests, responses, largest;
  i32 previous;
  u8 streams, cut;
  u8 zero[2];
};

}  // namespace

Encoder encode_head(Encoder out, const Exchange& e) {
  // What a director says; where nothing is decided none of it is there.
  bool words = !e.operation.empty() || !e.tag.test.empty() || !e.tag.call_id.empty() || !e.fault_id.empty() ||
               !e.profile.empty();
  bool callers = e.tag.site && !e.tag.site->callers.empty();
  int further = (e.tag.stack.empty() ? 0 : kStack) | (callers ? kCallers : 0) |
                (e.tag.libraries.empty() ? 0 : kLibraries) | (e.tag.statement == 0 ? 0 : kStatement) |
                (e.credentials == 0 ? 0 : kCredentials);
  out.pod(HeadFixed{.id = e.id,
                    .connection = e.connection,
                    .call = e.call,
                    .begun = e.begun,
                    .request_read = e.request_read,
                    .pid = e.pid,
                    .attempt = e.attempt,
                    .line = e.tag.site ? e.tag.site->line : 0,
                    .fresh = e.fresh,
                    .has_site = e.tag.site.has_value(),
                    .phase = static_cast<u8>(e.tag.phase),
                    .confidence = static_cast<u8>(e.confidence),
                    .has_fault = !is_pass(e.fault),
                    .has_words = words,
                    .has_busy = e.busy.thread != 0,
                    .further = static_cast<u8>(further),
                    .stream = e.stream});
  if (e.tag.site) {
    out.text(e.tag.site->file);
    out.text(e.tag.site->function);
  }
  if (further & kStack) out.text(e.tag.stack);
  if (further & kCallers) out.text(e.tag.site->callers);
  if (further & kLibraries) out.text(e.tag.libraries);
  if (further & kStatement) out.pod(e.tag.statement);
  if (further & kCredentials) out.pod(e.credentials);
  if (!is_pass(e.fault)) put_fault(out, e.fault);
  for (auto* text : {&e.service, &e.host, &e.method, &e.target}) out.text(*text);
  if (words)
    for (auto* text : {&e.tag.call_id, &e.tag.test, &e.profile, &e.operation, &e.fault_id}) out.text(*text);
  put_headers(out, e.request_lines, e.request_headers);
  if (e.busy.thread != 0) out.pod(BusyFixed{.begun = e.busy.begun, .thread = e.busy.thread, .zero = 0});
  return out;
}
bool decode_head(std::string_view payload, Exchange& e) {
  Decoder in(payload);
  auto f = in.pod<HeadFixed>();
  e.id = f.id;
  e.connection = f.connection;
  e.call = f.call;
  e.begun = f.begun;
  e.request_read = f.request_read;
  e.pid = f.pid;
  e.attempt = f.attempt;
  e.fresh = f.fresh;
  e.stream = f.stream;
  e.tag.phase = in.word(f.phase, Phase::teardown);
  e.confidence = in.word(f.confidence, Confidence::certain);
  if (f.has_site) {
    e.tag.site.emplace();
    e.tag.site->line = f.line;
    in.text(e.tag.site->file);
    in.text(e.tag.site->function);
  }
  if (f.further & kStack) in.text(e.tag.stack);
  if (f.further & kCallers) {
    std::string callers;
    in.text(callers);
    if (e.tag.site) e.tag.site->callers = std::move(callers);
  }
  if (f.further & kLibraries) in.text(e.tag.libraries);
  if (f.further & kStatement) e.tag.statement = in.pod<std::uint64_t>();
  if (f.further & kCredentials) e.credentials = in.pod<std::uint32_t>();
  if (f.has_fault) in.fault(e.fault);
  for (auto* text : {&e.service, &e.host, &e.method, &e.target}) in.text(*text);
  if (f.has_words)
    for (auto* text : {&e.tag.call_id, &e.tag.test, &e.profile, &e.operation, &e.fault_id}) in.text(*text);
  in.headers(e.request_headers);
  if (f.has_busy) {
    auto busy = in.pod<BusyFixed>();
    e.busy.thread = busy.thread;
    e.busy.begun = busy.begun;
  }
  if (e.host.empty()) e.host = find(e.request_headers, "host");
  return in.done() && e.id != 0;
}

// Each by itself: to move a new one there costs several times as much.
void begin_anew(Exchange& e) {
  static const Exchange kNew;
  auto& t = e.tag;
  for (auto* text : {&e.service,       &e.host,           &e.method,          &e.target,          &e.request_lines,
                     &e.profile,       &e.response_lines, &e.operation,       &t.call_id,         &t.test,
                     &t.stack,         &t.libraries,      &t.frames,          &e.fault_id,        &e.evidence,
                     &e.trailer_lines, &e.request_sample, &e.response_sample, &e.injected_sample, &e.grpc.message})
    text->clear();
  e.response_headers.clear();  // those of the request are written over, one by one
  e.trailers.clear();
  t.site.reset();
  t.phase = kNew.tag.phase;
  t.statement = 0;
  e.fault = kNew.fault;
  e.id = e.connection = e.call = e.request_bytes = e.response_bytes = e.request_digest = 0;
  e.begun = e.request_read = e.answered = e.service_done = e.told = e.fired_at = 0;
  e.credentials = e.credentials_given = e.abort_code = e.stream = 0;
  e.pid = e.attempt = e.service_status = e.client_status = 0;
  e.fresh = e.fired = e.refused = e.closes = false;
  e.confidence = kNew.confidence;
  e.ending = kNew.ending;
  e.aborted = kNew.aborted;
  e.busy = kNew.busy;
  auto& g = e.grpc;
  g.is = g.streams = g.cut = false;
  g.previous = 0;
  g.timeout = 0;
  g.requests = g.responses = g.largest = 0;
  g.pushback = kNew.grpc.pushback;
}

Encoder encode_answer(Encoder out, const Exchange& e) {
  out.pod(AnswerFixed{
      .id = e.id, .request_read = e.request_read, .answered = e.answered, .status = e.service_status, .zero = 0});
  put_headers(out, e.response_lines, e.response_headers);
  return out;
}
bool decode_answer(std::string_view payload, Exchange& e) {
  Decoder in(payload);
  auto f = in.pod<AnswerFixed>();
  e.request_read = f.request_read;
  e.answered = f.answered;
  e.service_status = f.status;
  in.headers(e.response_headers);
  return in.done();
}

Encoder encode_fired(Encoder out, const Exchange& e) {
  out.pod(FiredFixed{.id = e.id, .fired_at = e.fired_at});
  put_fault(out, e.fault);
  out.text(e.evidence);
  out.text(e.injected_sample);
  return out;
}
bool decode_fired(std::string_view payload, Exchange& e) {
  Decoder in(payload);
  auto f = in.pod<FiredFixed>();
  e.fired = true;
  e.fired_at = f.fired_at;
  in.fault(e.fault);
  in.text(e.evidence);
  if (!in.done()) in.text(e.injected_sample);  // since version 10
  return in.done();
}

namespace {
void put_grpc(Encoder& out, const Grpc& g) {
  out.pod(GrpcFixed{.timeout = g.timeout,
                    .pushback = g.pushback,
                    .requests = g.requests,
                    .responses = g.responses,
                    .largest = g.largest,
                    .previous = g.previous,
                    .streams = g.streams,
                    .cut = g.cut,
                    .zero = {}});
  out.text(g.message);
}
void get_grpc(Decoder& in, Grpc& to) {
  auto g = in.pod<GrpcFixed>();
  to.is = true;
  to.timeout = g.timeout;
  to.pushback = g.pushback;
  to.requests = g.requests;
  to.responses = g.responses;
  to.largest = g.largest;
  to.previous = g.previous;
  to.streams = g.streams;
  to.cut = g.cut;
  in.text(to.message);
}
}  // namespace

Encoder encode_over(Encoder out, const Exchange& e) {
  bool trailers = !e.trailer_lines.empty() || !e.trailers.empty();
  out.pod(OverFixed{.id = e.id,
                    .request_read = e.request_read,
                    .answered = e.answered,
                    .service_done = e.service_done,
                    .told = e.told,
                    .fired_at = e.fired_at,
                    .request_bytes = e.request_bytes,
                    .response_bytes = e.response_bytes,
                    .request_digest = e.request_digest,
                    .service_status = e.service_status,
                    .client_status = e.client_status,
                    .ending = static_cast<u8>(e.ending),
                    .fired = e.fired,
                    .aborted = static_cast<u8>(e.aborted),
                    .refused = e.refused,
                    .has_trailers = trailers,
                    .has_grpc = e.grpc.is,
                    .behind = static_cast<u8>((e.busy.told ? kBusy : 0) | (e.credentials_given ? kGiven : 0)),
                    .closes = e.closes});
  out.text(e.evidence);
  out.text(e.request_sample);
  out.text(e.response_sample);
  if (e.aborted != Exchange::Aborted::no) out.pod(e.abort_code);
  if (trailers) put_headers(out, e.trailer_lines, e.trailers);
  if (e.grpc.is) put_grpc(out, e.grpc);
  if (e.busy.told != 0) out.pod(static_cast<i64>(e.busy.told));
  if (e.credentials_given != 0) out.pod(e.credentials_given);
  return out;
}
bool decode_over(std::string_view payload, Exchange& e) {
  Decoder in(payload);
  auto f = in.pod<OverFixed>();
  e.request_read = f.request_read;
  e.answered = f.answered;
  e.service_done = f.service_done;
  e.told = f.told;
  e.fired_at = f.fired_at;
  e.request_bytes = f.request_bytes;
  e.response_bytes = f.response_bytes;
  e.request_digest = f.request_digest;
  e.service_status = f.service_status;
  e.client_status = f.client_status;
  e.ending = in.word(f.ending, Ending::client_left);
  e.fired = f.fired;
  e.aborted = in.word(f.aborted, Exchange::Aborted::by_us);
  e.refused = f.refused;
  e.closes = f.closes;
  in.text(e.evidence);
  in.text(e.request_sample);
  in.text(e.response_sample);
  if (e.aborted != Exchange::Aborted::no) e.abort_code = in.pod<u32>();
  if (f.has_trailers) in.headers(e.trailers);
  if (f.has_grpc) get_grpc(in, e.grpc);
  if (f.behind & kBusy) e.busy.told = in.pod<i64>();
  if (f.behind & kGiven) e.credentials_given = in.pod<u32>();
  return in.done();
}

std::uint64_t exchange_of(std::string_view payload) { return Decoder(payload).pod<u64>(); }
Nanos time_of(RecordKind kind, std::string_view payload) {
  Decoder in(payload);
  switch (kind) {
    case RecordKind::head:
      return in.pod<HeadFixed>().begun;
    case RecordKind::answer:
      return in.pod<AnswerFixed>().answered;
    case RecordKind::fired:
      return in.pod<FiredFixed>().fired_at;
    case RecordKind::over:
      return in.pod<OverFixed>().told;
    case RecordKind::run:
    case RecordKind::end:
      break;
  }
  return 0;
}

}  // namespace retrial::trace::record
