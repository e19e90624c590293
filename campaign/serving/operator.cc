#include "campaign/serving/operator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/private_files.h"
#include "base/text.h"
#include "campaign/config/config_values.h"
#include "campaign/config/server_settings.h"
#include "campaign/serving/routes.h"
#include "campaign/serving/telemetry.h"
#include "campaign/serving/toxiproxy.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

constexpr Nanos kLook = 250 * kMillisecond;  // how soon a removed file, a passed bound or the end of the time is seen
constexpr int kLooksBetweenEvents = 4;

// The token in that file, which is its owner's alone; made where there is none.
Result<std::string> token_in(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    if (auto folder = file.parent_path(); !folder.empty() && !fs::exists(folder, error))
      if (auto made = private_folder(folder); !made) return std::unexpected(made.error());
    unsigned char random[32];
    if (getrandom(random, sizeof random, 0) != sizeof random) return fail_errno("no randomness", errno, file.string());
    std::string token;
    for (auto byte : random) token += hex(byte, 2);
    int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && ::write(fd, (token + "\n").data(), token.size() + 1) == static_cast<ssize_t>(token.size()) + 1;
    auto why = errno;
    if (fd >= 0) ::close(fd);
    if (!ok) return fail_errno("the token cannot be written", why, file.string(), Blame::user);
    return token;
  }
  struct stat is{};
  if (stat(file.c_str(), &is) == 0 && (is.st_mode & (S_IRWXG | S_IRWXO)) && is.st_uid == geteuid())
    return fail("expected mode 0600: others can read this token", file.string(), Blame::user);
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || trim(line).size() < 16)
    return fail("expected a token of at least 16 letters in the first line", file.string(), Blame::user);
  return std::string(trim(line));
}

}  // namespace

struct Operator::Parts {
  Parts(proxy::Loop& loop, proxy::Server& s, const Clock& c, proxy::Log& l, Setting setting)
      : server(s),
        clock(c),
        log(l),
        mailbox(loop),
        audit(setting.config.safety.audit, c, l),
        hands{.server = s,
              .clock = c,
              .audit = audit,
              .rules = Rulebook(setting.config, static_cast<std::uint64_t>(c.wall())),
              .drain = std::move(setting.drain),
              .publish = [this](std::string_view event, const std::string& data) { publish(event, data); },
              .keep = [this](bool armed) { return keep(armed); },
              .began = c.now()},
        settings(std::move(setting.settings)),
        armed_file(setting.config.safety.armed_file),
        toxiproxy(hands, [this](auto& more) { return listen(more); }) {}

  // The listeners of the configuration, and behind them those of proxies that clients of Toxiproxy have made.
  Result<std::vector<proxy::Address>> listen(const std::vector<proxy::ListenerSettings>& more) {
    auto next = settings;
    next.rules = hands.rules.in_force();
    next.listeners.insert(next.listeners.end(), more.begin(), more.end());
    if (auto ok = server.reload(next); !ok) return std::unexpected(ok.error());
    server.state();  // every loop has seen it
    auto at = server.listening();
    return std::vector(at.end() - static_cast<std::ptrdiff_t>(more.size()), at.end());
  }

  void publish(std::string_view event, const std::string& data) {
    if (admin) admin->publish(event, data);
  }

  // While faults are on, and for the next start after it, the file is there: whoever removes it turns them off.
  Result<void> keep(bool armed) {
    if (armed_file.empty()) return {};
    if (!armed) {
      if (::unlink(armed_file.c_str()) == 0 || errno == ENOENT) return {};
      return fail_errno("cannot be removed", errno, armed_file, Blame::user);
    }
    bool was_there = kept();
    std::ofstream out(armed_file, std::ios::trunc);
    out << "retrial: faults are on since " << utc(clock.wall()) << ". Removing this file turns them off.\n";
    out.flush();
    if (out) return {};
    auto why = errno;
    if (!was_there) ::unlink(armed_file.c_str());  // else the next start would be told of what nobody was granted
    return fail_errno("cannot be written", why, armed_file, Blame::user);
  }
  bool kept() const {
    std::error_code error;
    return armed_file.empty() || fs::exists(armed_file, error);
  }

