#include <fmt/format.h>

#include <algorithm>

#include "base/sentence.h"
#include "base/text.h"
#include "campaign/report/page.h"
#include "campaign/report/words.h"
#include "trace/calls/services.h"

namespace retrial::campaign::report {
namespace {
std::string service_line(const trace::ServiceSeen& service, std::size_t side_by_side) {
  std::vector<std::string> parts;
  if (!service.name.empty()) parts.push_back(service.name);
  parts.push_back(service.profile.empty() ? "generic" : service.profile);
  parts.push_back(counted(service.exchanges, "request"));
  if (service.address.ends_with('*')) {
    parts.emplace_back("at ports that change");
    if (side_by_side > 1) parts.push_back(fmt::format("{} of them in one test", side_by_side));
  }
  return fmt::format("{} ({})", service.address, joined(parts, ", "));
}

// Those at ports that change are one line: how many there are only a test says that asks several.
std::vector<trace::ServiceSeen> by_address(const std::vector<trace::ServiceSeen>& services) {
  std::vector<trace::ServiceSeen> lines;
  for (auto service : services) {
    service.address = trace::one_for_all_ports(std::move(service.address));
    auto same = [&](auto& line) {
      return line.address == service.address && line.name == service.name && line.profile == service.profile;
    };
    if (auto line = std::ranges::find_if(lines, same); line != lines.end())
      line->exchanges += service.exchanges;
    else
      lines.push_back(std::move(service));
  }
  return lines;
}

// The first few, and how many more there are.
std::string some(const std::vector<std::string>& lines, std::size_t most) {
  std::vector<std::string> first(lines.begin(),
                                 lines.begin() + static_cast<std::ptrdiff_t>(std::min(most, lines.size())));
  auto text = joined(first, "; ");
  return lines.size() > most ? text + fmt::format("; and {} more", lines.size() - most) : text;
}
}  // namespace

std::string opening(const Opening& plan, const Style& style) {
  std::vector<std::string> services;
  auto lines = by_address(plan.services);
  auto moving =
      static_cast<std::size_t>(std::ranges::count_if(lines, [](auto& s) { return s.address.ends_with('*'); }));
  auto more = moving > 0 && plan.side_by_side > moving ? plan.side_by_side - moving : 0;
  for (const auto& service : lines) services.push_back(service_line(service, moving == 1 ? plan.side_by_side : 0));
  std::string text =
      fmt::format("{} {} requests to {}{}: {}. ", counted(plan.tests, "test"), plan.tests == 1 ? "sends" : "send",
                  more ? "at least " : "", counted(services.size() + more, "service"), some(services, 6));
  text += fmt::format("{} will be put on trial in {}", counted(plan.targets, "call"), counted(plan.cases, "case"));
  if (plan.further) text += fmt::format(", then up to {} more in other tests", plan.further);
  text += ", " + about(plan.expected);
  if (!plan.budget)
    text += "; --budget 10m would bound it, the likeliest to show a bug first.";
  else if (plan.expected <= plan.budget)
    text += fmt::format("; the budget is {}.", show_duration(plan.budget));
  else
    text +=
        fmt::format("; the budget is {}: the likeliest to show a bug come first, what does not fit is left and named.",
                    show_duration(plan.budget));
  text += " Each case runs its test again, with all that it writes. Retrial repeats no request itself";
  text += plan.repeated.empty()
              ? std::string(plan.ends_processes ? "." : ", and loses the answer to no write.")
              : fmt::format("; a client that sends a write again after its answer was lost may have it done twice: {}.",
                            some(plan.repeated, 5));
  if (plan.ends_processes) text += " The process that sends the call is ended there (SIGKILL).";
  if (!plan.left_alone.empty()) text += fmt::format(" Left alone: {}.", some(plan.left_alone, 5));
  for (const auto& remark : plan.remarks) text += fmt::format(" {}.", sentence(remark.substr(0, remark.find('\n'))));

  Page page(style);
  page.wrapped("", text);
  return page.text();
}

}  // namespace retrial::campaign::report
