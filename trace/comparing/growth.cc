#include "trace/comparing/growth.h"

#include <algorithm>
#include <cmath>

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
    default:
      return {};
  }
}

}  // namespace

std::optional<Load> load_of(const Run& run) {
  std::optional<Load> load;
  for (auto& e : run.exchanges) {
    if (!e.fired) continue;
    auto kind = kind_of(e.fault.name);
    if (!kind || (load && load->of != *kind)) return {};
    if (!load) load = Load{.of = *kind, .requests = run.exchanges.size(), .cpu = run.cpu, .memory = run.memory};
    load->size = *kind == Load::Of::entries ? std::max(load->size, e.fault.by) : load->size + 1;
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
