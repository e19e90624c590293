#include "campaign/config/server_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/config/config_admin.h"
#include "campaign/config/config_values.h"
#include "proxy/connections/location.h"
#include "proxy/faults/by_envoy.h"

namespace retrial::campaign {
namespace {

// A rule's service by the addresses under which the trace may know it.
std::vector<std::string> addresses_of(const Config& config, const std::string& service) {
  if (service.empty()) return {};
  auto* known = config.named(service);
  auto where = where_of(known ? known->address : service);
  if (!where) return {service};
  std::vector<std::string> all{where->show()};
  if (where->host == "127.0.0.1" || where->host == "::1") all.push_back(fmt::format("localhost:{}", where->port));
  return all;
}

constexpr policies::Share kOwnErrors = 50 * policies::kPercent;  // with an admin side, unless more is said

bool bounded(const proxy::SafetySettings& safety) {
  auto of = [](const proxy::Bounds& b) { return b.faults_share || b.own_errors || b.own_latency; };
  return of(safety.bounds) || std::ranges::any_of(safety.of, [&](auto& one) { return of(one.second); });
}

Result<std::shared_ptr<const proxy::AllowList>> allow_list(const std::vector<std::string>& places, const char* what) {
  auto read = proxy::AllowList::read(places);
  if (!read) return fail(read.error(), what, Blame::user);
  return std::make_shared<const proxy::AllowList>(std::move(*read));
}

}  // namespace

proxy::ServiceSettings service_settings(const Service& service) {
  proxy::ServiceSettings settings{.name = service.name,
                                  .server_name = service.server_name,
                                  .allow = service.allow,
                                  .connect_timeout = service.connect_timeout,
                                  .resolve_timeout = service.resolve_timeout,
                                  .security = service.security,
                                  .profile = service.profile};
  if (auto where = where_of(service.address)) {
    settings.host = where->host;
    settings.port = where->port;
    settings.tls = service.https;
    settings.http2 = service.http2;
  }
  return settings;
}

std::string beyond_its_listeners(const Config& config, const Rule& rule) {
  auto of_envoy = [](auto& l) { return l.mode == proxy::Mode::envoy; };
  if (config.listeners.empty() || !std::ranges::all_of(config.listeners, of_envoy)) return {};
  for (auto& step : rule.inject.steps)
    if (auto why = proxy::beyond_envoy(step.fault); !why.empty())
      return fmt::format("expected a fault that an Envoy can carry out, found {}: {}", trace::show(step.fault), why);
  return {};
}

proxy::RuleSettings rule_settings(const Config& config, const Rule& rule) {
  proxy::RuleSettings settings{rule.match, rule.inject, rule.name};
  settings.match.services = addresses_of(config, rule.service);
  return settings;
}

proxy::SafetySettings safety_settings(const Config& config) {
  auto& said = config.safety;
  bool admin = !config.admin.listen.empty();
  proxy::SafetySettings safety{
      .armed = !admin, .ttl = said.ttl.value_or(admin ? SafetySettings::kTtl : 0), .bounds = said.bounds};
  if (admin && safety.bounds.own_errors == 0) safety.bounds.own_errors = kOwnErrors;
  for (auto& service : config.services) {
    if (service.bounds == proxy::Bounds{}) continue;
    auto bounds = safety.bounds;
    auto& own = service.bounds;
    if (own.faults_per_minute) bounds.faults_per_minute = own.faults_per_minute;
    if (own.faults_share) bounds.faults_share = own.faults_share;
    if (own.own_errors) bounds.own_errors = own.own_errors;
    if (own.own_latency) bounds.own_latency = own.own_latency;
    for (auto& address : addresses_of(config, service.name)) safety.of[address] = bounds;
  }
  return safety;
}

Result<proxy::ServerSettings> server_settings(const Config& config) {
  proxy::ServerSettings settings;
  for (auto& l : config.listeners) {
    proxy::ListenerSettings listener{.mode = l.mode, .protocol = l.protocol};
    if (l.mode == proxy::Mode::forward) {
      auto to = allow_list(l.to, "to");
      if (!to) return std::unexpected(to.error());
      listener.to = l.to.empty() ? std::make_shared<const proxy::AllowList>(proxy::AllowList::loopback()) : *to;
    }
    if (l.mode == proxy::Mode::reverse || (l.mode == proxy::Mode::envoy && !l.service.empty())) {
      auto* service = config.named(l.service);
      if (!service || service->address.empty())
        return fail(fmt::format("the service \"{}\" has no address", l.service), l.listen, Blame::user);
      listener.service = service_settings(*service);
    }
    auto at = listen_of(l.listen);
    if (!at)
      return fail("expected an address and a port, such as 127.0.0.1:8001, [::1]:8001 or :8001", l.listen, Blame::user);
    for (auto& address : *at) {
      listener.at = address;
      settings.listeners.push_back(listener);
    }
  }
  for (auto& r : config.rules)
    if (r.enabled) settings.rules.push_back(rule_settings(config, r));
  for (auto& r : config.rules)
    if (auto why = beyond_its_listeners(config, r); !why.empty())
      return fail(why, r.at_will ? "--inject" : fmt::format("[[rule]] inject = \"{}\"", policies::show(r.inject)),
                  Blame::user);
  if (!config.admin.listen.empty()) {
    if (auto wrong = wrong_with(config.admin); !wrong.empty())
      return fail(wrong, "[admin] listen = \"" + config.admin.listen + "\"", Blame::user);
    if (auto ok = are_careful(config); !ok) return std::unexpected(ok.error());
    if (config.safety.ttl == 0)
      return fail("expected at most 24h, such as \"15m\": with an admin side faults have an end", "[safety] ttl",
                  Blame::user);
  }
  settings.safety = safety_settings(config);
  settings.metered = !config.admin.listen.empty() || bounded(settings.safety);
  for (auto& s : config.services) {
    if (s.address.empty()) continue;
    settings.services.push_back(service_settings(s));
    if (!s.profile.empty()) settings.profiles[s.address] = s.profile;
    if (s.openapi) settings.descriptions[s.address] = s.openapi;
  }
  auto& serve = config.serve;
  auto& o = settings.options;
  o.keep_tags = config.run.keep_tags;
  o.pristine = serve.pristine;
  o.pooled = true;
  o.tunnel_unreadable = false;
  o.head_limit = serve.head_size;
  o.field_limit = serve.header_count;
  o.body_limit = serve.body;
  o.head_timeout = serve.head_timeout;
  o.idle_timeout = serve.idle_timeout;
  o.body_timeout = serve.body_timeout;
  settings.memory = serve.memory;
  settings.most_connections = serve.max_connections;
  o.connect_timeout = serve.connect_timeout;
  o.resolve_timeout = serve.resolve_timeout;
  auto allow = allow_list(serve.allow, "allow");
  if (!allow) return std::unexpected(allow.error());
  o.faults_also = *allow;
  settings.loops = serve.loops;
  settings.drain = serve.drain;
  settings.options.drain_grace = std::min<Nanos>(2 * kSecond, serve.drain / 4);
  settings.seed = serve.seed.value_or(0);
  return settings;
}

std::vector<std::string> warnings_of(const proxy::ServerSettings& settings) {
  std::vector<std::string> lines;
  for (auto& l : settings.listeners) {
    if (l.to && l.to->allows_all())
      lines.push_back(
          fmt::format("{}: this forward proxy leads everywhere, for whoever can connect to it", l.at.show()));
    if (l.mode == proxy::Mode::envoy) {
      for (auto& rule : settings.rules)
        for (auto& step : rule.plan.steps)
          if (auto why = proxy::beyond_envoy(step.fault); !why.empty())
            lines.push_back(fmt::format("{}: no {} will come of what it is asked here: {}", l.at.show(),
                                        trace::show(step.fault), why));
    }
    if (l.mode != proxy::Mode::reverse || settings.rules.empty()) continue;
    proxy::Route route{.host = l.service.host, .port = l.service.port, .allow = l.service.allow};
    proxy::Location location(route, settings.options);
    if (!location.literal() || location.spares().empty()) continue;
    auto service = Where{.host = route.host, .port = route.port}.show();
    bool aimed = std::ranges::any_of(settings.rules, [&](auto& rule) {
      auto& services = rule.match.services;
      return services.empty() || std::ranges::find(services, service) != services.end();
    });
    if (aimed)
      lines.push_back(fmt::format("{}: no fault will reach it: {} (`allow = true` in its [service.NAME], or --allow)",
                                  service, location.spares()));
  }
  return lines;
}

}  // namespace retrial::campaign
