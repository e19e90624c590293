#include "trace/comparing/growth.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

std::optional<Load::Of> kind_of(FaultName fault) {
  switch (fault) {
    case FaultName::grow:
      return Load::Of::entries;
    case FaultName::another_page:
      return Load::Of::pages;
    case FaultName::error:
      return Load::Of::errors;
    case FaultName::lengthen:
      return Load::Of::bytes;
    case FaultName::drip:
      return Load::Of::drip;
    case FaultName::stall:
      return Load::Of::silence;
    default:
      return {};
  }
}

std::int64_t size_of(const Exchange& e, Load::Of of) {
  switch (of) {
    case Load::Of::entries:
      return e.fault.by;
    case Load::Of::bytes:
      return e.fault.by * static_cast<std::int64_t>(e.response_bytes);
    case Load::Of::drip:
      return (length_of_answer(e) / std::max<std::int64_t>(1, e.fault.bytes) + 1) * (e.fault.delay / kMillisecond);
    case Load::Of::pages:
    case Load::Of::errors:
      return 1;
    case Load::Of::silence:
      break;
  }
  return 0;
}

}  // namespace

std::int64_t length_of_answer(const Exchange& e) {
  auto length = static_cast<std::int64_t>(e.response_bytes) + 19;  // "HTTP/1.1 200 OK", and the empty line
  for (auto& h : e.response_headers) length += static_cast<std::int64_t>(h.name.size() + h.value.size()) + 4;
  return length;
}

std::optional<Load> load_of(const Run& run) {
  std::optional<Load> load;
  std::map<std::uint64_t, Nanos> from;  // by call; of none by exchange
  for (auto& e : run.exchanges) {
    if (!e.fired) continue;
    auto kind = kind_of(e.fault.name);
    if (!kind || (load && load->of != *kind)) return {};
    if (!load) load = Load{.of = *kind, .requests = run.exchanges.size(), .cpu = run.cpu, .memory = run.memory};
    auto begun = from.try_emplace(e.call ? e.call : e.id + run.exchanges.size(), e.begun).first->second;
    bool counts = *kind == Load::Of::pages || *kind == Load::Of::errors;
    load->size = counts ? load->size + 1 : std::max(load->size, size_of(e, *kind));
    load->waited = std::max(load->waited, (e.told ? e.told : run.ended) - begun);
  }
  return load;
}

PowerLaw fit(std::span<const Measured> points) {
  double n = static_cast<double>(points.size()), x = 0, y = 0;
  for (auto& p : points) x += std::log(p.size) / n, y += std::log(p.cost) / n;
  double xx = 0, xy = 0, yy = 0;
  for (auto& p : points) {
    auto dx = std::log(p.size) - x, dy = std::log(p.cost) - y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  if (xx == 0) return {};
  return {xy / xx, yy == 0 ? 1 : xy * xy / (xx * yy)};
}

}  // namespace retrial::trace
