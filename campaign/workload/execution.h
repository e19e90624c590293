#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/config/config.h"
#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/director.h"
#include "campaign/workload/ways_in.h"
#include "proxy/capture/tree.h"
#include "proxy/connections/distrust.h"
#include "proxy/net/loop.h"
#include "trace/run.h"

namespace retrial::campaign {

// One execution of the user's command, or of a part of it.
struct RunSpec {
  Launch launch;
  trace::RunKind kind = trace::RunKind::reference;
  std::string case_id;
  std::vector<std::string> tests;  // ids that are to run; empty: the suite
  std::string only_test;           // for a runner without tests
  std::vector<std::string> look;   // URLs that are asked when the command has ended (look.h)
  bool measured = false;           // Run::memory is wanted
  std::vector<Aim> aims;           // at most one a call; without a target at every call
  trace::Lessons lessons;          // of the reference
  Nanos deadline = 0;              // real time; 0: none
  Nanos cut = 0;                   // real time after which it is ended, and says nothing; 0: none
  Nanos hold = 0;                  // client time that a held exchange may be left untouched; 0: for ever
  Nanos client_hold = 0;           // the same where its clock is moved there within some seconds; 0: `hold`
  int attempts_limit = 0;          // end once a faulted call has made more; 0: none
  Nanos looks_limit = 0;           // not before it has gone on for so long, where it does little but wait
  Nanos client_time_limit = 0;     // end once a faulted call has gone on with attempts for longer; 0: none
  // Beyond these (and `hold`, when what is held is given up) the call's faults are lifted, and the run goes on.
  bool lifts = false;
  // Of a client that may never end: it is ended (Stop::deadline) after so much of its time (two days where its clock
  // gets there within some seconds), or so many exchanges; without aims its clock is moved from its first exchange on.
  // 0: none of this.
  Nanos sampled_time = 0;
  std::uint64_t sampled_exchanges = 0;
  std::string rest_before;  // the test before which the client rests for trace::kRest, where its clock is moved
  Nanos work = 0;           // end (Stop::deadline) once its processes have worked for longer; 0: never
  Nanos after_fault = 0;    // end (Stop::deadline) where so long after the first fault somebody still asks; 0: never
  bool moves_clock() const { return !aims.empty() || sampled_time != 0; }
  bool attached = false;  // the command has our own stdin, stdout and stderr; else they go to a log
};

// Beside its trace, what a run has taught for those that come after it.
struct Aftermath {
  std::set<std::string> runners;         // test runners that spoke, whatever the command is called: "pytest"
  std::set<std::string> troubles;        // of agents: Events::troubles
  std::set<std::string> installed;       // packages that agents took for the application where they are installed
  std::set<std::string> made_serial;     // Events::made_serial
  std::set<std::string> reached;         // services, as CaptureCounts
  std::set<std::string> beyond;          // likewise
  proxy::Distrust::Known clients;        // that trust our certificate, or do not
  std::vector<std::string> distrusting;  // those that do not, as they stand in CaptureCounts::not_seen
  bool failed_distrusting = false;       // one was met for the first time: its first connection failed because of us
  Nanos in_command = 0;                  // real time
  Nanos cpu = 0;                         // as Run
  std::uint64_t memory = 0;              // as Run
  std::string incomplete;                // what the trace itself could not take in
};

// Executes runs, each in a fresh process tree with a proxy of its own, and gives back what the trace holds of it.
class Executor {
 public:
  struct Setting {
    std::filesystem::path folder;  // the campaign's folder; trace/, logs/, agents/ and trust/ are made in it
    Capture capture;
    bool keep_tags = false;
    std::map<std::string, std::string> profiles;  // by service address, where retrial.toml names one
    trace::Descriptions descriptions = {};
    std::map<std::string, proxy::ServiceTlsSettings> security = {};  // likewise
    bool real_time = false;                                          // clients' clocks are never moved (docs/time.md)
    bool causes = false;  // agents tell which answers led to a request, where that has its cost (Node's)
    std::vector<std::string> application = {};  // as RunSettings has it
    std::vector<Process> processes = {};        // that are started again
  };
  // Unpacks the agents, and makes an authority that lives as long as it, with the files by which commands trust it.
  static Result<std::unique_ptr<Executor>> open(Setting setting, const Clock& clock);
  ~Executor();

  // On this thread. From the first on it watches SIGINT, SIGTERM and SIGHUP for as long as it lives. An error only
  // where nothing could be run at all (a command that does not exist, capture refused, the disk full). A fault of ours
  // on the way marks the run incomplete.
  Result<trace::Run> execute(const RunSpec& spec);

  // The same in parts, for Workers: a number for the run; what a process of its own does; and what is done after it.
  std::uint64_t next();
  Result<Aftermath> execute_only(std::uint64_t run, const RunSpec& spec);
  Result<trace::Run> take(std::uint64_t run, const RunSpec& spec, const Aftermath& aftermath);

  // Where that run's output went (unless it was attached), and where its agents write while it lasts.
  std::filesystem::path log_of(std::uint64_t run) const;
  std::filesystem::path events_of(std::uint64_t run) const;
  // Ctrl-C (or SIGTERM, SIGHUP) has come: the run under way was ended, and no other is to be begun.
  bool interrupted() const;
  void interrupt();
  // Of the last run that was taken.
  const std::set<std::string>& runners() const;
  const std::set<std::string>& reached() const;
  // Of agents, in all runs that were taken: what failed in them.
  const std::set<std::string>& troubles() const;
  const std::set<std::string>& installed() const;
  const std::set<std::string>& made_serial() const;
  bool failed_distrusting() const;
  // What commands could not be made to trust, for the reader.
  const std::vector<std::string>& remarks() const;
  // Clients that do not trust our certificate, met in any run so far: as they stand in CaptureCounts::not_seen.
  const std::set<std::string>& distrusting() const;
  // Services whose TLS was opened, and whose clients went on: as Distrust::pair.
  std::set<std::string> opened() const;
  // Nanoseconds spent inside commands so far: what is left of a campaign's time is our own.
  Nanos in_commands() const;

  struct Impl;  // executor_impl.h

 private:
  explicit Executor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::campaign
