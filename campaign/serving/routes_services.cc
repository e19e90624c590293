#include <algorithm>
#include <nlohmann/json.hpp>

#include "campaign/serving/routes.h"

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
  return {{"requests", c.requests},     {"planned", c.planned},
          {"fired", c.fired},           {"answered", c.answered},
          {"own_errors", c.own_errors}, {"client_left", c.client_left},
          {"told", std::move(classes)}};
}

AdminResponse get_services(Hands& hands, const AdminRequest&, const std::string&) {
  return {.body = services_json(hands) + "\n"};
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
      {"GET", "/v1/services", get_services},
  };
  return kRoutes;
}

}  // namespace retrial::campaign
