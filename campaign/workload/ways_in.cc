#include "campaign/workload/ways_in.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "campaign/config/config_values.h"
#include "proxy/server/listener.h"

namespace retrial::campaign {
namespace {

using Kind = Capture::Kind;
constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"seccomp", Kind::seccomp}, {"redirect", Kind::redirect}, {"forward", Kind::forward}, {"reverse", Kind::reverse}};

// Of the command's own listeners there is nothing that a user would want to read.
class Silent final : public proxy::Log {
 public:
  void say(Level, std::string_view) override {}
};

std::vector<proxy::Route> known_services(const Config& config) {
  std::vector<proxy::Route> known;
  for (auto& s : config.services)
    if (auto where = where_of(s.address)) known.push_back({.host = where->host, .port = where->port, .allow = s.allow});
  return known;
}

Result<Capture> reverse_ports(const Config& config) {
  Capture capture{.kind = Kind::reverse, .way = proxy::Way::none};
  for (auto& s : config.services) {
    auto where = where_of(s.address);
    if (!where) continue;
    Capture::Port port{.name = s.name};
    port.route.host = where->host;
    port.route.port = where->port;
    port.route.tls = s.https;
    port.route.allow = s.allow;
    for (auto& l : config.listeners)
      if (l.mode == proxy::Mode::reverse && l.service == s.name) port.listen = l.listen;
    capture.ports.push_back(std::move(port));
  }
  if (capture.ports.empty())
    return fail("expected a [service.NAME] with an address in retrial.toml: each gets a port of its own",
                "--capture reverse", Blame::user);
  return capture;
}

// A child's environment leads it to a listener of ours: what has to work is a listener on loopback, and a connect to
// it.
Result<void> try_listener() {
  proxy::Loop loop;
  bool arrived = false;
  Capture capture{.kind = Kind::forward, .way = proxy::Way::none};
  auto ways = WaysIn::open(capture, loop, [&](const proxy::Incoming& incoming) {
    ::close(incoming.client);
    arrived = true;
    loop.stop();
  });
  if (!ways) return std::unexpected(ways.error());
  auto to = proxy::Address::v4(INADDR_LOOPBACK, (*ways)->forward()->port);
  int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int failed = client < 0 || ::connect(client, to.get(), to.size()) != 0 ? errno : 0;
  if (client >= 0 && !failed) {
    proxy::Timer patience(loop, [&] { loop.stop(); });
    patience.set(kSecond);
    loop.run();
  }
  if (client >= 0) ::close(client);
  if (failed) return fail_errno("a connect to a listener on loopback failed", failed, to.show());
  return arrived ? Result<void>() : fail("a connect to a listener on loopback did not arrive", to.show());
}

std::string variable(std::string_view name) {
  std::string out = "RETRIAL_";
  for (unsigned char c : name) out += std::isalnum(c) ? static_cast<char>(std::toupper(c)) : '_';
  return out;
}

}  // namespace

std::string show(const Capture& capture) {
  for (auto [name, kind] : kKinds)
    if (kind == capture.kind)
      return kind == Kind::seccomp ? fmt::format("{} ({})", name, proxy::show(capture.way)) : std::string(name);
  return {};
}

Result<void> try_capture(Kind kind) {
  switch (kind) {
    case Kind::seccomp: {
      auto way = proxy::choose_way();
      return way ? Result<void>() : std::unexpected(way.error());
    }
    case Kind::redirect:
      return fail("`run` sets no netfilter rules: use `retrial serve --redirect` with rules of your own", "redirect");
    case Kind::forward:
    case Kind::reverse:
      return try_listener();
  }
  return {};
}

Result<Capture> choose_capture(std::string_view said, const Config& config) {
  auto known = std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) { return k.first == said; });
  if (!said.empty() && known == std::end(kKinds))
    return fail(fmt::format("expected seccomp, forward, reverse or redirect, got \"{}\"", said), "--capture",
                Blame::user);
  if (said == "reverse") return reverse_ports(config);
  if (said == "forward")
    return Capture{.kind = Kind::forward, .way = proxy::Way::none, .known = known_services(config)};
  if (said == "redirect") return std::unexpected(try_capture(Kind::redirect).error());
  auto way = proxy::choose_way();
  if (way) return Capture{.kind = Kind::seccomp, .way = *way};
  // A second Retrial above us and a wrong $RETRIAL_CAPTURE are for the user to set right.
  if (said == "seccomp" || way.error().blame == Blame::user || !try_capture(Kind::forward))
    return std::unexpected(way.error());
  return Capture{
      .kind = Kind::forward,
      .way = proxy::Way::none,
      .ports = {},
      .known = known_services(config),
      .remark = "a forward proxy is used, which clients that ignore HTTP_PROXY do not see: " + way.error().line()};
}

struct WaysIn::Impl {
  Silent log;
  struct Open {
    const Capture::Port* port;
    std::unique_ptr<proxy::Listener> listener;
  };
  Capture capture;
  std::vector<Open> open;
};

WaysIn::WaysIn(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WaysIn::~WaysIn() = default;

Result<std::unique_ptr<WaysIn>> WaysIn::open(const Capture& capture, proxy::Loop& loop, Take take) {
  auto impl = std::make_unique<Impl>();
  impl->capture = capture;
  auto listen = [&](const proxy::Address& at, proxy::Mode mode, proxy::ListenerOptions options,
                    const Capture::Port* port) -> Result<void> {
    auto fds = proxy::open_listeners(at, false, 1);
    if (!fds) return std::unexpected(fds.error());
    impl->open.push_back(
        {port, std::make_unique<proxy::Listener>(
                   loop, fds->front(), mode, std::make_shared<const proxy::ListenerOptions>(std::move(options)),
                   [] { return true; }, take, impl->log)});
    return {};
  };
  auto any_port = proxy::Address::v4(INADDR_LOOPBACK, 0);
  Result<void> well;
  if (capture.kind == Kind::forward)
    well = listen(any_port, proxy::Mode::forward,
                  {.mode = proxy::ListenMode::forward, .protocol = proxy::Protocol::automatic, .known = capture.known},
                  nullptr);
  for (auto& port : impl->capture.ports) {
    auto said = port.listen.empty() ? std::nullopt : listen_of(port.listen);
    if (well)
      well = listen(said ? said->front() : any_port, proxy::Mode::reverse,
                    {.mode = proxy::ListenMode::reverse, .protocol = proxy::Protocol::automatic, .route = port.route},
                    &port);
  }
  if (!well) return std::unexpected(well.error());
  return std::unique_ptr<WaysIn>(new WaysIn(std::move(impl)));
}

std::optional<ForwardProxy> WaysIn::forward() const {
  if (impl_->capture.kind != Kind::forward) return {};
  return ForwardProxy{"127.0.0.1", impl_->open.front().listener->at().port(), ""};
}

std::vector<std::string> WaysIn::environment() const {
  std::vector<std::string> all;
  for (auto& o : impl_->open) {
    if (!o.port) continue;
    auto at = o.listener->at();
    auto address = at.show();
    if (at.family() == AF_INET && at.ip4() == INADDR_ANY) address = fmt::format("127.0.0.1:{}", at.port());
    all.push_back(fmt::format("{}_ADDRESS={}", variable(o.port->name), address));
    all.push_back(fmt::format("{}_URL={}://{}", variable(o.port->name), o.port->route.tls ? "https" : "http", address));
  }
  return all;
}

}  // namespace retrial::campaign
