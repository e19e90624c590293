#include "trace/profiles/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "trace/profiles/data_profile.h"
#include "trace/profiles/json_pointer.h"
#include "trace/profiles/message.h"
#include "trace/toml/toml.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kKeys[] = {"recognise",   "by_operation", "id_headers", "key_headers",
                                      "key_queries", "operation",    "transient",  "transient_status",
                                      "timeouts",    "answer",       "created",    "error"};
constexpr std::string_view kPatternKeys[] = {"method", "host", "path", "query", "request", "response"};
constexpr std::string_view kOperationKeys[] = {
    "method", "host", "path", "query", "request", "json", "name", "repeat", "transient_status", "created"};
constexpr std::string_view kAnswerKeys[] = {"status", "json", "text", "means"};
constexpr std::string_view kErrorKeys[] = {"code", "message", "body"};
constexpr std::string_view kRepeats[] = {"safe", "idempotent", "guarded", "effect"};
constexpr std::string_view kMeanings[] = {"transient", "permanent"};
constexpr std::string_view kPlaces[] = {"status", "reason", "code", "message", "marker"};
constexpr std::string_view kToken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";

bool is_header_name(std::string_view text) { return !text.empty() && text.find_first_not_of(kToken) == text.npos; }

std::vector<std::string> headers(ConfigTable& table, std::string_view key) {
  auto names = table.texts(key);
  if (!std::ranges::all_of(names, is_header_name)) table.refuse(key, "expected names of headers");
  std::ranges::transform(names, names.begin(), [](auto& name) { return lower(name); });
  return names;
}

enum class Of { headers, query, body };
std::vector<ValuePattern> values(ConfigTable& table, std::string_view key, Of of) {
  std::vector<ValuePattern> out;
  auto inner = table.table(key);
  if (!inner) return out;
  for (auto& name : inner->keys()) {
    if (of == Of::headers && !is_header_name(name)) inner->refuse(name, "expected the name of a header");
    if (of == Of::body && !is_json_pointer(name))
      inner->refuse(name, "expected a JSON pointer, such as \"/error/code\"");
    auto& pattern = out.emplace_back(ValuePattern{.name = name});
    if (inner->holds_yes(name)) {
      pattern.there = *inner->yes(name);
      continue;
    }
    pattern.like = inner->texts(name);
    for (auto& like : pattern.like)  // a value has no segments: one star stands for anything
      for (auto at = like.find('*'); at != like.npos; at = like.find('*', at + 2))
        if (like.substr(at, 2) != "**") like.insert(at, 1, '*');
  }
  return out;
}

RequestPattern pattern_of(ConfigTable& table) {
  RequestPattern out;
  out.methods = table.texts("method");
  for (auto& method : out.methods)
    if (!is_header_name(method) || std::ranges::any_of(method, [](char c) { return c >= 'a' && c <= 'z'; }))
      table.refuse("method", "expected methods such as \"POST\"");
  out.hosts = table.texts("host");
  for (auto& host : out.hosts)
    if (host = lower(host); host.empty() || host.find_first_of("/: ") != host.npos)
      table.refuse("host", "expected names of hosts without scheme and port, such as \"*.example.com\"");
  for (auto& text : table.texts("path")) {
    if (auto path = PathPattern::parse(text))
      out.paths.push_back(std::move(*path));
    else
      table.refuse("path", "expected a path whose places are whole segments, such as \"/users/{id}/files/{path...}\"");
  }
  out.query = values(table, "query", Of::query);
  out.request = values(table, "request", Of::headers);
  out.response = values(table, "response", Of::headers);
  out.json = values(table, "json", Of::body);
  return out;
}
RequestPattern sign_of(ConfigTable table) {
  table.only(kPatternKeys);
  auto out = pattern_of(table);
  if (out.hosts.empty() && out.paths.empty() && out.query.empty() && out.request.empty() && out.response.empty())
    table.refuse("path", "expected a path, host, query, request or response, of which other services have none");
  return out;
}

// Pointers and headers; an empty array says that nothing is.
std::optional<std::vector<std::string>> created_in(ConfigTable& table) {
  if (!table.has("created")) return {};
  auto out = table.holds_none("created") ? std::vector<std::string>() : table.texts("created");
  if (!std::ranges::all_of(out, [](auto& text) { return is_json_pointer(text) || is_header_name(text); }))
    table.refuse("created", "expected JSON pointers into the answer, such as \"/id\", or names of its headers");
  return out;
}

DataOperation operation_of(ConfigTable table) {
  table.only(kOperationKeys);
  DataOperation out{.request = pattern_of(table)};
  if (out.request.paths.empty() && !table.has("path")) table.refuse("path", "expected a path, such as \"/users/{id}\"");
  out.name = table.text("name").value_or(out.request.paths.empty() ? "" : out.request.paths.front().shown());
  if (auto repeat = table.word("repeat", kRepeats))
    out.repeat = static_cast<Repeat>(std::ranges::find(kRepeats, *repeat) - std::begin(kRepeats));
  out.transient_status = static_cast<int>(table.number("transient_status", 400, 599).value_or(0));
  out.created = created_in(table);
  return out;
}

