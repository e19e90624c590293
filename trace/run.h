#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "trace/exchange.h"

namespace retrial::trace {

// One exception of a chain, as docs/agents.md has it. The first of a chain is the outermost.
struct Thrown {
  std::string type;
  std::string message;
  std::string code;
  std::string link;  // raised | cause | context | member; expected: it did what the test expected, and failed nothing
  std::string file;
  int line = 0;
  std::string function;
  bool in_test = false;
  std::string source = {};  // in_test: the test's lines up to this one, as far as they are at hand; else empty
};

// Links of what stands behind what failed a test, if anything did: the first of a chain that the test expected, and of
// one that nobody looked at.
inline constexpr std::string_view kExpected = "expected", kUnheard = "unheard";
inline bool stands_behind(const Thrown& thrown) { return thrown.link == kExpected || thrown.link == kUnheard; }

struct TestResult {
  std::string test;
  Phase phase = Phase::none;
  std::string outcome;  // passed | failed | error | skipped
  double ms = 0;
  std::vector<Thrown> chain;
};
inline bool bad(const TestResult& r) { return r.outcome == "failed" || r.outcome == "error"; }

// One `start` or `end` of a test's phase.
struct Stage {
  std::string test;
  Phase phase = Phase::none;
  std::int32_t pid = 0;
  bool starts = true;
  Nanos at = 0;  // client time at which it was heard of, before the clock was moved any further; 0: not known
};

// Behind an address in CaptureCounts::not_seen: nobody listened there.
inline constexpr std::string_view kRefused = " (Connection refused)";

// What capture saw of the tree's connections. Counts of connects.
struct CaptureCounts {
  std::uint64_t seen = 0;     // redirected through the proxy
  std::uint64_t failed = 0;   // the dial failed: left native
  std::uint64_t late = 0;     // the dial took too long: left native
  std::uint64_t outside = 0;  // no loopback and no private address: left native
  std::uint64_t unix_socket = 0;
  std::uint64_t udp = 0;
  std::uint64_t unreadable = 0;   // memory or socket could not be read: left native
  std::uint64_t tunnels = 0;      // seen, but no HTTP/1: passed
  std::uint64_t interrupted = 0;  // a signal met a connect before we had it: a failure that capture itself can cause
  std::vector<std::string> not_seen;   // names of what was left native, each once: "api.example.com:443 (outside)"
  std::vector<std::string> left_over;  // processes ended after the command: "azurite[123]"
  // Services, as Exchange::service: those of `seen`, and those of `late`. Not recorded: Run::incomplete says what
  // follows.
  std::set<std::string> reached, missed;
  // Not on loopback: addresses that a connect names, of TCP and UDP, and name servers wherever they are. Not recorded.
  std::set<std::string> beyond;
};

// What became of faults of connections (is_of_connection), which have no exchange of their own: one entry for those of
// one process to one service that met the same.
struct ConnectionFault {
  std::int32_t pid = 0;
  std::string service;  // as Exchange::service
  FaultSpec fault;
  bool fired = false;
  std::string evidence;        // not fired: why
  Nanos at = 0;                // the first; run's clock
  std::uint64_t times = 0;     // connections
  std::uint64_t exchange = 0;  // the first request that carries it; 0: none has followed
};

enum class RunKind : std::uint8_t { reference, alone, with_fault, without_fault };
std::string_view show(RunKind kind);

// The client's clock was moved on: at client time `at`, by `by`. What a client waits for is in the jumps; what is left
// of a gap is the machine's load and the client's own work.
struct Jump {
  Nanos at = 0;
  Nanos by = 0;
};

// How a run came to its end.
enum class Stop : std::uint8_t {
  exited,       // the command ended by itself
  signalled,    // ... by a signal
  held,         // an exchange that we held was left untouched for [run] hold
  capped,       // a faulted call made more attempts, or went on for longer, than it is looked at
  hung,         // tree idle, no exchange open, nothing sent
  deadline,     // the case's own time limit
  interrupted,  // Ctrl-C
  cut_off,      // its recording stops before it had ended: Retrial was killed, or goes on
};
std::string_view show(Stop stop);

// One execution of the workload or some of its tests: a row of the store, and what oracles read. Times are the
// client's: real time, and what its clock was moved on by.
struct Run {
  std::uint64_t id = 0;  // from 1 within a campaign
  RunKind kind = RunKind::reference;
  std::string case_id;             // the case it belongs to; empty for references
  std::vector<std::string> tests;  // ids asked for; empty: the whole suite
  Nanos began = 0;                 // run's clock
  Nanos ended = 0;
  Nanos known_from = 0;         // the beginning of its trace is gone: when the rest begins; else 0. Not recorded
  std::int64_t wall_began = 0;  // Unix time, ns
  Stop stop = Stop::exited;
  int exit_code = 0;                // or the signal's number
  std::vector<TestResult> results;  // of every test that said so, in order
  std::vector<Stage> stages;
  std::vector<std::string> listed;  // tests that the runner listed
  std::vector<std::string> broken;  // "file: message": test files that could not be loaded
  std::vector<std::string> agents;  // languages whose agent was loaded
  std::vector<Exchange> exchanges;  // by id
  CaptureCounts capture;
  std::vector<ConnectionFault> connection_faults;
  Nanos cpu = 0;                       // processor time of its command's processes that have ended; 0: not known
  std::uint64_t memory = 0;            // bytes that the largest of them held at most; 0: not known
  bool compressed = false;             // its clock could be moved; else every wait took its time
  std::vector<Jump> jumps;             // in order
  std::vector<std::string> real_time;  // processes whose clock could not be moved: "tool[123] (static)"
  std::string incomplete;              // why this run may not be judged (a fault of ours); empty: it may
  // Of a slice, where somebody asked for it (CaseRecord::followed_by): what the test did that was executed after it, in
  // the same process. Not recorded.
  std::shared_ptr<const Run> followed_by;
};

// The real time that it took: without what its client's clock was moved on by.
Nanos lasted(const Run& run);

// The result that counts for a test: a bad one of any phase, else the one of its `test` phase; null if it never ran.
const TestResult* result_of(const Run& run, std::string_view test);

}  // namespace retrial::trace