  proxy::Server& server;
  const Clock& clock;
  proxy::Log& log;
  proxy::Mailbox mailbox;
  Audit audit;
  Hands hands;
  proxy::ServerSettings settings;  // of the configuration
  std::optional<Rulebook> reread;  // what SIGHUP would have, until it is in force
  std::string armed_file;
  std::unique_ptr<proxy::Timer> looking;
  int looks = 0;
  Toxiproxy toxiproxy;
  std::unique_ptr<proxy::AdminServer> admin, toxiproxy_side;
  std::unique_ptr<Telemetry> telemetry;  // null: nothing is recorded that could be told
};

Operator::Operator(proxy::Loop& loop, proxy::Server& server, const Clock& clock, proxy::Log& log, Setting setting)
    : parts_(std::make_unique<Parts>(loop, server, clock, log, std::move(setting))) {}
Operator::~Operator() = default;

Result<std::unique_ptr<Operator>> Operator::start(proxy::Loop& loop, proxy::Server& server, const Clock& clock,
                                                  proxy::Log& log, Setting setting) {
  auto config = setting.config;
  auto recording = setting.recording;
  auto* logs = setting.logs;
  std::unique_ptr<Operator> made(new Operator(loop, server, clock, log, std::move(setting)));
  auto& p = *made->parts_;
  p.hands.logs = logs;
  if (auto ok = p.audit.open(); !ok) return std::unexpected(ok.error());
  if (auto& safety = server.safety(); safety.on() && !p.armed_file.empty()) {
    std::error_code error;
    if (fs::exists(p.armed_file, error)) {
      server.halt(fmt::format("{} is there: an earlier start was armed when it ended", p.armed_file));
      log.say(proxy::Log::Level::warning, safety.state().why + "; faults stay off");
    } else if (auto ok = p.keep(true); !ok) {
      return std::unexpected(ok.error());
    }
  } else if (auto ok = p.keep(false); !ok) {  // one that was left behind: this start observes
    return std::unexpected(ok.error());
  }
  if (auto ok = made->open_telemetry(config, recording); !ok) return std::unexpected(ok.error());
  if (auto ok = made->open_admin(config.admin); !ok) return std::unexpected(ok.error());
  bool bound = safety_settings(config).ttl || server_settings(config)->metered || !p.armed_file.empty();
  if (!bound) return made;  // nobody asks for its rules, and nothing can halt it but a signal
  server.follow(p.hands.rules.in_force());
  if (server.safety().on()) p.audit.tell("the command line", "armed");
  p.looking = std::make_unique<proxy::Timer>(loop, [self = made.get()] { self->look(); });
  p.looking->set(kLook);
  return made;
}

Result<void> Operator::open_telemetry(const Config& config, const fs::path& recording) {
  auto& p = *parts_;
  bool always = config.telemetry.always() || config.serve.judge || !config.checkers.empty();
  if (recording.empty() && always)
    return fail("expected a recording: what is told of exchanges is read from it ([serve] record)",
                config.serve.judge        ? "[serve] judge"
                : config.checkers.empty() ? "[telemetry]"
                                          : "checkers",
                Blame::user);
  if (recording.empty() || (!always && config.admin.listen.empty())) return {};
  auto found = [&p](const trace::Finding& finding) {
    p.mailbox.post([&p, text = as_json(finding)] { p.publish("finding", text); });
  };
  auto telemetry = Telemetry::start(config, recording, p.server.run(), found, p.log);
  if (!telemetry) return std::unexpected(telemetry.error());
  p.telemetry = std::move(*telemetry);
  p.hands.telemetry = p.telemetry.get();
  return {};
}

