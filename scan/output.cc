#include "scan/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "scan/language.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

using Json = nlohmann::ordered_json;

std::string some(std::size_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string printed(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// What no URI holds by itself is written as its bytes.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (auto c : path) {
    bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// What shows right code, in the place's language where there is some; by the name that a finding of it would have.
std::string command_for(const Location& at, const Verdict& verdict) {
  std::string_view family;
  for (auto* one : languages())
    if (one->name == at.language) family = one->family;
  bool shown = family == "python" || family == "javascript" || family == "java" || family == "go";
  auto* rule = rule_named(verdict.name);
  return fmt::format("retrial explain {}{}", rule ? split(rule->shown_by, ',').front() : verdict.name,
                     shown ? fmt::format(" --code {}", family == "javascript" ? "node" : family) : "");
}

}  // namespace

std::string left_out_line(const Scan& scan) {
  std::string line;
  for (auto& [why, count] : scan.left_out) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, why);
  return line;
}

std::string text_of(const Scan& scan, const std::string& changed_since) {
  std::string out;
  std::size_t verdicts = 0, with = 0, asked = 0, tried = 0, confirmed = 0;
  for (auto& at : scan.locations) {
    verdicts += at.verdicts.size();
    confirmed += static_cast<std::size_t>(std::ranges::count_if(at.verdicts, is_confirmed));
    with += !at.verdicts.empty();
    asked += at.tried.state != Tried::not_asked;
    tried += at.tried.state == Tried::wrong || at.tried.state == Tried::right;
    out += fmt::format("{}:{}{}\n", at.file, at.line, at.function.empty() ? "" : " " + at.function);
    out += fmt::format("  {:10}{}{}\n", at.by_model ? "proposed" : show(at.shape),
                       at.by.empty() ? "" : at.by + (at.calls.empty() ? "" : " around "),
                       at.calls.empty() ? "" : at.calls);
    if (!at.back.empty())
      out += fmt::format("  back      {}{}\n", fmt::join(at.back, ", "),
                         at.leaves.empty() ? "" : fmt::format("; not {}", fmt::join(at.leaves, ", ")));
    if (!at.by_model) out += fmt::format("  bound     {}\n  wait      {}\n", show(at.bound), show(at.wait));
    if (auto repeat = repeat_of(at); !repeat.text.empty())
      out += fmt::format("  repeat    {}: {}\n", repeat.word == "key" ? "by a key" : repeat.word, repeat.text);
    if (!at.model.empty()) out += fmt::format("  model     {}\n", at.model);
    if (at.tried.state != Tried::not_asked) out += fmt::format("  tried     {}\n", show(at.tried));
    for (auto& verdict : at.verdicts) {
      out += fmt::format("  {} {}{}: {}\n", verdict.dismissed ? "dismissed" : verdict.confidence, verdict.name,
                         verdict.by_model ? " (the model's word)" : "", verdict.text);
      if (!verdict.shown.empty()) out += fmt::format("    {}\n", verdict.shown);
    }
    if (!at.verdicts.empty()) out += fmt::format("  right     {}\n", command_for(at, at.verdicts.front()));
    out += "\n";
  }
  out += fmt::format("{} in {}, {}{}.\n", some(scan.locations.size(), "retry location"), some(scan.files, "file"),
                     some(scan.lines, "line"),
                     changed_since.empty() ? "" : ", of what has changed since " + changed_since);
  if (asked) out += fmt::format("{} of {} tried.\n", tried, some(asked, "retry location"));
  if (verdicts && confirmed)
    out += fmt::format("{} at {} of them, {} confirmed by a run; the others are possible.\n", some(verdicts, "verdict"),
                       with, confirmed);
  else if (verdicts)
    out +=
        fmt::format("{} at {} of them: possible, as the source alone proves nothing; {}.\n", some(verdicts, "verdict"),
                    with, asked ? "no run confirmed one" : "retrial scan --confirm -- COMMAND tries them");
  if (auto left = left_out_line(scan); !left.empty()) out += fmt::format("Not read: {}.\n", left);
  return out;
}

std::string json_of(const Scan& scan) {
  auto locations = Json::array();
  for (auto& at : scan.locations) {
    auto verdicts = Json::array();
    for (auto& v : at.verdicts)
      verdicts.push_back({{"id", v.id},
                          {"verdict", v.name},
                          {"confidence", v.confidence},
                          {"message", v.text},
                          {"shown", v.shown},
                          {"dismissed", v.dismissed},
                          {"by_model", v.by_model},
                          {"right_code", command_for(at, v)}});
    auto repeat = repeat_of(at);
    locations.push_back({{"file", at.file},
                         {"line", at.line},
                         {"last_line", at.last_line},
                         {"function", at.function},
                         {"language", at.language},
                         {"kind", at.by_model ? "proposed" : show(at.shape)},
                         {"by", at.by},
                         {"calls", at.calls},
                         {"leads_back", at.back},
                         {"leaves", at.leaves},
                         {"bound", {{"kind", word(at.bound)}, {"text", at.bound.text}}},
                         {"wait", {{"kind", word(at.wait)}, {"text", at.wait.text}}},
                         {"repeat", {{"kind", repeat.word}, {"text", repeat.text}}},
                         {"verdicts", verdicts}});
    if (!at.model.empty()) locations.back()["model"] = at.model;
    if (at.tried.state != Tried::not_asked)
      locations.back()["tried"] = {{"state", word(at.tried)}, {"text", at.tried.text}};
  }
  Json left = Json::object();
  for (auto& [why, count] : scan.left_out) left[why] = count;
  return printed(
      {{"version", 1}, {"files", scan.files}, {"lines", scan.lines}, {"not_read", left}, {"locations", locations}});
}

std::string sarif_of(const Scan& scan) {
  auto results = Json::array(), listed = Json::array();
  for (auto& rule : rules())
    listed.push_back({{"id", rule.name},
                      {"shortDescription", {{"text", rule.title}}},
                      {"help", {{"text", fmt::format("Right code {}.", rule.right)}}}});
  for (auto& at : scan.locations)
    for (auto& v : at.verdicts) {
      auto* rule = rule_named(v.name);
      results.push_back(
          {{"ruleId", v.name},
           {"level", v.dismissed || !is_confirmed(v) ? "note" : "warning"},
           {"message",
            {{"text", fmt::format("{} Right code {}: {} shows it.", v.text, rule ? rule->right : "does not",
                                  command_for(at, v))}}},
           {"locations", Json::array({{{"physicalLocation",
                                        {{"artifactLocation", {{"uri", uri_of(at.file)}}},
                                         {"region", {{"startLine", at.line}, {"endLine", at.last_line}}}}}}})},
           {"partialFingerprints", {{"retrialScan/v1", v.id}}},
           {"properties",
            {{"confidence", v.confidence},
             {"by_model", v.by_model},
             {"bound", show(at.bound)},
             {"wait", show(at.wait)}}}});
    }
  Json run = {{"tool", {{"driver", {{"name", "Retrial"}, {"rules", listed}}}}}, {"results", results}};
  return printed({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                  {"version", "2.1.0"},
                  {"runs", Json::array({run})}});
}

}  // namespace retrial::scan
