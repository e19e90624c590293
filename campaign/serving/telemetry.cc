#include "campaign/serving/telemetry.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/text.h"

namespace retrial::campaign {
namespace {
constexpr std::size_t kMostLines = 256u << 10;  // bytes that are written at once

// The same traces everywhere: by the id that all who take part in one know.
bool is_sampled(const trace::Exchange& e, const std::optional<proxy::TraceParent>& parent, policies::Share share) {
  if (parent && !parent->sampled) return false;
  if (share >= policies::kAlways) return true;
  return policies::happens(share,
                           (parent ? fnv1a(parent->trace) : fnv1a(std::to_string(e.id))) * 0x9e3779b97f4a7c15ull);
}

}  // namespace

Result<proxy::OtlpExporter::Options> otlp_options(const std::string& url, std::string_view signal,
                                                  const std::string& service, std::uint64_t id) {
  auto slash = url.find('/', 8);
  auto at = proxy::http_address_of(url.substr(0, slash));
  if (!at) return std::unexpected(at.error());
  auto path = slash == url.npos ? "" : url.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  auto own = fmt::format("/v1/{}", signal);
  if (!path.ends_with(own)) path += own;
  return proxy::OtlpExporter::Options{
      .at = *at, .path = path, .what = std::string(signal), .service = service, .id = id};
}

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
    auto options = otlp_options(said.traces, "traces", said.traces_service, run.id);
    if (!options) return std::unexpected(options.error());
    made->traces_ = std::make_unique<proxy::OtlpExporter>(std::move(*options), log);
  }
  std::vector<Watcher::Take> takers;
  if (config.serve.judge) made->judge_ = std::make_unique<RunningJudge>(run, config, std::move(found), log);
  if (!config.checkers.empty()) made->checks_ = std::make_unique<LiveChecks>(config.checkers, log);
  if (made->access_log_ || made->traces_ || made->judge_ || made->checks_)
    takers.push_back([self = made.get()](auto& e, auto& wall) { self->take(e, wall); });
  Watcher::Setting watching{
      .folder = recording, .run = run, .always = said.always() || config.serve.judge || made->checks_};
  for (auto& service : config.services) watching.services.insert(service.address);
  made->watcher_ = std::make_unique<Watcher>(
      std::move(watching), std::move(takers), [self = made.get()] { self->after_look(); }, log);
  return made;
}

Telemetry::~Telemetry() {
  watcher_.reset();
  if (judge_) judge_->judge(true);
  if (checks_) checks_->end();
}

void Telemetry::take(const trace::Exchange& e, const proxy::WallTime& wall) {
  if (access_log_) {
    lines_.append(format_.line(e, wall)).append("\n");
    if (lines_.size() >= kMostLines) write_lines();
  }
  if (judge_) judge_->take(e);
  if (checks_) checks_->take(e);
  if (!traces_) return;
  auto parent = proxy::trace_parent_of(e);
  if (!is_sampled(e, parent, said_.traces_share)) return;
  spans_.add([&](std::string& out) { proxy::write_span(out, e, parent, wall, run_); });
  if (traces_->fill_a_batch(spans_)) traces_->add(spans_);
}

// A disk that is full is told of where it begins, and once it is over.
void Telemetry::write_lines() {
  auto ok = access_log_->write(std::exchange(lines_, {}));
  if (ok.has_value() != std::exchange(log_written_, ok.has_value())) {
    if (!ok)
      log_.say(proxy::Log::Level::error, "the access log cannot be written: " + ok.error().line());
    else
      log_.say(proxy::Log::Level::warning,
               fmt::format("the access log is written again; lines lost so far: {}", access_log_->lost()));
  }
}

void Telemetry::after_look() {
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (judge_) judge_->look(now);
  if (checks_) {
    // The first looks come before the watcher is there.
    if (auto lost = watcher_ ? watcher_->lost() : 0; lost != std::exchange(lost_, lost)) checks_->lost();
    checks_->look(now);
  }
  if (traces_ && spans_.count) traces_->add(spans_);
  if (traces_) traces_->flush();
  if (!lines_.empty()) write_lines();
  if (access_log_ && reopen_.exchange(false))
    if (auto ok = access_log_->open(); !ok) log_.say(proxy::Log::Level::error, ok.error().line());
}

}  // namespace retrial::campaign