DataAnswer answer_of(ConfigTable table) {
  table.only(kAnswerKeys);
  DataAnswer out;
  for (auto status : table.numbers("status", 200, 599)) {
    auto number = static_cast<int>(status);
    out.statuses.push_back({number, number});
  }
  if (!table.has("status")) table.refuse("status", "expected the statuses that are meant, such as [200, 400]");
  out.json = values(table, "json", Of::body);
  out.texts = table.texts("text");
  if (!table.has("means")) table.refuse("means", "expected \"transient\" or \"permanent\"");
  out.transient = table.word("means", kMeanings).value_or("") == "transient";
  return out;
}

// "404", "5xx"
std::optional<StatusRange> range_of(std::string_view text) {
  if (text.size() == 3 && text.ends_with("xx") && (text[0] == '4' || text[0] == '5')) {
    int from = (text[0] - '0') * 100;
    return StatusRange{from, from + 99};
  }
  auto status = text.size() == 3 ? to_int(text) : std::nullopt;
  if (!status || *status < 400 || *status > 599) return {};
  return StatusRange{static_cast<int>(*status), static_cast<int>(*status)};
}

// A place that there is not is a slip: JSON's own braces are never around a bare word.
void check_places(ConfigTable& table, std::string_view key, std::string_view text) {
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end == text.npos || end == at + 1 || text[end] != '}') continue;
    auto place = text.substr(at + 1, end - at - 1);
    if (std::ranges::find(kPlaces, place) == std::end(kPlaces))
      table.refuse(key, fmt::format("expected the places {{{}}}, not {{{}}}", fmt::join(kPlaces, "}, {"), place),
                   did_you_mean(place, kPlaces));
  }
}
std::string body_in(ConfigTable& table) {
  auto body = table.text("body").value_or("");
  if (body.empty()) return body;
  check_places(table, "body", body);
  if (body.find("{marker}") == body.npos)
    table.refuse("body", "expected {marker} in it: by that an injected error is known again");
  return body;
}

void read_errors(ConfigTable table, ProfileData& data) {
  data.error_body = body_in(table);
  if (auto inner = table.table("headers"))
    for (auto& name : inner->keys()) {
      if (!is_header_name(name)) inner->refuse(name, "expected the name of a header");
      auto value = inner->text(name).value_or("");
      check_places(*inner, name, value);
      if (value.find_first_of("\r\n") != value.npos) inner->refuse(name, "expected a text of one line");
      data.error_headers.push_back({name, value});
    }
  if (find(data.error_headers, "content-type").empty())
    data.error_headers.push_back({"Content-Type", "application/json"});
  for (auto& key : table.keys()) {
    if (key == "headers" || key == "body") continue;
    auto statuses = range_of(key);
    if (!statuses) {
      table.refuse(key, "expected headers, body, or a status from 400 to 599, \"4xx\" or \"5xx\"");
      continue;
    }
    auto inner = table.table(key);
    if (!inner) continue;
    inner->only(kErrorKeys);
    data.errors.push_back(
        {*statuses, inner->text("code").value_or(""), inner->text("message").value_or(""), body_in(*inner)});
    if (data.error_body.empty() && data.errors.back().body.empty())
      inner->refuse("body", "expected a body, here or for all statuses");
  }
  // A single status before its class.
  std::ranges::stable_sort(data.errors, {}, [](auto& e) { return e.statuses.to - e.statuses.from; });
}

void check_json(ConfigTable& table, const Profile& profile, const std::vector<int>& statuses) {
  for (auto status : statuses) {
    auto answer = profile.error({}, status, "retrial-0");
    if (!icontains(find(answer.headers, "content-type"), "json") || nlohmann::json::accept(answer.body)) continue;
    return table.refuse("error",
                        fmt::format("expected JSON, as its Content-Type says; with status {} it is none", status));
  }
}

}  // namespace

std::shared_ptr<const Profile> read_profile(ConfigTable table, std::string name) {
  table.only(kKeys);
  ProfileData data{.name = std::move(name)};
  for (auto& sign : table.tables("recognise")) data.signs.push_back(sign_of(sign));
  data.by_operation = table.yes("by_operation").value_or(false);
  data.id_headers = headers(table, "id_headers");
  data.key_headers = headers(table, "key_headers");
  data.key_queries = table.texts("key_queries");
  for (auto& operation : table.tables("operation")) data.operations.push_back(operation_of(operation));
  if (data.by_operation && data.operations.empty())
    table.refuse("by_operation", "expected operations beside it, to know the service by");
  if (table.has("transient")) {
    auto statuses = table.numbers("transient", 400, 599);
    data.transient.emplace(statuses.begin(), statuses.end());
  }
  data.transient_status = static_cast<int>(table.number("transient_status", 400, 599).value_or(503));
  for (auto status : table.numbers("timeouts", 400, 599)) {
    if (status != 408 && status != 504) table.refuse("timeouts", "expected 408, 504 or both");
    data.timeouts.push_back(static_cast<int>(status));
  }
  for (auto& answer : table.tables("answer")) data.answers.push_back(answer_of(answer));
  data.created = created_in(table);
  if (auto error = table.table("error")) read_errors(*error, data);
  std::vector<int> told{599};  // that none is for, and one of each
  for (auto& error : data.errors) told.push_back(error.statuses.from);
  auto profile = profile_of_data(std::move(data));
  check_json(table, *profile, told);
  return profile;
}

std::shared_ptr<const Profile> parse_profile(std::string_view text, std::string name, std::string_view file_name,
                                             Errors& errors) {
  auto table = parse_toml(text, file_name, errors);
  if (!table) return {};
  return read_profile(ConfigTable(*table, fmt::format("[profile.{}]", name), file_name, errors), name);
}

}  // namespace retrial::trace
