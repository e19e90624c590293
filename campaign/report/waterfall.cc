#include "campaign/report/waterfall.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "campaign/report/rpc_words.h"
#include "campaign/report/time_axis.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {
using trace::Ending;
using trace::Exchange;

// Units of the drawing.
constexpr double kLabels = 300, kAxis = 500, kWords = 160;  // kWords at least
constexpr double kColumn = 6.6;                             // of a word behind a bar, about
constexpr double kRow = 26, kBar = 12, kTop = 8, kFoot = 26;
constexpr std::size_t kLabelColumns = 42;
std::string shown_ms(Nanos time) { return show_ms(static_cast<double>(time) / kMillisecond); }

// Finer than a length is shown: two ticks near each other must not read the same.
std::string tick_label(Nanos time) {
  auto ms = static_cast<double>(time) / kMillisecond;
  return ms < 1000 ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.4g} s", ms / 1000);
}

std::string_view kind_of(const Exchange& e) {
  if (e.fired) return e.ending == Ending::open ? "fault held" : "fault";
  if (trace::told_failure(e)) return "bad";
  return "good";
}

std::string label(const trace::Run& run, const Row& row) {
  if (!row.call) {
    bool tests = std::ranges::any_of(run.stages, [&](auto& stage) { return stage.pid == row.process; });
    return row.process ? fmt::format("process {}{}", row.process, tests ? ", in which tests run" : "")
                       : "a process that is not known";
  }
  if (row.skipped) return fmt::format("    … {}", counted(row.skipped, "more attempt"));
  const auto& e = row.exchange();
  if (row.attempt == 0)
    return cut(one_line(e.operation.empty() ? e.method + " " + e.target : e.operation), kLabelColumns);
  const auto& before = *row.call->attempts[row.attempt - 1];
  auto text = fmt::format("    attempt {}", row.attempt + 1);
  if (!before.told) return text + ", while one was open";
  auto waited = e.begun - before.told;
  return text + (waited < 0 ? ", before it was told" : ", after " + shown_ms(waited));
}

std::string text(double x, double y, std::string_view words, std::string_view css, std::string_view anchor = "start") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\" xml:space=\"preserve\">{}</text>\n", x, y, css,
      anchor, escape(words));
}

std::string hint(const trace::Run& run, const Exchange& e) {
  auto out = fmt::format("{} {}\nbegan at {}, ended after {}", e.method, e.target, shown_ms(e.begun - run.began),
                         shown_ms(end_of(run, e) - e.begun));
  if (e.service_status)
    out += fmt::format("\nthe service answered {} after {}", trace::status_of(e, e.service_status),
                       shown_ms(e.answered - e.begun));
  if (!e.grpc.message.empty()) out += ": " + e.grpc.message;
  out += "\nthe client was told: " + told_as(run, e);
  if (e.fired) out += "\n" + trace::show(e.fault) + ": " + e.evidence;
  if (auto facts = rpc_facts(e); !facts.empty()) out += "\n" + facts;
  return out;
}

std::string bar(const trace::Run& run, const Row& row, const TimeAxis& axis, double y) {
  const auto& e = row.exchange();
  double from = kLabels + axis.x(e.begun), to = std::max(kLabels + axis.x(end_of(run, e)), from + 3);
  double top = y + (kRow - kBar) / 2, middle = y + kRow / 2;
  auto kind = kind_of(e);
  auto out =
      fmt::format("<g class=\"{}{}\"><title>{}</title>\n", kind, row.focus ? "" : " other", escape(hint(run, e)));
  out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" class=\"bar\"/>\n",
                     from, top, to - from, kBar);
  if (e.answered)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"answer\"/>\n", kLabels + axis.x(e.answered),
                       middle);
  double words_at = to + 7;
  if (e.fired && e.ending != Ending::open) {  // a cross behind a bar's end: how the client was told is of our making
    out += fmt::format("<path d=\"M{:.1f} {:.1f}l8 8m0 -8l-8 8\" class=\"cross\"/>\n", to + 4, middle - 4);
    words_at = to + 17;
  }
  out += text(words_at, middle + 4, told_as(run, e), "status");
  return out + "</g>\n";
}

