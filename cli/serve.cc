#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/descriptor_limit.h"
#include "base/text.h"
#include "campaign/config/server_settings.h"
#include "campaign/serving/audit.h"
#include "campaign/serving/operator.h"
#include "campaign/serving/telemetry.h"
#include "cli/commands.h"
#include "cli/serve_options.h"
#include "proxy/out/otlp_log.h"
#include "proxy/server/mailbox.h"
#include "proxy/server/server.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

class StderrLog final : public proxy::Log {
 public:
  explicit StderrLog(bool json) : json_(json), logger_("retrial", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_pattern(json ? "%v" : "%Y-%m-%d %H:%M:%S.%e %l: %v");
    logger_.flush_on(spdlog::level::info);
  }
  void say(Level level, std::string_view line) override { tell(level, line, {}); }
  void tell(Level level, std::string_view line, std::span<const Field> fields) override {
    constexpr std::string_view kLevels[] = {"info", "warning", "error"};
    if (json_) {
      nlohmann::ordered_json object{{"time", campaign::utc(SystemClock().wall())},
                                    {"level", kLevels[static_cast<std::size_t>(level)]},
                                    {"message", line}};
      for (auto& field : fields)
        if (!field.value.empty()) object[std::string(field.name)] = field.value;
      auto text = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return logger_.log(spdlog::level::info, "{}", text);
    }
    logger_.log(level == Level::info      ? spdlog::level::info
                : level == Level::warning ? spdlog::level::warn
                                          : spdlog::level::err,
                line);
  }

 private:
  bool json_;
  spdlog::logger logger_;
};

// The authority of that folder, made where there is none. Where it cannot be kept it is one for this process alone.
struct Kept {
  certs::Authority authority;
  std::string remark;  // for the log, once all is well; may be empty
};
Result<Kept> authority_in(const std::string& said, const Clock& clock) {
  auto folder = said.empty() ? certs::default_folder() : fs::path(said);
  auto kept = certs::Authority::load_or_make(folder, clock);
  if (!kept) return std::unexpected(kept.error());
  if (kept->unsaved && !said.empty()) return std::unexpected(*kept->unsaved);
  std::string remark;
  if (kept->unsaved)
    remark = kept->unsaved->line() + ": TLS clients are shown certificates of an authority that ends with this process";
  else if (kept->made)
    remark = fmt::format("made an authority for TLS: {}", (folder / "ca.pem").string());
  return Kept{std::move(kept->authority), std::move(remark)};
}

