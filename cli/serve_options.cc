#include "cli/serve_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "campaign/config/config_admin.h"
#include "campaign/config/config_values.h"
#include "checkers/file.h"
#include "cli/admin_options.h"
#include "trace/recording/redact.h"

namespace retrial::cli {
namespace {

constexpr auto kDefaultConfig = "retrial.toml";

// A service that the command line names by its URL: one of the file's, or a new one of that name.
Result<std::string> service_at(campaign::Config& config, const std::string& url) {
  auto where = campaign::where_of(url);
  if (!where)
    return fail(
        "expected the service's URL, such as http://127.0.0.1:10001, https://queue.example or h2c://127.0.0.1:50051",
        trace::redacted(url), Blame::user);
  auto address = where->show();
  if (auto* known = config.at(address); known && known->https == where->tls && known->http2 == where->http2)
    return known->name;
  campaign::Service service;
  service.name = service.address = address;
  service.https = where->tls;
  service.http2 = where->http2;
  config.services.push_back(service);
  return address;
}

Result<proxy::Protocol> protocol_of(const std::string& word, proxy::Protocol otherwise) {
  if (word.empty()) return otherwise;
  if (word == "http") return proxy::Protocol::http;
  if (word == "auto") return proxy::Protocol::automatic;
  if (word == "tcp") return proxy::Protocol::tcp;
  return fail(fmt::format("expected http, auto or tcp, got \"{}\"", word), "--protocol", Blame::user);
}

Result<void> add(campaign::Config& config, proxy::Mode mode, const std::string& listen, const std::string& service,
                 const std::string& protocol) {
  auto option = fmt::format("--{} {}", proxy::show(mode), listen);
  if (!campaign::listen_of(listen))
    return fail("expected an address and a port to listen on, such as 127.0.0.1:8001, [::1]:8001 or :8001", option,
                Blame::user);
  auto usual = mode == proxy::Mode::reverse ? proxy::Protocol::http : proxy::Protocol::automatic;
  auto chosen = protocol_of(protocol, usual);
  if (!chosen) return std::unexpected(chosen.error());
  if (mode == proxy::Mode::forward && *chosen == proxy::Protocol::tcp)
    return fail("expected --protocol http or auto: a forward listener has to read where a request goes", option,
                Blame::user);
  config.listeners.push_back({mode, listen, service, *chosen});
  return {};
}

// --inject is for the services that stand beside it on the command line.
Result<void> add_admin(campaign::Config& config, const ServeOptions& o) {
  if (o.admin) {
    auto where = o.admin->empty() ? admin_of_environment() : *o.admin;
    if (!where.empty()) config.admin.listen = where;
    if (config.admin.listen.empty()) config.admin.listen = campaign::AdminSettings::kSocket;
    if (auto wrong = campaign::wrong_with(config.admin); !wrong.empty())
      return fail(wrong, "--admin " + config.admin.listen, Blame::user);
  }
  if (config.admin.listen.empty() || !o.inject) return {};
  auto& rule = config.rules.back();
  bool named = std::ranges::all_of(config.listeners, [](auto& l) { return !l.service.empty(); });
  rule.at_will = named;
  if (campaign::is_careful(rule)) {
    rule.at_will = true;
    return {};
  }
  return fail(
      "expected a percentage, such as '10% of error(503)', or a [[rule]] that names a service or a host: with an admin "
      "side no fault is for every service that a client may name",
      "--inject", Blame::user);
}

Result<void> are_places(const std::vector<std::string>& places, const char* option) {
  auto read = proxy::AllowList::read(places);
  return read ? Result<void>() : fail(read.error(), option, Blame::user);
}

}  // namespace

void ServeOptions::add_to(CLI::App& app) {
  app.add_option("--reverse", reverse,
                 "LISTEN=URL: a port for one service, e.g. 127.0.0.1:8001=http://127.0.0.1:10001");
  app.add_option("--forward", forward, "LISTEN: a forward proxy (absolute-form and CONNECT)");
  app.add_option("--forward-to", forward_to,
                 "where --forward may lead: names, *.example, addresses, networks, or * (default: loopback only)");
  app.add_option("--redirect", redirect, "LISTEN: for connections that netfilter's REDIRECT sends here");
  app.add_option("--tproxy", tproxy, "LISTEN: for connections that netfilter's TPROXY sends here");
  app.add_option("--protocol", protocol, "of these listeners: http, auto or tcp (reverse: http, else auto)");
  app.add_option("--ca", ca, "folder of the authority that signs what TLS clients are shown (retrial ca)");
  add_common(app);
}

void ServeOptions::add_to_envoy(CLI::App& app) {
  envoy_alone = true;
  app.add_option("--listen", envoy,
                 "LISTEN, or LISTEN=URL where all its requests are for one service, e.g. "
                 "127.0.0.1:9001=http://orders:8080: a port that an Envoy calls (ext_proc and its access log)");
  add_common(app);
}

void ServeOptions::add_common(CLI::App& app) {
  app.add_option("-c,--config", config, "retrial.toml (default: ./retrial.toml, if there is one)");
  app.add_option("--checkers", checkers, "what `retrial learn` has written: each answer is held against it");
  app.add_option("--inject", inject, "faults for what no rule of the file matches, e.g. 'error(503) x 2, then pass'");
  app.add_option(
         "--admin", admin,
         "unix:PATH or HOST:PORT: an admin side; then no fault is injected before `retrial ctl resume`. Without "
         "a value where `retrial ctl` looks: RETRIAL_ADMIN, [admin], .retrial/admin.sock")
      ->expected(0, 1);
  app.add_option("--log", log, "text or json: how its own log is written")->capture_default_str();
  app.add_option("--log-to", log_to,
                 "an OTLP/HTTP receiver that its log, and what it finds, goes to besides, e.g. http://127.0.0.1:4318");
  app.add_option("--allow", allow,
                 "where faults may go besides loopback and private addresses: names, addresses, networks, or *");
  app.add_option("--loops", loops, "threads (default: one a core)")->check(CLI::Range(1, 1024));
  app.add_option("--record", record, "folder for the trace, or none (default: .retrial/serve-<time>)");
  app.add_option("--seed", seed, "of percentages and distributions (default: a new one, which is printed)");
}

std::string config_file(const ServeOptions& o) {
  if (!o.config.empty()) return o.config;
  return std::filesystem::exists(kDefaultConfig) ? kDefaultConfig : "";
}

Result<campaign::Config> config_of(const ServeOptions& o) {
  campaign::Config config;
  if (auto file = config_file(o); !file.empty()) {
    auto loaded = campaign::load_config(file);
    if (!loaded) return std::unexpected(loaded.error());
    config = std::move(*loaded);
  }
  if (!o.checkers.empty()) {
    auto loaded = checkers::load(o.checkers);
    if (!loaded) return std::unexpected(loaded.error());
    config.checkers = std::move(*loaded);
  }
  for (auto& pair : o.reverse) {
    auto at = pair.find('=');
    if (at == pair.npos)
      return fail("expected LISTEN=URL, such as 127.0.0.1:8001=http://127.0.0.1:10001",
                  "--reverse " + trace::redacted(pair), Blame::user);
    auto service = service_at(config, pair.substr(at + 1));
    if (!service) return fail(service.error().what, "--reverse " + trace::redacted(pair), Blame::user);
    if (auto ok = add(config, proxy::Mode::reverse, pair.substr(0, at), *service, o.protocol); !ok)
      return std::unexpected(ok.error());
  }
  for (auto& word : o.envoy) {
    auto at = word.find('=');
    std::string service;
    if (at != word.npos) {
      auto named = service_at(config, word.substr(at + 1));
      if (!named) return fail(named.error().what, "--listen " + trace::redacted(word), Blame::user);
      service = *named;
    }
    auto listen = word.substr(0, at);
    if (!campaign::listen_of(listen))
      return fail("expected an address and a port to listen on, such as 127.0.0.1:9001, [::1]:9001 or :9001",
                  "--listen " + trace::redacted(word), Blame::user);
    config.listeners.push_back({.mode = proxy::Mode::envoy, .listen = listen, .service = service});
  }
  using Named = std::pair<proxy::Mode, const std::vector<std::string>*>;
  for (auto [mode, all] : {Named{proxy::Mode::forward, &o.forward}, Named{proxy::Mode::redirect, &o.redirect},
                           Named{proxy::Mode::tproxy, &o.tproxy}})
    for (auto& listen : *all) {
      if (auto ok = add(config, mode, listen, {}, o.protocol); !ok) return std::unexpected(ok.error());
      if (mode == proxy::Mode::forward) config.listeners.back().to = o.forward_to;
    }
  for (auto& [places, option] : {std::pair(&o.forward_to, "--forward-to"), std::pair(&o.allow, "--allow")})
    if (auto ok = are_places(*places, option); !ok) return std::unexpected(ok.error());
  if (!o.forward_to.empty() && o.forward.empty())
    return fail("expected --forward LISTEN beside it: other listeners lead to their service alone", "--forward-to",
                Blame::user);
  config.serve.allow.insert(config.serve.allow.end(), o.allow.begin(), o.allow.end());
  if (o.inject) {
    auto plan = policies::parse_fault_plan(*o.inject);
    if (!plan) return fail(plan.error().line(), "--inject", Blame::user);
    config.rules.push_back({{}, {}, std::move(*plan), {}, true, true});
  }
  if (auto ok = add_admin(config, o); !ok) return std::unexpected(ok.error());
  if (o.loops) config.serve.loops = o.loops;
  if (!o.record.empty()) config.serve.record = o.record;
  if (o.seed) config.serve.seed = o.seed;
  if (o.envoy_alone) {
    if (config.listeners.empty())
      return fail("no listener is named: give --listen LISTEN, or a [[listener]] with mode = \"envoy\" in retrial.toml",
                  "envoy", Blame::user);
    for (auto& l : config.listeners)
      if (l.mode != proxy::Mode::envoy)
        return fail(fmt::format("expected mode = \"envoy\", found \"{}\": `retrial serve` has listeners of any mode",
                                proxy::show(l.mode)),
                    fmt::format("[[listener]] listen = \"{}\"", l.listen), Blame::user);
  }
  if (config.listeners.empty())
    return fail("no listener is named: give --reverse LISTEN=URL, --forward LISTEN, or a [[listener]] in retrial.toml",
                "serve", Blame::user);
  return config;
}

}  // namespace retrial::cli