// How long a lane's process was seen, and where a fault ended it.
std::string life(const trace::Run& run, const Row& row, const TimeAxis& axis, double y) {
  Nanos from = 0, to = 0, death = 0;
  for (auto& e : run.exchanges) {
    if (e.pid != row.process) continue;
    from = from ? std::min(from, e.begun) : e.begun;
    to = std::max(to, end_of(run, e));
    if (e.fired && trace::ends_sender(e.fault)) death = e.fired_at;
  }
  double middle = y + kRow / 2;
  auto x = [&](Nanos time) { return kLabels + axis.x(time); };
  auto out =
      fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"life\"/>\n", x(from), middle, x(death ? death : to));
  if (!death) return out;
  out += fmt::format("<path d=\"M{0:.1f} {1:.1f}v12m-4 -8h8\" class=\"death\"/>\n", x(death), middle - 6);
  return out + text(x(death) + 9, middle + 4, "ended by SIGKILL", "status dead");
}

// From the end of the attempt before to the begin of this one.
std::string gap_line(const trace::Run& run, const Row& row, const TimeAxis& axis, double y) {
  const auto& before = *row.call->attempts[row.attempt - 1];
  double from = kLabels + axis.x(end_of(run, before)), to = kLabels + axis.x(row.exchange().begun),
         middle = y + kRow / 2;
  if (to <= from) return "";
  auto out = fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" class=\"gap\"/>\n", from, y - (kRow - kBar) / 2,
                         middle, to);
  auto waited = shown_ms(row.exchange().begun - end_of(run, before));
  if (to - from > 12 + 6.2 * static_cast<double>(columns(waited)))
    out += text((from + to) / 2, middle - 4, waited, "waited", "middle");
  return out;
}
}  // namespace

Nanos end_of(const trace::Run& run, const Exchange& e) { return e.told ? e.told : std::max(run.ended, e.begun); }

std::string told_as(const trace::Run& run, const Exchange& e) {
  auto told = trace::status_of(e, e.client_status), said = trace::status_of(e, e.service_status);
  auto aborted = aborted_as(e);
  auto lost = [&](std::string how) { return e.service_status ? fmt::format("{} in place of {}", how, said) : how; };
  switch (e.ending) {
    case Ending::answered:
      if (e.fired && e.service_status && e.client_status != e.service_status)
        return fmt::format("{} in place of {}", told, said);
      return fmt::format("{}{}", told, e.fired && !e.service_status ? " by fault" : "");
    case Ending::reset:
      return lost(!aborted.empty() ? aborted : e.refused ? "GOAWAY" : "RST");
    case Ending::closed:
      return lost(e.refused ? "GOAWAY" : "FIN");
    case Ending::client_left:
      return fmt::format("client left after {}", shown_ms(end_of(run, e) - e.begun));
    case Ending::open:
      return fmt::format("{} {}", e.fired ? "held" : "open for", shown_ms(end_of(run, e) - e.begun));
  }
  return "";
}

std::string waterfall(const trace::Run& run, const std::vector<trace::Call>& calls,
                      const std::set<std::uint64_t>& focus, std::string_view title, Lanes lanes) {
  auto rows = rows_of(calls, focus, lanes);
  double words = kWords;
  std::vector<TimeAxis::Span> spans;
  for (const auto& row : rows) {
    if (!row.has_bar()) continue;
    const auto& e = row.exchange();
    spans.push_back({e.begun, end_of(run, e)});
    words = std::max(words, 20 + kColumn * static_cast<double>(columns(told_as(run, e))));
  }
  TimeAxis axis(spans, kAxis);
  double width = kLabels + kAxis + words;
  double height = kTop + kRow * static_cast<double>(rows.size()) + kFoot;
  auto out = fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n",
      width, height, escape(title));
  double bottom = height - kFoot;
  for (const auto& tick : axis.ticks()) {
    double x = kLabels + tick.x;
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" class=\"grid\"/>\n", x, kTop - 4, bottom + 4);
    out += text(x, bottom + 18, tick_label(tick.time), "tick", "middle");
  }
  if (axis.compressed()) out += text(width, bottom + 18, "not to scale", "tick", "end");
  double y = kTop;
  for (const auto& row : rows) {
    bool bold = row.focus || !row.call;
    out += text(0, y + kRow / 2 + 4, label(run, row), bold ? "label focus" : "label");
    if (!row.call) out += life(run, row, axis, y);
    if (row.has_bar() && row.attempt > 0) out += gap_line(run, row, axis, y);
    if (row.has_bar()) out += bar(run, row, axis, y);
    y += kRow;
  }
  return out + "</svg>\n";
}

}  // namespace retrial::campaign::report
