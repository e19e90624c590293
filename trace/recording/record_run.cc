#include <bit>
#include <iterator>

#include "trace/recording/record.h"
#include "trace/recording/record_fields.h"

namespace retrial::trace::record {
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
  for (auto& s : run.stages) out.pod(s.at);
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
  if (in.done()) return true;  // up to version 14
  for (auto& s : run.stages) s.at = in.pod<i64>();
  return in.done();
}

}  // namespace retrial::trace::record
