#include "trace/recording/record.h"

#include <bit>
#include <utility>
#include <vector>

#include "trace/recording/header_lines.h"
#include "trace/stored_fault.h"

namespace retrial::trace::record {
namespace {
static_assert(std::endian::native == std::endian::little);

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Stands in a record only where a fault was planned; its header follows.
struct FaultFixed {
  i64 delay, base, width, bytes, burst, pushback;
  i32 status, retry_after, nth;
  u32 code;
  u8 name, telling, point, spread, retry, part, of_message;
  u8 zero[1];
};
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

// As lines, whichever of the two there is.
void put_headers(Encoder& out, const std::string& lines, const std::vector<Header>& headers) {
  if (!lines.empty() || headers.empty()) return out.text(lines);
  std::string made;
  for (auto& h : headers) made.append(h.name).append(": ").append(h.value).append("\r\n");
  out.text(made);
}
void put_fault(Encoder& out, const FaultSpec& f) {
  out.pod(FaultFixed{.delay = f.delay,
                     .base = f.base,
                     .width = f.*stored_width(f.spread),
                     .bytes = f.*stored_bytes(f.name),
                     .burst = f.burst,
                     .pushback = f.pushback,
                     .status = f.status,
                     .retry_after = f.retry_after,
                     .nth = f.nth,
                     .code = f.code,
                     .name = static_cast<u8>(f.name),
                     .telling = static_cast<u8>(f.telling),
                     .point = static_cast<u8>(f.point),
                     .spread = static_cast<u8>(f.spread),
                     .retry = static_cast<u8>(f.retry),
                     .part = static_cast<u8>(f.part),
                     .of_message = static_cast<u8>(f.of_message),
                     .zero = {}});
  out.text(f.header);
}
void put_texts(Encoder& out, const std::vector<std::string>& texts) {
  out.pod(static_cast<u32>(texts.size()));
  for (auto& t : texts) out.text(t);
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}
  template <class T>
  T pod() {
    T value{};
    if (left_.size() < sizeof value) {
      good_ = false;
    } else {
      std::memcpy(&value, left_.data(), sizeof value);
      left_.remove_prefix(sizeof value);
    }
    return value;
  }
  void text(std::string& to) { take(to, pod<u32>()); }
  // How many things follow: no more than there are bytes for, `least` each.
  std::size_t count(std::size_t least) {
    auto n = pod<u32>();
    if (n > left_.size() / least) good_ = false;
    return good_ ? n : 0;
  }
  void headers(std::vector<Header>& to) {
    auto size = pod<u32>();
    if (size > left_.size()) good_ = false;
    if (!good_) return;
    good_ = read_header_lines(left_.substr(0, size), to);
    left_.remove_prefix(size);
  }
  void texts(std::vector<std::string>& to) {
    to.resize(count(4));
    for (auto& t : to) text(t);
  }
  template <class E>
  E word(u8 value, E last) {
    if (value > static_cast<u8>(last)) good_ = false;
    return good_ ? static_cast<E>(value) : E{};
  }
  void fault(FaultSpec& to) {
    auto f = pod<FaultFixed>();
    to.name = word(f.name, last_fault());
    to.telling = word(f.telling, Telling::error);
    to.status = f.status;
    to.delay = f.delay;
    to.point = word(f.point, Point::answered);
    to.spread = word(f.spread, Spread::pareto);
    to.retry = word(f.retry, RetryAfter::date);
    to.part = word(f.part, Malformed::chunk);
    to.retry_after = f.retry_after;
    to.base = f.base;
    to.*stored_width(to.spread) = f.width;
    to.*stored_bytes(to.name) = f.bytes;
    to.burst = f.burst;
    to.code = f.code;
    to.of_message = word(f.of_message, OfMessage::corrupt);
    to.nth = f.nth;
    to.pushback = f.pushback;
    text(to.header);
  }
  bool good() const { return good_; }
  bool done() const { return good_ && left_.empty(); }

