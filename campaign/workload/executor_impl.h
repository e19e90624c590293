#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "campaign/workload/execution.h"
#include "campaign/workload/restart.h"
#include "campaign/workload/trust.h"
#include "certs/leaf_store.h"
#include "proxy/capture/tree.h"
#include "proxy/connections/distrust.h"
#include "proxy/proxy.h"

// What runs of one campaign share; for execution.cc and one_run.cc.
namespace retrial::campaign {

struct Authorities {
  certs::Authority ours;
  certs::Authority strangers;  // signs for services of an authority that nobody here knows
  std::unique_ptr<certs::StandIns> stand_ins;
};

// How services are verified: by address, "" all others.
using Securities = std::map<std::string, std::unique_ptr<proxy::TlsToService>>;

struct Executor::Impl {
  Impl(Setting s, const Clock& c, Authorities authorities, Trust t, Securities services);

  // Clocks can be moved: no setting forbids it, and what is preloaded is named in a list that knows no quotes.
  bool compresses() const;
  void prepare_agents();
  proxy::Options options();
  void listen();  // for signals, from the first run on

  Setting setting;
  const Clock& clock;
  Trust trust;
  certs::LeafStore leaves, strangers;
  std::unique_ptr<certs::StandIns> stand_ins;
  proxy::TlsToClients to_clients{leaves, &strangers};
  Securities securities;
  proxy::Distrust distrust;
  std::set<std::string> distrusting, reached, runners, installed, made_serial, troubles;
  bool failed_distrusting = false;
  std::unique_ptr<proxy::Loop> loop;  // from the first run of this process on
  std::uint64_t runs = 0;
  Nanos in_commands = 0, taken = 0;  // the last run, at
  std::unique_ptr<proxy::Timer> grace;  // after a signal that was passed on
  bool interrupted = false;
  proxy::Tree* tree = nullptr;     // of the run under way
  std::unique_ptr<Orders> orders;  // likewise
  bool attached = false;
  std::vector<std::unique_ptr<proxy::SignalWatch>> signals;

 private:
  bool end_process(pid_t pid) const;
};

// The folder of a run's trace, and the file that its agents write to.
std::filesystem::path trace_of(const std::filesystem::path& folder, std::uint64_t run);
std::filesystem::path events_of(const std::filesystem::path& folder, std::uint64_t run);

}  // namespace retrial::campaign
