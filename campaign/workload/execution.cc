#include "campaign/workload/execution.h"

#include <fmt/format.h>

#include "campaign/workload/agents/agent.h"
#include "campaign/workload/agents/files.h"
#include "campaign/workload/executor_impl.h"
#include "campaign/workload/one_run.h"
#include "campaign/workload/shortened_log.h"
#include "trace/calls/correlator.h"
#include "trace/recording/segment.h"

namespace retrial::campaign {
namespace {

// A certificate that does not verify is the client's to judge: it is shown one like it.
Result<Securities> securities_for(const Executor::Setting& setting, const Trust& trust, certs::StandIns& stand_ins) {
  auto all = setting.security;
  all.try_emplace("");
  Securities made;
  for (auto& [address, settings] : all) {
    settings.mirrors = true;
    if (settings.ca.empty()) settings.also = trust.roots, settings.stand_ins = &stand_ins;
    auto security = proxy::TlsToService::make(settings);
    if (!security) return std::unexpected(security.error());
    made[address] = std::move(*security);
  }
  return made;
}

}  // namespace

Executor::Executor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executor::~Executor() {
  std::error_code left;
  for (auto* agent : agents())
    std::filesystem::remove_all(impl_->setting.folder / "agents" / agent->name() / Agent::kCache, left);
}
bool Executor::interrupted() const { return impl_->interrupted; }
void Executor::interrupt() { impl_->interrupted = true; }
std::uint64_t Executor::next() { return ++impl_->runs; }
std::filesystem::path Executor::log_of(std::uint64_t run) const {
  return impl_->setting.folder / "logs" / fmt::format("{:04}.log", run);
}
std::filesystem::path Executor::events_of(std::uint64_t run) const {
  return campaign::events_of(impl_->setting.folder, run);
}
const std::vector<std::string>& Executor::remarks() const { return impl_->trust.remarks; }
const std::set<std::string>& Executor::distrusting() const { return impl_->distrusting; }
const std::set<std::string>& Executor::runners() const { return impl_->runners; }
const std::set<std::string>& Executor::troubles() const { return impl_->troubles; }
const std::set<std::string>& Executor::reached() const { return impl_->reached; }
const std::set<std::string>& Executor::installed() const { return impl_->installed; }
const std::set<std::string>& Executor::made_serial() const { return impl_->made_serial; }
std::set<std::string> Executor::opened() const { return impl_->distrust.known().trusting; }
bool Executor::failed_distrusting() const { return impl_->failed_distrusting; }
Nanos Executor::in_commands() const { return impl_->in_commands; }

Result<std::unique_ptr<Executor>> Executor::open(Setting setting, const Clock& clock) {
  std::error_code error;
  for (auto part : {"trace", "logs", "agents", "events", "time"}) {
    std::filesystem::create_directories(setting.folder / part, error);
    if (error) return fail("cannot be made: " + error.message(), (setting.folder / part).string(), Blame::user);
  }
  if (auto ok = unpack_agents(setting.folder / "agents"); !ok) return std::unexpected(ok.error());
  auto authority = certs::Authority::make(clock);
  if (!authority) return std::unexpected(authority.error());
  auto strangers = certs::Authority::make(clock);
  if (!strangers) return std::unexpected(strangers.error());
  auto trust = write_trust(*authority, setting.folder / "trust", RootPlaces::of_this_machine(), &*strangers);
  if (!trust) return std::unexpected(trust.error());
  auto stand_ins = certs::StandIns::make(*authority, clock, trust->folder / "stand-ins");
  if (!stand_ins) return std::unexpected(stand_ins.error());
  auto securities = securities_for(setting, *trust, **stand_ins);
  if (!securities) return std::unexpected(securities.error());
  auto impl =
      std::make_unique<Impl>(std::move(setting), clock, Authorities{*authority, *strangers, std::move(*stand_ins)},
                             std::move(*trust), std::move(*securities));
  impl->prepare_agents();
  return std::unique_ptr<Executor>(new Executor(std::move(impl)));
}

Result<Aftermath> Executor::execute_only(std::uint64_t number, const RunSpec& spec) {
  impl_->listen();
  return OneRun(*impl_, number, spec).execute();
}

Result<trace::Run> Executor::execute(const RunSpec& spec) {
  auto run = next();
  auto aftermath = execute_only(run, spec);
  if (!aftermath) return std::unexpected(aftermath.error());
  return take(run, spec, *aftermath);
}

Result<trace::Run> Executor::take(std::uint64_t number, const RunSpec& spec, const Aftermath& aftermath) {
  impl_->runners = aftermath.runners;
  impl_->installed = aftermath.installed;
  impl_->made_serial = aftermath.made_serial;
  impl_->troubles.insert(aftermath.troubles.begin(), aftermath.troubles.end());
  impl_->reached.insert(aftermath.reached.begin(), aftermath.reached.end());
  impl_->distrust.learn(aftermath.clients);
  impl_->distrusting.insert(aftermath.distrusting.begin(), aftermath.distrusting.end());
  impl_->failed_distrusting = aftermath.failed_distrusting;
  // Of several that went side by side the time counts once.
  auto now = impl_->clock.now();
  impl_->in_commands += now - std::max(now - aftermath.in_command, impl_->taken);
  impl_->taken = now;
  auto stored = trace::read_run(trace_of(impl_->setting.folder, number), number);
  if (!stored) {
    trace::Run lost{.id = number, .kind = spec.kind, .case_id = spec.case_id, .tests = spec.tests};
    lost.incomplete = "the trace could not be read back: " + stored.error().line();
    return lost;
  }
  stored->cpu = aftermath.cpu;
  stored->memory = aftermath.memory;
  shorten_log(log_of(number));
  stored->capture.reached = aftermath.reached;
  stored->capture.beyond = aftermath.beyond;
  if (!aftermath.incomplete.empty()) stored->incomplete = aftermath.incomplete;
  trace::Correlator::correlate_each_test(*stored, spec.lessons);
  return stored;
}

}  // namespace retrial::campaign