 private:
  void take(std::string& to, std::size_t n) {
    if (n > left_.size()) good_ = false;
    if (!good_) return;
    to.assign(left_.substr(0, n));
    left_.remove_prefix(n);
  }
  std::string_view left_;
  bool good_ = true;
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

void begin_anew(Exchange& e) {
  Exchange fresh;
  fresh.request_headers.swap(e.request_headers);  // which are written over, one by one
  fresh.response_headers.swap(e.response_headers);
  fresh.response_headers.clear();
  e = std::move(fresh);  // what is empty in it leaves a text its room
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

namespace {
struct RunFixed {
  u64 id;
  i64 began, ended, wall_began;
  i32 exit_code;
  u8 kind, stop;
  u16 zero;
  u64 counts[9];
};
using Count = std::uint64_t CaptureCounts::*;
constexpr Count kCounts[9] = {&CaptureCounts::seen,       &CaptureCounts::failed,      &CaptureCounts::late,
                              &CaptureCounts::outside,    &CaptureCounts::unix_socket, &CaptureCounts::udp,
                              &CaptureCounts::unreadable, &CaptureCounts::tunnels,     &CaptureCounts::interrupted};
}  // namespace

Encoder encode_run(Encoder out, const Run& run) {
  RunFixed f{.id = run.id,
             .began = run.began,
             .ended = run.ended,
             .wall_began = run.wall_began,
             .exit_code = run.exit_code,
             .kind = static_cast<u8>(run.kind),
             .stop = static_cast<u8>(run.stop),
             .zero = 0,
             .counts = {}};
  for (std::size_t i = 0; i < std::size(kCounts); i++) f.counts[i] = run.capture.*kCounts[i];
  out.pod(f);
  out.text(run.case_id);
  out.text(run.incomplete);
  for (auto* list : {&run.tests, &run.listed, &run.broken, &run.agents, &run.capture.not_seen, &run.capture.left_over})
    put_texts(out, *list);
  out.pod(static_cast<u32>(run.stages.size()));
  for (auto& s : run.stages) {
    out.text(s.test);
    out.pod(s.pid);
    out.pod(static_cast<u8>(s.phase));
    out.pod(static_cast<u8>(s.starts));
  }
  out.pod(static_cast<u32>(run.connection_faults.size()));
  for (auto& c : run.connection_faults) {
    out.pod(c.pid);
    out.text(c.service);
    put_fault(out, c.fault);
    out.pod(static_cast<u8>(c.fired));
    out.text(c.evidence);
    out.pod(c.at);
    out.pod(c.times);
    out.pod(c.exchange);
  }
  out.pod(static_cast<u32>(run.results.size()));
  for (auto& r : run.results) {
    out.text(r.test);
    out.text(r.outcome);
    out.pod(std::bit_cast<u64>(r.ms));
    out.pod(static_cast<u8>(r.phase));
    out.pod(static_cast<u32>(r.chain.size()));
    for (auto& t : r.chain) {
      for (auto* text : {&t.type, &t.message, &t.code, &t.link, &t.file, &t.function}) out.text(*text);
      out.pod(static_cast<i32>(t.line));
      out.pod(static_cast<u8>(t.in_test));
    }
  }
  out.pod(static_cast<u8>(run.compressed));
  put_texts(out, run.real_time);
  out.pod(static_cast<u32>(run.jumps.size()));
  for (auto& jump : run.jumps) out.pod(jump);
  for (auto& r : run.results)
    for (auto& t : r.chain) out.text(t.source);
  return out;
}
bool decode_run(std::string_view payload, Run& run) {
  Decoder in(payload);
  auto f = in.pod<RunFixed>();
  run.id = f.id;
  run.began = f.began;
  run.ended = f.ended;
  run.wall_began = f.wall_began;
  run.exit_code = f.exit_code;
  run.kind = in.word(f.kind, RunKind::without_fault);
  run.stop = in.word(f.stop, Stop::cut_off);
  for (std::size_t i = 0; i < std::size(kCounts); i++) run.capture.*kCounts[i] = f.counts[i];
  in.text(run.case_id);
  in.text(run.incomplete);
  for (auto* list : {&run.tests, &run.listed, &run.broken, &run.agents, &run.capture.not_seen, &run.capture.left_over})
    in.texts(*list);
  run.stages.resize(in.count(10));
  for (auto& s : run.stages) {
    in.text(s.test);
    s.pid = in.pod<i32>();
    s.phase = in.word(in.pod<u8>(), Phase::teardown);
    s.starts = in.pod<u8>();
  }
  run.connection_faults.resize(in.count(113));
  for (auto& c : run.connection_faults) {
    c.pid = in.pod<i32>();
    in.text(c.service);
    in.fault(c.fault);
    c.fired = in.pod<u8>();
    in.text(c.evidence);
    c.at = in.pod<i64>();
    c.times = in.pod<u64>();
    c.exchange = in.pod<u64>();
  }
  run.results.resize(in.count(21));
  for (auto& r : run.results) {
    in.text(r.test);
    in.text(r.outcome);
    r.ms = std::bit_cast<double>(in.pod<u64>());
    r.phase = in.word(in.pod<u8>(), Phase::teardown);
    r.chain.resize(in.count(29));
    for (auto& t : r.chain) {
      for (auto* text : {&t.type, &t.message, &t.code, &t.link, &t.file, &t.function}) in.text(*text);
      t.line = in.pod<i32>();
      t.in_test = in.pod<u8>();
    }
  }
  run.compressed = in.pod<u8>();
  in.texts(run.real_time);
  run.jumps.resize(in.count(sizeof(Jump)));
  for (auto& jump : run.jumps) jump = in.pod<Jump>();
  if (in.done()) return true;  // up to version 12
  for (auto& r : run.results)
    for (auto& t : r.chain) in.text(t.source);
  return in.done();
}

}  // namespace retrial::trace::record
