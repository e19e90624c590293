#include "proxy/server/meter.h"

#include <algorithm>

#include "trace/status.h"

namespace retrial::proxy {

struct Meter::Row {
  explicit Row(std::string_view name) : service(name) {}
  std::string service;
  Count requests, planned, fired, answered, own_errors, client_left, time;
  std::array<Count, 6> classes;
  std::array<Count, kTimeBuckets> times;
};

ServiceCounts& ServiceCounts::operator+=(const ServiceCounts& other) {
  requests += other.requests;
  planned += other.planned;
  fired += other.fired;
  answered += other.answered;
  own_errors += other.own_errors;
  client_left += other.client_left;
  time += other.time;
  for (std::size_t i = 0; i < classes.size(); i++) classes[i] += other.classes[i];
  for (std::size_t i = 0; i < times.size(); i++) times[i] += other.times[i];
  return *this;
}
ServiceCounts& ServiceCounts::operator-=(const ServiceCounts& earlier) {
  requests -= earlier.requests;
  planned -= earlier.planned;
  fired -= earlier.fired;
  answered -= earlier.answered;
  own_errors -= earlier.own_errors;
  client_left -= earlier.client_left;
  time -= earlier.time;
  for (std::size_t i = 0; i < classes.size(); i++) classes[i] -= earlier.classes[i];
  for (std::size_t i = 0; i < times.size(); i++) times[i] -= earlier.times[i];
  return *this;
}

Nanos ServiceCounts::quantile(double share) const {
  std::uint64_t all = 0, below = 0;
  for (auto n : times) all += n;
  if (all == 0) return 0;
  auto wanted = static_cast<double>(all) * share;
  for (std::size_t i = 0; i < times.size(); i++) {
    below += times[i];
    if (static_cast<double>(below) >= wanted && times[i]) return least_above(i);
  }
  return least_above(kTimeBuckets - 1);
}

Meter::Meter() = default;
Meter::~Meter() = default;

Meter::Row& Meter::row_of(std::string_view service) {
  auto hash = service.size() + (service.empty() ? 0 : static_cast<unsigned char>(service.back()));
  auto& recent = recent_[hash % kRecent];
  if (recent && recent->service == service) [[likely]]
    return *recent;
  recent = &find(service);
  return *recent;
}

Meter::Row& Meter::find(std::string_view service) {
  auto at = std::ranges::find_if(rows_, [&](auto& row) { return row->service == service; });
  if (at != rows_.end()) return **at;
  if (rows_.size() >= kMostServices && service != kOthers) return find(kOthers);
  std::lock_guard lock(mutex_);
  return *rows_.emplace_back(std::make_unique<Row>(service));
}

void Meter::over(const trace::Exchange& e) {
  auto& row = row_of(e.service);
  row.requests.add();
  if (!trace::is_pass(e.fault)) [[unlikely]] {
    row.planned.add();
    if (e.fired) row.fired.add();
  }
  auto told = e.client_status;
  row.classes[trace::is_grpc(told) || told > 599 ? 5 : static_cast<std::size_t>(told / 100)].add();
  if (e.service_status != 0) [[likely]] {
    row.answered.add();
    auto took = e.answered - (e.request_read && e.request_read < e.answered ? e.request_read : e.begun);
    row.time.add(static_cast<std::uint64_t>(took < 0 ? 0 : took));
    row.times[bucket_of(took)].add();
    if (trace::says_service_failed(e.service_status)) row.own_errors.add();
  } else if (e.ending == trace::Ending::client_left) {
    row.client_left.add();
  } else if (!e.fired) {
    row.own_errors.add();
  }
}

void Meter::read(std::vector<OfService>& into) const {
  std::lock_guard lock(mutex_);
  for (auto& row : rows_) {
    auto at = std::ranges::find(into, row->service, &OfService::service);
    if (at == into.end()) at = into.insert(at, {row->service, {}});
    ServiceCounts now{.requests = row->requests.get(),
                      .planned = row->planned.get(),
                      .fired = row->fired.get(),
                      .answered = row->answered.get(),
                      .own_errors = row->own_errors.get(),
                      .client_left = row->client_left.get(),
                      .time = row->time.get()};
    for (std::size_t i = 0; i < now.classes.size(); i++) now.classes[i] = row->classes[i].get();
    for (std::size_t i = 0; i < kTimeBuckets; i++) now.times[i] = row->times[i].get();
    at->counts += now;
  }
}

std::uint64_t Meter::requests_of(std::string_view service) const {
  std::lock_guard lock(mutex_);
  auto at = std::ranges::find_if(rows_, [&](auto& row) { return row->service == service; });
  return at == rows_.end() ? 0 : (*at)->requests.get();
}

Meters::Meters(std::size_t loops) {
  for (std::size_t i = 0; i < loops; i++) meters_.push_back(std::make_unique<Meter>());
}
std::vector<Meter::OfService> Meters::read() const {
  std::vector<Meter::OfService> all;
  for (auto& meter : meters_) meter->read(all);
  return all;
}
std::uint64_t Meters::requests_of(std::string_view service) const {
  std::uint64_t all = 0;
  for (auto& meter : meters_) all += meter->requests_of(service);
  return all;
}

}  // namespace retrial::proxy
