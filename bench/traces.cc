// retrial_traces make FOLDER EXCHANGES KIND: a trace as `serve` records it, of EXCHANGES exchanges. KIND: clean,
// percent
//   (one call in a hundred meets a 503 and is sent again) or all (every call does).
// retrial_traces store FOLDER: what building its store alone costs: the segments are read, and written to SQLite.
// retrial_traces append FOLDER EXCHANGES KEEP: user and system time of recording that many, KEEP (bytes, 0: all) of
// them
//   kept, as `serve` does it with one loop.
// All print what they have made.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "trace/fault_name.h"
#include "trace/recording/segment.h"
#include "trace/recording/segment_folder.h"
#include "trace/store/store.h"

using namespace retrial;
using namespace retrial::trace;

namespace {
constexpr std::uint64_t kSide = 16;  // calls side by side

int wrong(const std::string& line) {
  std::fprintf(stderr, "retrial_traces: %s\n", line.c_str());
  return 2;
}

Exchange request(std::uint64_t id, std::uint64_t call, Nanos at) {
  Exchange e{.id = id, .connection = call % kSide + 1, .pid = 0, .service = "127.0.0.1:8080"};
  e.host = "things.example";
  e.method = call % 3 ? "GET" : "PUT";
  e.target = "/v1/things/" + std::to_string(call) + (call % 5 ? "" : "/parts?page=2");
  e.request_headers = {{"Host", e.host},
                       {"User-Agent", "client/1.4 (linux)"},
                       {"Accept", "application/json"},
                       {"Accept-Encoding", "gzip, deflate"},
                       {"X-Request-Id", "7a0e5c1e-5f6e-4f7e-9d1c-" + std::to_string(100'000'000'000 + id)}};
  e.begun = e.request_read = at;
  return e;
}

bool put(SegmentWriter& w, std::uint64_t run, Exchange e, bool fault) {
  if (fault) e.fault = {.name = FaultName::error, .status = 503};
  if (!w.head(run, e)) return false;
  e.told = e.begun + 2 * kMillisecond;
  e.ending = Ending::answered;
  e.client_status = fault ? 503 : 200;
  if (fault) {
    e.fired = true;
    e.fired_at = e.told;
    e.evidence = "answered 503 before the service heard of it";
    if (!w.fired(run, e)) return false;
  } else {
    e.service_status = 200;
    e.answered = e.service_done = e.told;
    e.response_headers = {{"Content-Type", "application/json"}, {"Content-Length", "180"}, {"Server", "things/2.0"}};
    if (!w.answer(run, e)) return false;
    e.response_bytes = 180;
    e.response_sample = "{\"id\":" + std::to_string(e.id) + ",\"name\":\"" + std::string(150, 'x') + "\"}";
  }
  return bool(w.over(run, e));
}

int make(const std::filesystem::path& folder, std::uint64_t count, const std::string& kind) {
  auto opened = SegmentWriter::open(folder);
  if (!opened) return wrong(opened.error().line());
  auto& w = **opened;
  Run run{.id = 1, .kind = RunKind::reference, .began = 1, .wall_began = 1'750'000'000 * kSecond};
  if (!w.begin(run)) return wrong("cannot be begun");
  Nanos at = kSecond;
  std::uint64_t id = 0, call = 0;
  while (id < count) {  // kSide calls at a time; those that fail are sent again together, a moment later
    bool good = true;
    auto first = call;
    auto fails = [&](std::uint64_t n) { return kind == "all" || (kind == "percent" && n % 100 == 0); };
    for (std::uint64_t n = 0; n < kSide && id < count; n++, call++)
      good = good && put(w, 1, request(++id, call, at += 100'000), fails(call));
    at += 200 * kMillisecond;
    for (auto n = first; n < call && id < count; n++)
      if (fails(n)) good = good && put(w, 1, request(++id, n, at += 100'000), false);
    if (!good) return wrong("cannot be written");
  }
  run.ended = at;
  if (!w.end(run)) return wrong("cannot be ended");
  std::printf("%llu exchanges, %llu calls\n", static_cast<unsigned long long>(id),
              static_cast<unsigned long long>(call));
  return 0;
}

double microseconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return of(used.ru_utime) + of(used.ru_stime);
}

int append(const std::filesystem::path& folder, std::uint64_t count, std::uint64_t keep) {
  auto shared = SegmentFolder::open(folder, {.keep = keep});
  if (!shared) return wrong(shared.error().line());
  auto opened = SegmentWriter::open(*shared);
  if (!opened) return wrong(opened.error().line());
  auto& w = **opened;
  Run run{.id = 1, .kind = RunKind::reference, .began = 1, .wall_began = 1'750'000'000 * kSecond};
  if (!w.begin(run)) return wrong("cannot be begun");
  auto e = request(1, 1, kSecond);
  auto before = microseconds();
  for (std::uint64_t id = 1; id <= count; id++) {
    e.id = id;
    e.begun = static_cast<Nanos>(id) * 1000;
    if (!put(w, 1, e, false)) return wrong("cannot be written");
  }
  auto used = microseconds() - before;
  if (!w.end(run)) return wrong("cannot be ended");
  std::printf("%.3f us an exchange\n", used / static_cast<double>(count));
  return 0;
}

int store(const std::filesystem::path& folder) {
  auto writer = StoreWriter::open(folder / "alone.db");
  if (!writer) return wrong(writer.error().line());
  auto runs = read_segments(folder, {.head = {}, .over = [&](auto run, Exchange&& e) { (*writer)->add(run, e); }});
  if (!runs) return wrong(runs.error().line());
  if (auto ok = (*writer)->end({}, *runs); !ok) return wrong(ok.error().line());
  std::printf("%llu bytes\n", static_cast<unsigned long long>(std::filesystem::file_size(folder / "alone.db")));
  std::filesystem::remove(folder / "alone.db");
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "make" && argc == 5) return make(argv[2], std::strtoull(argv[3], nullptr, 10), argv[4]);
  if (verb == "store" && argc == 3) return store(argv[2]);
  if (verb == "append" && argc == 5)
    return append(argv[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10));
  return wrong("make FOLDER EXCHANGES KIND, store FOLDER, or append FOLDER EXCHANGES KEEP");
}