Result<void> Operator::open_admin(const AdminSettings& admin) {
  if (admin.listen.empty()) return {};
  proxy::AdminServer::Settings settings{.socket = {}, .at = {}, .guard = {.token = {}, .hosts = {}}};
  auto& p = *parts_;
  std::string path = admin.listen;
  if (path.starts_with("unix:")) path.erase(0, 5);
  if (path.size() < admin.listen.size() || path.starts_with('/')) {
    std::error_code error;  // one that is there keeps its mode: the socket has its own
    if (auto folder = fs::path(path).parent_path(); !folder.empty() && !fs::exists(folder, error))
      if (auto made = private_folder(folder); !made) return std::unexpected(made.error());
    settings.socket = path;
  } else {
    settings.at = *listen_of(admin.listen);
    auto token = token_in(admin.token_file());
    if (!token) return std::unexpected(token.error());
    settings.guard.token = *token;
    for (auto& host : admin.hosts) settings.guard.hosts.push_back(lower(host));
  }
  settings.certificate = admin.certificate;
  settings.key = admin.key;
  auto handle = [this](proxy::AdminRequest request, proxy::AdminServer::Answer reply) {
    parts_->mailbox.post([this, request = std::move(request), reply = std::move(reply)] {
      halt_where_it_must();
      reply(answer(parts_->hands, request, admin_routes()));
    });
  };
  auto server = proxy::AdminServer::start(std::move(settings), handle, p.log);
  if (!server) return std::unexpected(server.error());
  p.admin = std::move(*server);
  if (admin.toxiproxy.empty()) return {};
  // Its clients know of no token: so it listens on loopback alone, and to no browser.
  proxy::AdminServer::Settings open{
      .socket = {}, .at = *listen_of(admin.toxiproxy), .guard = {.token = {}, .hosts = {}}};
  open.guard.browsers = false;
  auto toxic = [this](proxy::AdminRequest request, proxy::AdminServer::Answer reply) {
    parts_->mailbox.post(
        [this, request = std::move(request), reply = std::move(reply)] { reply(parts_->toxiproxy.answer(request)); });
  };
  auto side = proxy::AdminServer::start(std::move(open), toxic, p.log);
  if (!side) return std::unexpected(side.error());
  p.toxiproxy_side = std::move(*side);
  return {};
}

std::string Operator::at() const { return parts_->admin ? parts_->admin->at() : ""; }

std::string Operator::toxiproxy_at() const { return parts_->toxiproxy_side ? parts_->toxiproxy_side->at() : ""; }

void Operator::halt(std::string_view by, const std::string& why) {
  auto& p = *parts_;
  if (p.server.safety().state().mode == proxy::Safety::Mode::halted) return;
  p.server.halt(why);
  if (auto ok = p.keep(false); !ok) p.log.say(proxy::Log::Level::error, ok.error().line());
  p.audit.tell(by, "halt", why);
  p.publish("state", state_json(p.hands));
}

// Also before an operator is answered: nobody is told that faults are on once their time is over.
void Operator::halt_where_it_must() {
  auto& p = *parts_;
  if (p.server.safety().on() && !p.kept()) halt("the armed file", p.armed_file + " was removed");
  if (auto why = p.server.look()) {
    if (auto ok = p.keep(false); !ok) p.log.say(proxy::Log::Level::error, ok.error().line());
    p.log.say(proxy::Log::Level::warning, "faults are halted: " + *why);
    p.audit.tell("itself", "halt", *why);
    p.publish("state", state_json(p.hands));
  }
}

void Operator::look() {
  auto& p = *parts_;
  halt_where_it_must();
  auto until = p.server.safety().state().until;
  p.looking->set(until ? std::clamp<Nanos>(until - p.clock.now(), kMillisecond, kLook) : kLook);
  if (++p.looks % kLooksBetweenEvents) return;
  for (auto& line : p.server.safety().refused()) p.log.say(proxy::Log::Level::warning, line);
  if (p.admin && p.admin->watched()) p.publish("services", services_json(p.hands));
}

void Operator::reread(const Config& config, proxy::ServerSettings& settings) {
  auto& p = *parts_;
  p.reread = p.hands.rules;
  p.reread->reload(config);
  settings.rules = p.reread->in_force();
  auto more = p.toxiproxy.listeners();
  settings.listeners.insert(settings.listeners.end(), more.begin(), more.end());
}
void Operator::reloaded(const proxy::ServerSettings& settings) {
  auto& p = *parts_;
  p.hands.rules = std::move(*p.reread);
  p.settings = settings;
  p.settings.listeners.resize(settings.listeners.size() - p.toxiproxy.listeners().size());
  p.audit.tell("SIGHUP", "read the file again");
  p.audit.tell("SIGHUP", "read the file again", p.hands.rules.take_changes());
  p.hands.tell_rules();
}

void Operator::draining() {
  parts_->hands.draining = true;
  parts_->publish("state", state_json(parts_->hands));
}

void Operator::reopen() {
  if (parts_->telemetry) parts_->telemetry->reopen();
  if (auto ok = parts_->audit.open(); !ok) parts_->log.say(proxy::Log::Level::error, ok.error().line());
}

}  // namespace retrial::campaign
