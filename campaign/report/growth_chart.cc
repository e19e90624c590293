#include "campaign/report/growth_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "trace/comparing/growth.h"

namespace retrial::campaign::report {
namespace {
using trace::Load;

// Units of the drawing.
constexpr double kLeft = 90, kRight = 40, kTop = 16, kBottom = 44, kWidth = 760, kHeight = 260;

// A logarithmic axis from one value to another, in units of the drawing.
struct Axis {
  double least, most, from, to;
  double at(double value) const {
    return from + (to - from) * (std::log(value) - std::log(least)) / (std::log(most) - std::log(least));
  }
};
Axis axis_over(const std::vector<double>& values, double from, double to) {
  auto [least, most] = std::ranges::minmax(values);
  return {least / 1.25, most * 1.25, from, to};
}

std::string label(double x, double y, const std::string& words, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escape(words));
}

std::vector<Load> loads_of(const trace::CampaignRecord& campaign, const trace::Finding& f, const RunsById& runs) {
  std::vector<Load> loads;
  for (auto& row : campaign.cases) {
    if (!trace::is_case_of(row, f)) continue;
    for (auto id : row.runs) {
      auto run = runs.find(id);
      auto load = run == runs.end() ? std::nullopt : trace::load_of(*run->second);
      bool measured = load && load->of != Load::Of::silence && run->second->stop != trace::Stop::deadline;
      if (measured) loads.push_back(*load);
    }
  }
  std::ranges::sort(loads, {}, &Load::size);
  return loads;
}

// What is drawn, over what.
struct Drawn {
  std::string_view what, unit, over;
  double (*cost)(const Load&);
};
double work(const Load& l) { return static_cast<double>(std::max<Nanos>(l.cpu, kMillisecond)) / kSecond; }
double requests(const Load& l) { return static_cast<double>(l.requests); }
double memory(const Load& l) { return static_cast<double>(std::max<std::uint64_t>(l.memory, 1)) / (1 << 20); }
double waited(const Load& l) { return static_cast<double>(std::max<Nanos>(l.waited, kMillisecond)) / kSecond; }

Drawn drawn_of(const trace::Finding& f, const std::vector<Load>& loads) {
  bool works = f.verdict == "quadratic" && loads.back().requests < 2 * loads.front().requests;
  auto over = loads.front().of == Load::Of::entries ? "times the entries" : "pages more";
  switch (loads.front().of) {
    case Load::Of::entries:
    case Load::Of::pages:
      if (works) return {"processor time of the test", " s", over, work};
      return {"requests of the test", "", over, requests};
    case Load::Of::errors:
      return {"requests of the test", "", "errors", requests};
    case Load::Of::bytes:
      return {"memory of the test", " MiB", "bytes of the body", memory};
    case Load::Of::drip:
    case Load::Of::silence:
      break;
  }
  return {"time that the call took", " s", "milliseconds that the answer dripped for", waited};
}

}  // namespace

std::string growth_chart(const trace::CampaignRecord& campaign, const trace::Finding& f, const RunsById& runs) {
  if (!trace::is_stressed(f.policy)) return {};
  auto loads = loads_of(campaign, f, runs);
  if (loads.size() < 2) return {};
  auto drawn = drawn_of(f, loads);
  std::vector<double> sizes, costs;
  for (auto& l : loads) sizes.push_back(static_cast<double>(l.size)), costs.push_back(drawn.cost(l));
  auto x = axis_over(sizes, kLeft, kWidth - kRight);
  auto straight = costs.front() * sizes.back() / sizes.front();
  auto reach = costs;
  reach.push_back(straight);
  auto y = axis_over(reach, kHeight - kBottom, kTop);
  auto out = fmt::format(
      "<figcaption><b>Growth</b> <span class=\"soft\">{}, over how much of it there was; dashed: in proportion; both "
      "axes "
      "logarithmic</span></figcaption><div class=\"scroll\" tabindex=\"0\"><svg viewBox=\"0 0 {:.0f} {:.0f}\" "
      "role=\"img\" aria-label=\"growth\">\n",
      drawn.what, kWidth, kHeight);
  out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"gap\"/>\n", x.at(sizes.front()),
                     y.at(costs.front()), x.at(sizes.back()), y.at(straight));
  std::string line;
  for (std::size_t i = 0; i < sizes.size(); i++) {
    auto px = x.at(sizes[i]), py = y.at(costs[i]);
    auto words = fmt::format("{:.3g}{}", costs[i], drawn.unit);
    line += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "M", px, py);
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n", px, kTop,
                       kHeight - kBottom);
    out += fmt::format("<g class=\"fault\"><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"bar\"/></g>\n", px, py);
    out += label(px - 8, py - 6, words, "end") +
           label(px, kHeight - kBottom + 16, fmt::format("{:.0f}", sizes[i]), "middle");
  }
  out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"var(--bar-fault)\" stroke-width=\"1.5\"/>\n", line);
  return out + label((kLeft + kWidth - kRight) / 2, kHeight - 8, std::string(drawn.over), "middle") + "</svg></div>";
}

}  // namespace retrial::campaign::report
