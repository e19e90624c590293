#pragma once
#include <atomic>
#include <filesystem>
#include <memory>

#include "campaign/config/config.h"
#include "campaign/serving/live_checks.h"
#include "campaign/serving/running_judge.h"
#include "campaign/serving/watcher.h"
#include "proxy/out/access_log.h"
#include "proxy/out/otlp.h"
#include "proxy/out/span.h"

namespace retrial::campaign {

// How a signal of OTLP ("traces", "logs") goes to a receiver, whose URL may end with its path or not.
Result<proxy::OtlpExporter::Options> otlp_options(const std::string& url, std::string_view signal,
                                                  const std::string& service, std::uint64_t id);

// What is told of each exchange, all of it read from the recording by one Watcher: the access log, traces, and what the
// admin side shows. From any thread.
class Telemetry {
 public:
  // Files are open when it returns; an error names what is in the way.
  // `found` is told what the judge finds, on another thread; it may be empty.
  static Result<std::unique_ptr<Telemetry>> start(const Config& config, const std::filesystem::path& recording,
                                                  const trace::Run& run, RunningJudge::Found found, proxy::Log& log);
  ~Telemetry();  // what is left is read, told and judged
  Watcher& watcher() { return *watcher_; }
  const proxy::OtlpExporter* traces() const { return traces_.get(); }      // or null
  const proxy::LineFile* access_log() const { return access_log_.get(); }  // or null
  const RunningJudge* judge() const { return judge_.get(); }               // or null: [serve] judge is not said
  const LiveChecks* checks() const { return checks_.get(); }               // or null: no checkers are given
  void reopen() { reopen_ = true; }                                        // the access log, where it was moved away

 private:
  Telemetry(const TelemetrySettings& said, proxy::AccessFormat format, const trace::Run& run, proxy::Log& log);
  void take(const trace::Exchange& e, const proxy::WallTime& wall);
  void write_lines();
  void after_look();

  TelemetrySettings said_;
  proxy::AccessFormat format_;
  std::uint64_t run_;
  proxy::Log& log_;
  std::unique_ptr<proxy::LineFile> access_log_;
  std::string lines_;  // of one look
  bool log_written_ = true;
  std::atomic<bool> reopen_{false};
  std::unique_ptr<proxy::OtlpExporter> traces_;
  proxy::OtlpRecords spans_;  // that it has not been given yet
  std::unique_ptr<RunningJudge> judge_;
  std::unique_ptr<LiveChecks> checks_;
  std::uint64_t lost_ = 0;            // as the watcher said last
  std::unique_ptr<Watcher> watcher_;  // the first to go: it uses the others
};

}  // namespace retrial::campaign
