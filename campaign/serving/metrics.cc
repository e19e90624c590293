#include "campaign/serving/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "campaign/serving/telemetry.h"
#include "proxy/out/prometheus.h"

namespace retrial::campaign {
namespace {
using proxy::PrometheusText;
using Services = std::vector<proxy::Meter::OfService>;

constexpr double kNanosPerSecond = 1e9;
// Every second power of two of the meter's buckets: 1 ms to 67 s, as near as they come.
constexpr int kLeastBound = 20, kMostBound = 36;

template <class Get>
void count(PrometheusText& out, const Services& services, std::string_view name, std::string_view help, Get get) {
  out.family(name, "counter", help);
  for (auto& one : services) out.sample({{"service", one.service}}, std::uint64_t{get(one.counts)});
}

void told(PrometheusText& out, const Services& services) {
  constexpr std::string_view kClasses[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  out.family("retrial_exchanges_total", "counter",
             "Exchanges that are over, by the class of the status that the client was told.");
  for (auto& one : services)
    for (std::size_t i = 0; i < one.counts.classes.size(); i++)
      if (auto n = one.counts.classes[i]) out.sample({{"service", one.service}, {"told", std::string(kClasses[i])}}, n);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

void histogram(PrometheusText& out, const Pairs& labels, const std::array<std::uint64_t, proxy::kTimeBuckets>& times,
               std::uint64_t sum) {
  std::uint64_t below = 0;
  std::size_t at = 0;
  auto bucket = [&](const std::string& bound) {
    auto with = labels;
    with.emplace_back("le", bound);
    out.sample(with, below, "_bucket");
  };
  for (int bits = kLeastBound; bits <= kMostBound; bits++) {
    auto bound = Nanos{1} << bits;
    for (; at < times.size() && proxy::least_above(at) <= bound; at++) below += times[at];
    if (bits % 2 == 0) bucket(fmt::format("{}", static_cast<double>(bound) / kNanosPerSecond));
  }
  for (; at < times.size(); at++) below += times[at];
  bucket("+Inf");
  out.sample(labels, static_cast<double>(sum) / kNanosPerSecond, "_sum");
  out.sample(labels, below, "_count");
}

void latency(PrometheusText& out, const Services& services) {
  out.family("retrial_service_latency_seconds", "histogram",
             "From the end of a request to the first byte of the service's own answer.");
  for (auto& one : services) histogram(out, {{"service", one.service}}, one.counts.times, one.counts.time);
}

void rules(PrometheusText& out, const std::vector<Rulebook::Entry>& rules) {
  struct Of {
    std::string name;
    std::uint64_t planned = 0, withheld = 0, fired = 0;
  };
  std::vector<Of> all;
  for (auto& rule : rules) {
    auto& counts = *rule.counts;
    if (all.size() <= kMostRulesTold)
      all.push_back({all.size() < kMostRulesTold ? rule.rule.name : std::string(proxy::Meter::kOthers)});
    auto& of = all.back();
    of.planned += counts.planned;
    of.withheld += counts.withheld;
    of.fired += counts.fired;
  }
  auto each = [&](const char* name, const char* help, auto member) {
    out.family(name, "counter", help);
    for (auto& of : all) out.sample({{"rule", of.name}}, of.*member);
  };
  each("retrial_rule_faults_planned_total", "Faults that a rule has chosen.", &Of::planned);
  each("retrial_rule_faults_withheld_total", "Faults that the budget of their service left no room for.",
       &Of::withheld);
  each("retrial_rule_faults_fired_total", "Faults of a rule that were put on the wire.", &Of::fired);
}

// Of operations, at most kMostOperationsTold: the most asked; the others count together.
void calls(PrometheusText& out, Watcher& watcher) {
  auto all = watcher.operations();
  std::map<std::pair<std::string, std::string>, OperationCounts> by_operation;
  for (auto& one : all) {
    auto& sum = by_operation[{one.service, one.operation}];
    sum.calls += one.counts.calls;
    sum.attempts += one.counts.attempts;
    sum.retries += one.counts.retries;
    sum.failed += one.counts.failed;
    sum.gap_sum += one.counts.gap_sum;
    for (std::size_t i = 0; i < sum.gaps.size(); i++) sum.gaps[i] += one.counts.gaps[i];
  }
  // Which ones are told must not change from scrape to scrape, or counters would go back: the first that came, by name.
  while (by_operation.size() > kMostOperationsTold) by_operation.erase(std::prev(by_operation.end()));
  auto each = [&](const char* name, const char* help, auto member) {
    out.family(name, "counter", help);
    for (auto& [key, counts] : by_operation)
      out.sample({{"service", key.first}, {"operation", key.second}}, counts.*member);
  };
  each("retrial_calls_total", "What applications meant to do once.", &OperationCounts::calls);
  each("retrial_call_attempts_total", "Exchanges of these calls.", &OperationCounts::attempts);
  each("retrial_call_retries_total", "Exchanges that sent again what had been sent before.", &OperationCounts::retries);
  each("retrial_call_failures_total", "Attempts whose client was told of a failure.", &OperationCounts::failed);
  out.family("retrial_retry_gap_seconds", "histogram",
             "From when a client was told of a failure to the first byte of its next attempt.");
  for (auto& [key, counts] : by_operation)
    histogram(out, {{"service", key.first}, {"operation", key.second}}, counts.gaps, counts.gap_sum);
}

void findings(PrometheusText& out, const RunningJudge& judge) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  for (auto& finding : judge.findings())
    counts[{finding.verdict, std::string(trace::show(finding.confidence))}] += !finding.accepted;
  out.family("retrial_findings", "gauge", "Findings of the running judge that are not accepted.");
  for (auto& [key, n] : counts) out.sample({{"verdict", key.first}, {"confidence", key.second}}, n);
  out.family("retrial_judge_seconds", "gauge", "What the last judging took.");
  out.sample({}, static_cast<double>(judge.cost()) / kNanosPerSecond);
}

void checks(PrometheusText& out, const LiveChecks& checks) {
  out.family("retrial_checks_total", "counter", "What checkers have looked at, and what of it was not as they say.");
  for (auto& count : checks.counts()) {
    out.sample({{"checker", count.checker}, {"verdict", "pass"}}, count.passed);
    out.sample({{"checker", count.checker}, {"verdict", "fail"}}, count.failed);
  }
}

double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0, resident = 0;
  in >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void gauge(PrometheusText& out, std::string_view name, std::string_view help, double value) {
  out.family(name, "gauge", help);
  out.sample({}, value);
}

}  // namespace

std::string metrics_text(Hands& hands) {
  PrometheusText out;
  auto services = hands.server.counts();
  std::ranges::sort(services, {}, &proxy::Meter::OfService::service);
  told(out, services);
  count(out, services, "retrial_faults_planned_total", "Exchanges that a fault was chosen for.",
        [](auto& c) { return c.planned; });
  count(out, services, "retrial_faults_fired_total", "Exchanges whose fault was put on the wire.",
        [](auto& c) { return c.fired; });
  count(out, services, "retrial_service_errors_total",
        "Exchanges that failed without a fault of ours: a failing status of the service's own, or no answer of it.",
        [](auto& c) { return c.own_errors; });
  count(out, services, "retrial_clients_left_total", "Exchanges whose client left before it was answered.",
        [](auto& c) { return c.client_left; });
  latency(out, services);
  rules(out, hands.rules.entries());
  auto state = hands.server.safety().state();
  gauge(out, "retrial_armed", "1 while faults are on.", state.mode == proxy::Safety::Mode::armed);
  auto left = state.until ? std::max<Nanos>(0, state.until - hands.clock.now()) : 0;
  gauge(out, "retrial_armed_remaining_seconds",
        "Until faults are halted unless renewed; 0: they are off, or have no end.",
        static_cast<double>(left) / kNanosPerSecond);
  auto now = hands.server.state();
  gauge(out, "retrial_client_connections", "Connections of clients, now.", static_cast<double>(now.connections));
  gauge(out, "retrial_open_exchanges", "Exchanges that have begun and whose client was not told of an end.",
        static_cast<double>(now.open_exchanges));
  auto plain = [&](const char* name, const char* help, std::uint64_t value) {
    out.family(name, "counter", help);
    out.sample({}, value);
  };
  plain("retrial_client_connections_total", "Connections of clients so far.", now.counts.connections);
  plain("retrial_tunnels_total", "Connections that were passed on unread.", now.counts.tunnels);
  plain("retrial_refused_total", "Requests that were answered 4xx by the proxy itself.", now.counts.refused);
  plain("retrial_unreachable_total", "Requests whose service was not reached, or could not be understood.",
        now.counts.unreachable);
  plain("retrial_shed_total", "Connections that were ended for want of memory or room.", now.counts.shed);
  plain("retrial_sent_again_total", "Requests that were sent again, as a kept connection had ended.",
        now.counts.sent_again);
  plain("retrial_recording_lost_total", "Records that could not be written into the recording.", now.unrecorded);
  if (auto* telemetry = hands.telemetry) {
    if (auto* judge = telemetry->judge()) findings(out, *judge);
    if (auto* live = telemetry->checks()) checks(out, *live);
    auto& watcher = telemetry->watcher();
    if (watcher.always()) calls(out, watcher);
    plain("retrial_watch_exchanges_total", "Exchanges that were read from the recording.", watcher.seen());
    plain("retrial_watch_lost_total", "Parts of the recording that were gone before they were read.", watcher.lost());
    if (auto* log = telemetry->access_log())
      plain("retrial_access_log_lost_total", "Lines that could not be written into the access log.", log->lost());
    if (auto* traces = telemetry->traces()) {
      plain("retrial_traces_sent_total", "Spans that their receiver took.", traces->sent());
      plain("retrial_traces_dropped_total", "Spans that were not sent, or not taken.", traces->dropped());
    }
  }
  if (auto* logs = hands.logs) {
    plain("retrial_logs_sent_total", "Lines of its log that their receiver took.", logs->sent());
    plain("retrial_logs_dropped_total", "Lines of its log that were not sent there, or not taken.", logs->dropped());
  }
  gauge(out, "retrial_uptime_seconds", "Since it was started.",
        static_cast<double>(hands.clock.now() - hands.began) / kNanosPerSecond);
  gauge(out, "process_resident_memory_bytes", "Resident memory.", resident_bytes());
  return out.text();
}

}  // namespace retrial::campaign
