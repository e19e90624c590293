#include "proxy/server/meter.h"

#include <algorithm>
#include <cstring>

#include "trace/status.h"

namespace retrial::proxy {

struct Meter::Row {
  explicit Row(std::string_view name) : service(name) {}
  std::string service;
  // How many requests there were, and how many of them the service answered, are the sums of these.
  Count planned, fired, own_errors, client_left, refused, time;
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
  refused += other.refused;
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
  refused -= earlier.refused;
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

namespace {

// Addresses have 8 to 16 bytes, mostly: no call is needed to compare two of these.
[[gnu::always_inline]] inline bool same(const std::string& a, const std::string& b) {
  auto size = a.size();
  if (size != b.size()) return false;
  if (size < 8 || size > 16) return a == b;
  auto word = [](const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  return word(a.data()) == word(b.data()) && word(a.data() + size - 8) == word(b.data() + size - 8);
}

std::size_t class_of(int status) {
  if (trace::is_grpc(status) || status > 599) return 5;
  return static_cast<std::size_t>(status / 100);
}

// What we answered in place of a service that was not asked: the request may not be (4xx), or we have no room (503).
// 502 and 504 tell of the service.
bool is_refusal(int own_status) { return own_status / 100 == 4 || own_status == 503; }

}  // namespace

inline Meter::Row& Meter::row_of(const std::string& service) {
  auto& recent = recent_[(service.size() + static_cast<unsigned char>(service.data()[service.size() / 2])) % kRecent];
  if (recent && same(recent->service, service)) [[likely]]
    return *recent;
  recent = &find(service);
  return *recent;
}

[[gnu::noinline]] Meter::Row& Meter::find(std::string_view service) {
  auto at = std::ranges::find_if(rows_, [&](auto& row) { return row->service == service; });
  if (at != rows_.end()) return **at;
  if (rows_.size() >= kMostServices && service != kOthers) return find(kOthers);
  std::lock_guard lock(mutex_);
  return *rows_.emplace_back(std::make_unique<Row>(service));
}

// What most requests do not need stands elsewhere, so that this keeps its few values in registers.
void Meter::over(const trace::Exchange& e) {
  auto& row = row_of(e.service);
  bool usual = e.client_status == 200 && e.service_status == 200 && trace::is_pass(e.fault);
  if (!usual) [[unlikely]]
    return over_unusual(row, e);
  row.classes[2].add();
  answered(row, e);
}

[[gnu::always_inline]] inline void Meter::answered(Row& row, const trace::Exchange& e) {
  auto from = e.request_read != 0 && e.request_read < e.answered ? e.request_read : e.begun;
  auto took = std::max<Nanos>(0, e.answered - from);
  row.time.add(static_cast<std::uint64_t>(took));
  row.times[bucket_of(took)].add();
}

[[gnu::noinline]] void Meter::over_unusual(Row& row, const trace::Exchange& e) {
  row.classes[class_of(e.client_status)].add();
  if (!trace::is_pass(e.fault)) {
    row.planned.add();
    if (e.fired) row.fired.add();
  }
  if (e.service_status != 0) {
    answered(row, e);
    if (trace::says_service_failed(e.service_status)) row.own_errors.add();
  } else if (e.ending == trace::Ending::client_left) {
    row.client_left.add();
  } else if (!e.fired) {
    (is_refusal(e.client_status) ? row.refused : row.own_errors).add();
  }
}

void Meter::read(std::vector<OfService>& into) const {
  std::lock_guard lock(mutex_);
  for (auto& row : rows_) {
    auto at = std::ranges::find(into, row->service, &OfService::service);
    if (at == into.end()) at = into.insert(at, {row->service, {}});
    ServiceCounts now{.planned = row->planned.get(),
                      .fired = row->fired.get(),
                      .own_errors = row->own_errors.get(),
                      .client_left = row->client_left.get(),
                      .refused = row->refused.get(),
                      .time = row->time.get()};
    for (std::size_t i = 0; i < now.classes.size(); i++) now.requests += now.classes[i] = row->classes[i].get();
    for (std::size_t i = 0; i < kTimeBuckets; i++) now.answered += now.times[i] = row->times[i].get();
    at->counts += now;
  }
}

std::uint64_t Meter::requests_of(std::string_view service) const {
  std::lock_guard lock(mutex_);
  auto at = std::ranges::find_if(rows_, [&](auto& row) { return row->service == service; });
  std::uint64_t all = 0;
  if (at != rows_.end())
    for (auto& count : (*at)->classes) all += count.get();
  return all;
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
