#include "campaign/planning/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/config/config_values.h"
#include "campaign/planning/plan.h"
#include "trace/toml/config_table.h"
#include "trace/toml/toml.h"

namespace retrial::campaign {
using trace::ConfigTable;
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kKeys[] = {"version", "case"};
constexpr std::string_view kCaseKeys[] = {"call_site", "service", "operation", "policy", "fault", "test", "occurrence"};

// JSON's strings are TOML's too.
std::string toml_text(const std::string& text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string need(ConfigTable& table, std::string_view key, const char* expected) {
  if (!table.has(key)) table.refuse(key, expected);
  return table.text(key).value_or("");
}

PlannedCase read_case(ConfigTable table) {
  table.only(kCaseKeys);
  PlannedCase c;
  c.line = table.line();
  if (auto site = table.text("call_site"))
    if (c.site = trace::read_call_site(*site); !c.site)
      table.refuse("call_site", "expected file, line and function such as \"src/jobs.py:17 send\"");
  c.service = need(table, "service", "expected the service's address, as the report shows it");
  c.operation = need(table, "operation", "expected an operation such as \"POST /jobs/{id}\"");
  std::vector<std::string_view> policies;
  for (auto& p : policies::policies()) policies.push_back(p.name);
  if (!table.has("policy")) table.refuse("policy", "expected the name of a policy, such as \"P1\"");
  if (auto policy = table.word("policy", policies)) c.policy = policies::policy_named(*policy);
  auto fault = need(table, "fault", "expected a fault, such as \"error(503) x 2, then pass\"");
  if (auto faults = policies::parse_fault_plan(fault); faults)
    c.faults = std::move(*faults);
  else if (!fault.empty())
    table.refuse("fault", faults.error().line());
  c.test = table.text("test").value_or("");
  c.occurrence = static_cast<int>(table.number("occurrence", 1, INT32_MAX).value_or(0));
  if (c.occurrence && c.test.empty() && !table.has("test"))
    table.refuse("test", "expected the test whose call this occurrence is");
  return c;
}

std::vector<PlannedCase> read_file(const toml::table& file, std::string_view name, trace::Errors& errors) {
  std::vector<PlannedCase> out;
  ConfigTable top(file, "plan", name, errors);
  top.only(kKeys);
  if (!top.has("version")) top.refuse("version", fmt::format("expected version = {}", kVersion));
  top.number("version", kVersion, kVersion);
  const auto* node = file.get("case");
  const auto* cases = node ? node->as_array() : nullptr;
  if (!cases || cases->empty() || !cases->is_homogeneous<toml::table>())
    top.refuse("case", "expected tables [[case]], one a case");
  else
    for (auto&& one : *cases) {
      out.push_back(read_case(ConfigTable(*one.as_table(), "[[case]]", name, errors)));
      out.back().number = static_cast<int>(out.size());
    }
  return out;
}

}  // namespace

std::string plan_file_text(std::span<const Case> cases, const std::string& command) {
  auto text = fmt::format(
      "# Of: {}\n# Tried by: retrial run --plan FILE -- COMMAND. A case without `test` is tried in any test that makes "
      "its call.\nversion = {}\n",
      command, kVersion);
  auto line = [&](const char* key, const std::string& value) { text += fmt::format("{:9} = {}\n", key, value); };
  for (auto& c : cases) {
    auto& row = c.row;
    text += "\n[[case]]\n";
    if (row.site) line("call_site", toml_text(trace::show(*row.site)));
    line("service", toml_text(row.service));
    line("operation", toml_text(row.operation));
    line("policy", toml_text(row.policy));
    line("fault", toml_text(row.plan));
    if (c.places.size() > 1) continue;
    line("test", toml_text(row.test));
    if (row.occurrence > 1) line("occurrence", std::to_string(row.occurrence));
  }
  return text;
}

Result<std::vector<PlannedCase>> parse_plan_file(std::string_view text, std::string_view file_name) {
  trace::Errors errors;
  std::vector<PlannedCase> cases;
  if (auto file = trace::parse_toml(text, file_name, errors)) cases = read_file(*file, file_name, errors);
  if (errors.empty()) return cases;
  return std::unexpected(errors.front().second);
}

Result<std::vector<PlannedCase>> load_plan_file(const std::filesystem::path& file) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    return fail("expected a file that `retrial plan -o` wrote, found a folder", file.string(), Blame::user);
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_errno("cannot be read", errno, file.string(), Blame::user);
  return parse_plan_file(std::string(std::istreambuf_iterator<char>(in), {}), file.string());
}

}  // namespace retrial::campaign
