#include "campaign/serving/telemetry.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace retrial::campaign {
namespace {
constexpr std::size_t kMostLines = 256u << 10;  // bytes that are written at once

// The same traces everywhere: by the id that all who take part in one know.
bool is_sampled(const trace::Exchange& e, policies::Share share) {
  auto parent = proxy::trace_parent_of(e);
  if (parent && !parent->sampled) return false;
  if (share >= policies::kAlways) return true;
  return policies::happens(share, fnv1a(parent ? parent->trace : std::to_string(e.id)) * 0x9e3779b97f4a7c15ull);
}

}  // namespace

Telemetry::Telemetry(const TelemetrySettings& said, proxy::AccessFormat format, const trace::Run& run, proxy::Log& log)
    : said_(said), format_(std::move(format)), run_(run.id), log_(log) {}

Result<std::unique_ptr<Telemetry>> Telemetry::start(const Config& config, const std::filesystem::path& recording,
                                                    const trace::Run& run, RunningJudge::Found found, proxy::Log& log) {
  auto& said = config.telemetry;
  auto format = proxy::AccessFormat::parse(said.access_format);
  if (!format) return std::unexpected(format.error());
  std::unique_ptr<Telemetry> made(new Telemetry(said, std::move(*format), run, log));
  if (!said.access_log.empty()) {
    made->access_log_ = std::make_unique<proxy::LineFile>(said.access_log);
    if (auto ok = made->access_log_->open(); !ok) return std::unexpected(ok.error());
  }
  if (!said.traces.empty()) {
    auto slash = said.traces.find('/', 8);
    auto at = proxy::http_address_of(said.traces.substr(0, slash));
    if (!at) return std::unexpected(at.error());
    auto path = slash == said.traces.npos ? "" : said.traces.substr(slash);
    while (path.ends_with('/')) path.pop_back();
    if (!path.ends_with("/v1/traces")) path += "/v1/traces";
    made->traces_ = std::make_unique<proxy::OtlpExporter>(
        proxy::OtlpExporter::Options{.at = *at, .path = path, .service = said.traces_service, .id = run.id}, log);
  }
  std::vector<Watcher::Take> takers;
  if (config.serve.judge) made->judge_ = std::make_unique<RunningJudge>(run, config, std::move(found), log);
  if (made->access_log_ || made->traces_ || made->judge_)
    takers.push_back([self = made.get()](auto& e, auto& wall) { self->take(e, wall); });
  made->watcher_ = std::make_unique<Watcher>(
      Watcher::Setting{.folder = recording, .run = run, .always = said.always() || config.serve.judge},
      std::move(takers), [self = made.get()] { self->after_look(); }, log);
  return made;
}

Telemetry::~Telemetry() {
  watcher_.reset();
  if (judge_) judge_->judge(true);
}

void Telemetry::take(const trace::Exchange& e, const proxy::WallTime& wall) {
  if (access_log_) {
    lines_.append(format_.line(e, wall)).append("\n");
    if (lines_.size() >= kMostLines) access_log_->write(std::exchange(lines_, {}));
  }
  if (judge_) judge_->take(e);
  if (traces_ && is_sampled(e, said_.traces_share)) traces_->add(proxy::otlp_span(e, wall, run_));
}

void Telemetry::after_look() {
  if (judge_) judge_->look(std::chrono::steady_clock::now().time_since_epoch().count());
  if (!lines_.empty()) access_log_->write(std::exchange(lines_, {}));
  if (access_log_ && reopen_.exchange(false))
    if (auto ok = access_log_->open(); !ok) log_.say(proxy::Log::Level::error, ok.error().line());
}

}  // namespace retrial::campaign
