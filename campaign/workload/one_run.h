#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "campaign/workload/environment.h"
#include "campaign/workload/events.h"
#include "campaign/workload/executor_impl.h"
#include "campaign/workload/look.h"
#include "campaign/workload/run_events.h"
#include "campaign/workload/watchdog.h"
#include "campaign/workload/ways_in.h"
#include "proxy/server/trace_recorder.h"
#include "proxy/time/compressor.h"
#include "trace/recording/segment.h"

namespace retrial::campaign {

// One execution from its files to what it has taught: once, on the thread of the executor's loop. Its trace is on the
// disk when execute() has come back.
class OneRun {
 public:
  // `of` and `spec` outlive it.
  OneRun(Executor::Impl& of, std::uint64_t number, const RunSpec& spec);
  Result<Aftermath> execute();

 private:
  struct UnderWay;

  Result<void> set_up();  // files, trace, ways in
  Result<void> open_page();
  Result<void> open_ways_in();
  Result<void> open_orders();
  proxy::Command command();
  Result<void> watch();  // until the command has ended
  void look(UnderWay& under_way);
  bool tests_are_over();
  proxy::Compressor::Surroundings surroundings(UnderWay& under_way);
  void note_clock(UnderWay& under_way);
  void conclude(Aftermath& aftermath);
  void note_distrust(Aftermath& aftermath);

  Executor::Impl& of_;
  const Executor::Setting& setting_;
  const RunSpec& spec_;
  std::string name_;
  std::filesystem::path page_file_;
  std::unique_ptr<proxy::TimePage> page_;
  std::optional<proxy::ClientClock> clock_;
  trace::Run run_;
  Nanos really_began_ = 0;
  EnvironmentSetting environment_;
  Launch launch_;
  Looking looking_;
  std::unique_ptr<trace::SegmentWriter> writer_;
  std::unique_ptr<WaysIn> ways_in_;
  std::optional<Events> events_;
  std::optional<proxy::TraceRecorder> recorder_;
  proxy::Proxy* taking_ = nullptr;  // while there is one
  std::optional<trace::Stop> stopped_;
  int log_ = -1, nothing_ = -1;  // descriptors; -1: none
};

}  // namespace retrial::campaign
