#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/serving/metrics.h"
#include "campaign/serving/routes.h"
#include "campaign/serving/telemetry.h"

namespace retrial::campaign {
namespace {
using proxy::AdminRequest, proxy::AdminResponse;
using Json = nlohmann::ordered_json;

double ms(Nanos time) { return static_cast<double>(time / 1000) / 1000; }

Json bounds_of(const proxy::Bounds& bounds) {
  auto percent = [](policies::Share share) {
    return share ? Json(static_cast<double>(share) / policies::kPercent) : Json();
  };
  return {{"faults_per_minute", bounds.faults_per_minute ? Json(bounds.faults_per_minute) : Json()},
          {"faults_percent", percent(bounds.faults_share)},
          {"own_errors_percent", percent(bounds.own_errors)},
          {"own_latency_ms", bounds.own_latency ? Json(ms(bounds.own_latency)) : Json()}};
}

Json counts_of(const proxy::ServiceCounts& c) {
  Json classes = Json::object();
  constexpr const char* kClasses[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t i = 0; i < c.classes.size(); i++)
    if (c.classes[i]) classes[kClasses[i]] = c.classes[i];
  return {{"requests", c.requests},    {"planned", c.planned},       {"fired", c.fired},
          {"answered", c.answered},    {"own_errors", c.own_errors}, {"client_left", c.client_left},
          {"told", std::move(classes)}};
}

AdminResponse get_services(Hands& hands, const AdminRequest&, const std::string&) {
  return {.body = services_json(hands) + "\n"};
}

// The newest first; ?last=N, at most Watcher::kLast.
AdminResponse get_exchanges(Hands& hands, const AdminRequest& r, const std::string&) {
  if (!hands.telemetry) return refusal(409, "nothing is recorded, so nothing can be shown: [serve] record");
  std::size_t most = 50;
  for (auto part : split(r.query, '&')) {
    if (part.empty()) continue;
    auto n = part.starts_with("last=") ? to_int(part.substr(5)) : std::nullopt;
    if (!n || *n < 1 || *n > static_cast<std::int64_t>(Watcher::kLast))
      return refusal(400, fmt::format("expected last=N, from 1 to {}, found {}", Watcher::kLast, part.substr(0, 40)));
    most = static_cast<std::size_t>(*n);
  }
  auto& watcher = hands.telemetry->watcher();
  watcher.want();
  auto all = watcher.last(most);
  return {.body = fmt::format("{{\"exchanges\":[{}]}}\n", fmt::join(all, ","))};
}

// Operations and call sites, the most asked first.
AdminResponse get_calls(Hands& hands, const AdminRequest&, const std::string&) {
  if (!hands.telemetry) return refusal(409, "nothing is recorded, so nothing can be shown: [serve] record");
  auto& watcher = hands.telemetry->watcher();
  watcher.want();
  auto operations = watcher.operations();
  std::ranges::sort(operations, std::greater{}, [](auto& one) { return one.counts.attempts; });
  auto all = Json::array();
  for (auto& [service, operation, site, c] : operations) {
    proxy::ServiceCounts gaps{.times = c.gaps};
    all.push_back({{"service", service},
                   {"operation", operation},
                   {"call_site", site},
                   {"calls", c.calls},
                   {"attempts", c.attempts},
                   {"retries", c.retries},
                   {"failed", c.failed},
                   {"gap_p50_ms", ms(gaps.quantile(0.5))}});
  }
  Json answer{{"all_the_time", watcher.always()}, {"lost", watcher.lost()}, {"calls", std::move(all)}};
  return {.body = answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

// What the running judge has found so far.
AdminResponse get_findings(Hands& hands, const AdminRequest&, const std::string&) {
  auto* judge = hands.telemetry ? hands.telemetry->judge() : nullptr;
  if (!judge) return refusal(409, "nothing is judged while it runs: [serve] judge = true");
  std::vector<std::string> all;
  for (auto& finding : judge->findings()) all.push_back(as_json(finding));
  return {.body = fmt::format("{{\"findings\":[{}]}}\n", fmt::join(all, ","))};
}

AdminResponse get_metrics(Hands& hands, const AdminRequest&, const std::string&) {
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text(hands)};
}

}  // namespace

std::string services_json(Hands& hands) {
  auto all = Json::array();
  auto recent = hands.server.safety().recent();
  auto counts = hands.server.counts();
  std::ranges::sort(counts, {}, &proxy::Meter::OfService::service);
  for (auto& [service, so_far] : counts) {
    Json one{{"service", service}, {"so_far", counts_of(so_far)}};
    auto at = std::ranges::find(recent, service, &proxy::Safety::Recent::service);
    if (at != recent.end()) {
      auto minute = counts_of(at->counts);
      minute["faults_taken"] = at->faults;
      minute["p50_ms"] = ms(at->counts.quantile(0.5));
      minute["p99_ms"] = ms(at->counts.quantile(0.99));
      one["last_minute"] = std::move(minute);
      one["bounds"] = bounds_of(at->bounds);
    }
    all.push_back(std::move(one));
  }
  return Json{{"services", std::move(all)}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::span<const AdminRoute> service_routes() {
  static constexpr AdminRoute kRoutes[] = {
      {"GET", "/v1/services", get_services}, {"GET", "/v1/calls", get_calls},  {"GET", "/v1/exchanges", get_exchanges},
      {"GET", "/v1/findings", get_findings}, {"GET", "/metrics", get_metrics},
  };
  return kRoutes;
}

}  // namespace retrial::campaign