// Where no folder is said each start has one of its own: those of earlier starts, the oldest first.
std::vector<fs::path> earlier_folders(const fs::path& now) {
  std::vector<fs::path> all;
  std::error_code error;
  for (auto& entry : fs::directory_iterator(now.parent_path(), error))
    if (entry.path() != now && entry.path().filename().string().starts_with("serve-")) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

// What can be done where nothing can be written there: a read-only root file system, say.
Error unrecorded(Error error) {
  error.what += "; name another folder with --record, or record nothing with --record none";
  error.blame = Blame::user;
  return error;
}

Result<std::optional<proxy::Recording>> recording_of(const campaign::ServeSettings& serve) {
  if (serve.record == "none") return std::optional<proxy::Recording>();
  auto folder = make_side_folder(serve.record, "serve");
  if (!folder) return std::unexpected(unrecorded(folder.error()));
  return proxy::Recording{.folder = *folder,
                          .keep = serve.keep,
                          .earlier = serve.record.empty() ? earlier_folders(*folder) : std::vector<fs::path>()};
}

std::string described(const proxy::ListenerSettings& l) {
  constexpr std::string_view kProtocols[] = {"http", "auto", "tcp"};
  auto what = fmt::format("{}, {}", proxy::show(l.mode), kProtocols[static_cast<int>(l.protocol)]);
  if (l.mode == proxy::Mode::envoy) what = "for an Envoy's ext_proc and access log";
  if (l.service.host.empty()) return what;
  bool six = l.service.host.find(':') != std::string::npos;
  return fmt::format("{}, {} {}://{}{}{}:{}", what, l.mode == proxy::Mode::envoy ? "of" : "to",
                     l.protocol == proxy::Protocol::tcp ? "tcp"
                     : l.service.http2                  ? l.service.tls ? "h2" : "h2c"
                     : l.service.tls                    ? "https"
                                                        : "http",
                     six ? "[" : "", l.service.host, six ? "]" : "", l.service.port);
}

constexpr Nanos kLinger = 200 * kMillisecond;  // lines that come together are sent together

// The command while it runs: signals on the main thread, everything else in the server.
class Serving {
 public:
  Serving(const ServeOptions& options, proxy::Log& log) : options_(options), log_(log, clock_), mailbox_(loop_) {}

  Result<int> run() {
    auto config = config_of(options_);
    if (!config) return std::unexpected(config.error());
    auto settings = campaign::server_settings(*config);
    if (!settings) return std::unexpected(settings.error());
    std::string remark;
    if (!options_.envoy_alone) {
      auto authority = authority_in(options_.ca, clock_);
      if (!authority) return std::unexpected(authority.error());
      settings->authority = authority->authority;
      remark = std::move(authority->remark);
    }
    if (!config->serve.seed && getrandom(&settings->seed, sizeof settings->seed, 0) < 0) settings->seed = 1;
    settings->seed &= INT64_MAX;  // as [serve] seed can say it again
    auto recording = recording_of(config->serve);
    if (!recording) return std::unexpected(recording.error());
    settings->recording = *recording;
    serve_ = config->serve;
    redact_ = config->redact;
    campaign::redact_as(redact_);
    trace::add_profiles(config->profiles);
    drain_ = settings->drain;
    seed_ = settings->seed;

    auto server = proxy::Server::start(*settings, clock_, log_);
    if (!server) {
      std::error_code kept;
      auto& into = settings->recording;
      if (into) fs::remove(into->folder, kept);  // unless something is in it
      bool unwritten = into && server.error().on.starts_with(into->folder.string());
      return std::unexpected(unwritten ? unrecorded(server.error()) : server.error());
    }
    server_ = std::move(*server);
    if (!options_.log_to.empty()) {
      auto receiver =
          campaign::otlp_options(options_.log_to, "logs", config->telemetry.traces_service, server_->run().id);
      if (!receiver) return std::unexpected(receiver.error());
      receiver->linger = kLinger;
      log_.send_to(std::move(*receiver));
    }
    auto hands = campaign::Operator::start(loop_, *server_, clock_, log_,
                                           {.config = *config,
                                            .settings = *settings,
                                            .recording = settings->recording ? settings->recording->folder : fs::path(),
                                            .logs = log_.exporter(),
                                            .drain = [this] { drain(SIGTERM); }});
    if (!hands) return std::unexpected(hands.error());
    operator_ = std::move(*hands);
    admin_ = config->admin;
    telemetry_ = config->telemetry;
    proxy::SignalWatch halt(loop_, SIGUSR2, [this] { operator_->halt("SIGUSR2", "halted by SIGUSR2"); });
    proxy::SignalWatch reopen(loop_, SIGUSR1, [this] { operator_->reopen(); });
    proxy::SignalWatch reload(loop_, SIGHUP, [this] { this->reload(); });
    proxy::SignalWatch end(loop_, SIGTERM, [this] { this->drain(SIGTERM); });
    proxy::SignalWatch stop(loop_, SIGINT, [this] { this->drain(SIGINT); });
    if (!remark.empty()) info(remark);
    if (settings->recording)
      info(fmt::format("recording to {}, at most {} are kept", settings->recording->folder.string(),
                       show_size(settings->recording->keep)));
    if (std::ranges::any_of(config->rules, [](auto& rule) { return policies::rolls(rule.inject); }))
      info(fmt::format("seed {}", seed_));
    tell_admin();
    tell(*settings);
    loop_.run();
    operator_.reset();
    server_.reset();
    info("ended");
    return status_;
  }

 private:
  void info(const std::string& line) { log_.say(proxy::Log::Level::info, line); }

  void tell(const proxy::ServerSettings& settings) {
    for (auto& line : campaign::warnings_of(settings)) log_.say(proxy::Log::Level::warning, line);
    auto at = server_->listening();
    std::vector<std::string> listening;
    for (std::size_t i = 0; i < at.size(); i++)
      listening.push_back(fmt::format("listening on {} ({})", at[i].show(), described(settings.listeners[i])));
    auto had = [](auto& lines, auto& line) { return std::ranges::find(lines, line) != lines.end(); };
    for (auto& line : listening_)
      if (!had(listening, line)) info("no more " + line);
    for (auto& line : listening)
      if (!had(listening_, line)) info(line);
    listening_ = std::move(listening);
  }

  void tell_admin() {
    if (operator_->at().empty()) return;
    info("admin on " + operator_->at());
    if (auto at = operator_->toxiproxy_at(); !at.empty()) info("clients of Toxiproxy on " + at);
    auto state = server_->safety().state();
    if (state.mode == proxy::Safety::Mode::observing)
      info(fmt::format("observing: no fault is injected until `retrial ctl resume --admin {}`", operator_->at()));
    else if (state.mode == proxy::Safety::Mode::armed)
      info(state.ttl ? fmt::format("armed for {}, unless it is renewed", show_duration(state.ttl)) : "armed");
  }

  void reload() {
    if (draining_) return;
    if (config_file(options_).empty()) return info("there is no retrial.toml to be read again");
    auto config = config_of(options_);
    auto settings =
        config ? campaign::server_settings(*config) : Result<proxy::ServerSettings>(std::unexpected(config.error()));
    if (settings) operator_->reread(*config, *settings);
    Result<void> done = settings ? server_->reload(*settings) : std::unexpected(settings.error());
    if (!done)
      return log_.say(proxy::Log::Level::error, done.error().line() + "; not reloaded, what was there before goes on");
    operator_->reloaded(*settings);
    drain_ = settings->drain;
    auto before = serve_;
    before.drain = config->serve.drain;
    std::string line = "reloaded";
    if (before != config->serve) line += "; [serve] stays as it was until the next start, but for drain";
    if (redact_ != config->redact) line += "; [redact] stays as it was until the next start";
    if (admin_ != config->admin) line += "; [admin] stays as it was until the next start";
    if (telemetry_ != config->telemetry) line += "; [telemetry] stays as it was until the next start";
    info(line);
    tell(*settings);
  }

  void drain(int signal) {
    if (draining_) {
      status_ = 128 + signal;
      return loop_.stop();
    }
    draining_ = true;
    operator_->draining();
    auto open = server_->state().connections;
    info(fmt::format("draining: {} open connection{}, at most {}", open, open == 1 ? "" : "s", show_duration(drain_)));
    server_->drain([this] { mailbox_.post([this] { loop_.stop(); }); });
    limit_ = std::make_unique<proxy::Timer>(loop_, [this] {
      auto left = server_->state().connections;
      log_.say(proxy::Log::Level::warning,
               fmt::format("the drain time is over: {} connection{} ended", left, left == 1 ? " is" : "s are"));
      loop_.stop();
    });
    limit_->set(drain_);
  }

  const ServeOptions& options_;
  SystemClock clock_;
  proxy::OtlpLog log_;
  proxy::Loop loop_;
  proxy::Mailbox mailbox_;
  std::unique_ptr<proxy::Server> server_;
  std::unique_ptr<campaign::Operator> operator_;
  campaign::AdminSettings admin_;
  campaign::TelemetrySettings telemetry_;
  std::unique_ptr<proxy::Timer> limit_;
  campaign::ServeSettings serve_;
  campaign::RedactSettings redact_;
  Nanos drain_ = 0;
  std::vector<std::string> listening_;  // as was told last
  std::uint64_t seed_ = 0;
  bool draining_ = false;
  int status_ = kFine;
};

}  // namespace

int serve(const ServeOptions& options) {
  raise_descriptor_limit();
  if (options.log != "text" && options.log != "json")
    return complain(fmt::format("--log: expected text or json, got \"{}\"", options.log), kUsage);
  bool http = options.log_to.starts_with("http://") || options.log_to.starts_with("https://");
  if (!options.log_to.empty() &&
      (!http || !proxy::http_address_of(options.log_to.substr(0, options.log_to.find('/', 8)))))
    return complain("--log-to: expected the URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318", kUsage);
  StderrLog log(options.log == "json");
  Serving serving(options, log);
  auto status = serving.run();
  if (!status) return complain(status.error().line(), status.error().blame == Blame::user ? kUsage : kIncomplete);
  return *status;
}

void add_serve(CLI::App& app, int& status) {
  auto options = std::make_shared<ServeOptions>();
  auto* command = app.add_subcommand("serve", "a proxy that stays: listeners, rules, recording");
  options->add_to(*command);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace retrial::cli
