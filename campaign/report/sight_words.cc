// A Sight as a table, and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "campaign/report/page.h"
#include "campaign/report/sight.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {

std::string protocol(const Sight::Service& s) {
  return fmt::format("{}{}", fmt::join(s.protocols, ", "), s.opened ? ", TLS opened" : "");
}

void add_services(const Sight& sight, Page& page) {
  using Row = std::array<std::string, 6>;
  std::vector<Row> rows{{"service", "name", "profile", "protocol", "requests", "without call site"}};
  for (auto& s : sight.services)
    rows.push_back({s.address, s.name.empty() ? "-" : s.name, s.profile, protocol(s), std::to_string(s.requests),
                    std::to_string(s.without_site)});
  std::array<std::size_t, 6> widths{};
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.size(); i++) widths[i] = std::max(widths[i], one_line(row[i]).size());
  page.blank();
  for (auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); i++)
      line += i + 1 == row.size() ? one_line(row[i]) : fmt::format("{:<{}}  ", one_line(row[i]), widths[i]);
    page.wrapped(line, "", &row == &rows.front() ? Ink::bold : Ink::plain);
  }
}

}  // namespace

std::string table_of(const Sight& sight, const Style& style) {
  Page page(style);
  auto line = [&](std::string_view head, std::string_view text) {
    for (auto part : split(text, '\n')) {
      page.wrapped(fmt::format("{:<10}", head), part, Ink::bold);
      head = {};
    }
  };
  bool none = sight.runner == "command" && sight.behind.empty();
  auto runner = sight.behind.empty() ? sight.runner
                                     : fmt::format("{}, which the command starts", fmt::join(sight.behind, " and "));
  line("runner", none ? "none that is known: all of the command is one test"
                      : fmt::format("{}; {}, of which {} can be put on trial", runner, counted(sight.tests, "test"),
                                    sight.on_trial));
  line("agents", sight.agents.empty() ? "none was heard from" : fmt::format("{}", fmt::join(sight.agents, ", ")));
  line("capture", sight.capture);
  line("clocks", sight.moves_clocks ? "moved on while clients wait" : "not moved: what clients wait takes its time");
  if (sight.services.empty())
    line("services", "no request was seen");
  else
    add_services(sight, page);
  if (!sight.gaps.empty()) page.blank();
  for (auto& gap : sight.gaps) {
    page.wrapped("not seen  ", gap.what, Ink::yellow);
    if (!gap.mend.empty()) page.wrapped("    mend  ", gap.mend);
  }
  if (!sight.remarks.empty()) page.blank();
  for (auto& remark : sight.remarks) line("remark", remark);
  page.blank();
  if (sight.trouble.empty())
    line("so", fmt::format("`retrial run` has {} to put on trial.", counted(sight.on_trial, "test")));
  else
    line("so", "nothing to put on trial: " + sight.trouble);
  return page.text();
}

std::string json_of(const Sight& sight) {
  using Json = nlohmann::ordered_json;
  auto services = Json::array(), gaps = Json::array();
  for (auto& s : sight.services)
    services.push_back({{"address", s.address},
                        {"name", s.name},
                        {"profile", s.profile},
                        {"protocols", s.protocols},
                        {"tls", s.opened ? "opened" : "none"},
                        {"requests", s.requests},
                        {"without_call_site", s.without_site}});
  for (auto& gap : sight.gaps) gaps.push_back({{"what", gap.what}, {"mend", gap.mend}});
  Json out{{"version", 1},
           {"runner", sight.runner},
           {"behind", sight.behind},
           {"tests", sight.tests},
           {"on_trial", sight.on_trial},
           {"agents", sight.agents},
           {"capture", sight.capture},
           {"clocks_moved", sight.moves_clocks},
           {"services", services},
           {"not_seen", gaps},
           {"remarks", sight.remarks},
           {"trouble", sight.trouble}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace retrial::campaign::report
