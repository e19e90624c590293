// retrial_traces make FOLDER EXCHANGES KIND: a trace as `serve` records it, of EXCHANGES exchanges. KIND: clean,
// percent
//   (one call in a hundred meets a 503 and is sent again) or all (every call does).
// retrial_traces store FOLDER: what building its store alone costs: the segments are read, and written to SQLite.
// retrial_traces append FOLDER EXCHANGES KEEP: user and system time of recording that many, KEEP (bytes, 0: all) of
// them
//   kept, as `serve` does it with one loop.
// retrial_traces fleet FOLDER MEMBERS EXCHANGES: recordings of that many sidecars, of EXCHANGES each on average, in
// folders
//   of their own: services that call each other as a tree, whose clocks are up to a second apart. truth.txt has how
//   far.
// All print what they have made.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

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

// Of one exchange between two members, the same whoever is asked for it.
struct Hop {
  std::uint64_t id = 0;
  Nanos sent = 0, came = 0, answered = 0, heard = 0;  // true time
  bool fails = false;                                 // at the service's sidecar, by a fault there
};
Hop hop(std::uint64_t child, std::uint64_t n) {
  std::mt19937_64 random(child * 1'000'003 + n);
  auto between = [&](Nanos least, Nanos most) {
    return least + static_cast<Nanos>(random() % static_cast<std::uint64_t>(most - least));
  };
  Hop h{.id = child << 32 | n,
        .sent = kSecond + static_cast<Nanos>(n) * 50 * kMillisecond + between(0, 20 * kMillisecond)};
  h.came = h.sent + between(50'000, kMillisecond);
  h.answered = h.came + between(kMillisecond, 10 * kMillisecond);
  h.heard = h.answered + between(50'000, kMillisecond);
  h.fails = n % 100 == 7;
  return h;
}

bool put_hop(SegmentWriter& w, std::uint64_t id, const Hop& h, std::uint64_t child, bool out, Nanos skew) {
  char parent[64];
  std::snprintf(parent, sizeof parent, "00-%016llx%016llx-%016llx-01", static_cast<unsigned long long>(h.id >> 32),
                static_cast<unsigned long long>(h.id + 1), static_cast<unsigned long long>(h.id + 1));
  auto e = request(id, h.id, skew + (out ? h.sent : h.came));
  e.service =
      out ? "10.0." + std::to_string(child / 250) + "." + std::to_string(child % 250 + 1) + ":8080" : "127.0.0.1:8080";
  e.host = "svc-" + std::to_string(child);
  e.target = "/v1/things/" + std::to_string(h.id % 1000);
  e.request_headers[0].value = e.host;
  e.request_headers[4].value += std::to_string(child);
  e.request_headers.push_back({"traceparent", parent});
  bool fault = h.fails && !out;
  if (fault) e.fault = {.name = FaultName::error, .status = 503};
  if (!w.head(1, e)) return false;
  e.told = skew + (out ? h.heard : h.answered);
  e.ending = Ending::answered;
  e.client_status = h.fails ? 503 : 200;
  if (fault) {
    e.fired = true;
    e.fired_at = e.told;
    e.evidence = "answered 503 before the service heard of it";
    return w.fired(1, e) && w.over(1, e);
  }
  e.service_status = e.client_status;
  e.answered = e.service_done = e.told;
  e.response_headers = {{"Content-Type", "application/json"}, {"Content-Length", "180"}};
  e.response_bytes = 180;
  return w.answer(1, e) && w.over(1, e);
}

int fleet(const std::filesystem::path& folder, std::uint64_t members, std::uint64_t each) {
  constexpr std::uint64_t kCallees = 10;
  std::filesystem::create_directories(folder);
  auto* truth = std::fopen((folder / "truth.txt").c_str(), "w");
  if (!truth) return wrong("truth.txt cannot be written");
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < members; i++) {
    std::mt19937_64 random(i);
    auto skew = static_cast<Nanos>(random() % (2 * kSecond)) - kSecond;
    auto name = folder / ("sidecar-" + std::to_string(i));
    std::fprintf(truth, "%s %lld\n", name.c_str(), static_cast<long long>(skew));
    struct Seen {
      Hop hop;
      std::uint64_t child;
      bool out;
    };
    std::vector<Seen> seen;
    for (std::uint64_t n = 0; n < each / 2; n++) {
      if (i) seen.push_back({hop(i, n), i, false});
      for (auto child = i * kCallees + 1; child <= i * kCallees + kCallees && child < members; child++)
        seen.push_back({hop(child, n), child, true});
    }
    std::sort(seen.begin(), seen.end(),
              [](auto& a, auto& b) { return (a.out ? a.hop.sent : a.hop.came) < (b.out ? b.hop.sent : b.hop.came); });
    auto opened = SegmentWriter::open(name);
    if (!opened) return wrong(opened.error().line());
    auto& w = **opened;
    Run run{.id = 1, .kind = RunKind::reference, .began = 1, .wall_began = 1'750'000'000 * kSecond + 1 + skew};
    bool good = bool(w.begin(run));
    for (auto& s : seen) good = good && put_hop(w, ++all, s.hop, s.child, s.out, 0);
    run.ended = kSecond + static_cast<Nanos>(each) * 50 * kMillisecond;
    if (!good || !w.end(run)) return wrong("cannot be written");
  }
  std::fclose(truth);
  std::printf("%llu members, %llu exchanges\n", static_cast<unsigned long long>(members),
              static_cast<unsigned long long>(all));
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
  if (verb == "fleet" && argc == 5)
    return fleet(argv[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10));
  return wrong(
      "make FOLDER EXCHANGES KIND, store FOLDER, append FOLDER EXCHANGES KEEP, or fleet FOLDER MEMBERS EXCHANGES");
}
