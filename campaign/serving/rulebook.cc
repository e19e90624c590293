#include "campaign/serving/rulebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "campaign/config/config_admin.h"
#include "campaign/config/config_serve.h"
#include "campaign/config/config_values.h"
#include "campaign/config/server_settings.h"
#include "campaign/serving/json_keys.h"
#include "trace/toml/toml.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::ordered_json;

// A rule by JSON has the keys and values of one in the file, so it is read by the same hands.
std::optional<std::string> into(toml::table& table, const Json& json, int depth = 0);

std::optional<std::string> into(toml::array& array, const Json& json, int depth) {
  for (auto& value : json)
    if (value.is_string())
      array.push_back(value.get<std::string>());
    else if (value.is_object()) {
      toml::table inner;
      if (auto wrong = into(inner, value, depth + 1)) return wrong;
      array.push_back(std::move(inner));
    } else {
      return "expected texts in an array";
    }
  return {};
}

std::optional<std::string> into(toml::table& table, const Json& json, int depth) {
  if (depth > 4) return "expected no objects within objects within objects";
  for (auto& [key, value] : json.items()) {
    if (value.is_string()) {
      table.insert_or_assign(key, value.get<std::string>());
    } else if (value.is_boolean()) {
      table.insert_or_assign(key, value.get<bool>());
    } else if (value.is_number_integer()) {
      table.insert_or_assign(key, value.get<std::int64_t>());
    } else if (value.is_number()) {
      table.insert_or_assign(key, value.get<double>());
    } else if (value.is_array()) {
      toml::array inner;
      if (auto wrong = into(inner, value, depth + 1)) return fmt::format("{}: {}", key, *wrong);
      table.insert_or_assign(key, std::move(inner));
    } else if (value.is_object()) {
      toml::table inner;
      if (auto wrong = into(inner, value, depth + 1)) return fmt::format("{}: {}", key, *wrong);
      table.insert_or_assign(key, std::move(inner));
    } else {
      return fmt::format("{}: expected a value, found null", key);
    }
  }
  return {};
}

Json match_of(const Rule& rule) {
  Json match = Json::object();
  auto& m = rule.match;
  auto say = [&](const char* key, const std::string& value) {
    if (!value.empty()) match[key] = value;
  };
  say("service", rule.service);
  say("method", m.method);
  say("path", m.path);
  say("host", m.host);
  say("operation", m.operation);
  say("call_site", m.call_site);
  say("test", m.test);
  if (m.opt_in) match["opt_in"] = true;
  return match;
}

Json json_of(const Rulebook::Entry& entry) {
  return {{"name", entry.rule.name},
          {"enabled", entry.rule.enabled},
          {"match", match_of(entry.rule)},
          {"inject", policies::show(entry.rule.inject)}};
}

// What it does, whether it is switched on or not.
std::string content_of(const Rule& rule) { return match_of(rule).dump() + policies::show(rule.inject); }

void mark(Rulebook::Entry& entry) { entry.etag = fmt::format("\"{}\"", hex(fnv1a(json_of(entry).dump()), 16)); }

// The counts of a rule are those of its name.
using CountsByName = std::unordered_map<std::string, std::shared_ptr<proxy::RuleCounts>>;
CountsByName counts_of(const std::vector<Rulebook::Entry>& entries) {
  CountsByName all;
  for (auto& entry : entries) all.emplace(entry.rule.name, entry.counts);
  return all;
}
void go_on(Rulebook::Entry& entry, const CountsByName& before) {
  if (auto at = before.find(entry.rule.name); at != before.end()) entry.counts = at->second;
}

// Does what he knew still hold? `etag` is empty where there is nothing.
bool holds(const std::string& etag, const Conditions& c) {
  auto among = [&](const std::string& list) {
    for (auto one : split(list, ','))
      if (trim(one) == etag || trim(one) == "*") return true;
    return false;
  };
  if (!c.if_match.empty() && (etag.empty() || !among(c.if_match))) return false;
  return c.if_none_match.empty() || etag.empty() || !among(c.if_none_match);
}
std::unexpected<Refused> does_not_hold(const std::string& what, const std::string& etag, const Conditions& c) {
  if (trim(c.if_none_match) == "*" && !etag.empty()) return refuse(412, what + " is there already (If-None-Match: *)");
  if (!c.if_match.empty() && etag.empty()) return refuse(412, what + " is not there (If-Match)");
  return refuse(412, what + " was changed meanwhile: read it again, and decide anew");
}

std::unexpected<Refused> said_twice(std::string_view key) {
  return refuse(400, fmt::format("{}: expected it once in an object, found it twice", key.substr(0, 60)));
}

}  // namespace

std::string_view show(Rulebook::From from) {
  constexpr std::string_view kWords[] = {"operators", "file", "command"};
  return kWords[static_cast<std::size_t>(from)];
}

std::string as_json(const Rulebook::Entry& entry) {
  auto json = json_of(entry);
  json["from"] = show(entry.from);
  json["etag"] = entry.etag;
  return json.dump();
}

Rulebook::Rulebook(const Config& config, std::uint64_t start) : start_(start) { take(config, {}); }

void Rulebook::reload(const Config& config) {
  auto before = entries_;  // and their counts
  std::erase_if(entries_, [](auto& entry) { return entry.from != From::operators; });
  take(config, before);
  changed(before, entries_);
}

void Rulebook::take(const Config& config, const std::vector<Entry>& before) {
  services_ = {};
  services_.services = config.services;
  services_.listeners = config.listeners;
  std::set<std::string> taken;
  auto counts = counts_of(before);
  for (auto& entry : entries_) taken.insert(entry.rule.name);
  for (std::size_t i = 0; i < config.rules.size(); i++) {
    Entry entry{.rule = config.rules[i], .from = config.rules[i].at_will ? From::command : From::file, .etag = {}};
    auto& rule = entry.rule;
    auto name = !rule.name.empty() ? rule.name : rule.at_will ? "inject" : fmt::format("file-{}", i + 1);
    rule.name = name;
    for (int n = 2; !taken.insert(rule.name).second; n++) rule.name = fmt::format("{}.{}", name, n);
    if (auto moved = switched_.find(rule.name); moved != switched_.end()) {
      if (moved->second.first == content_of(rule))
        rule.enabled = moved->second.second;
      else
        switched_.erase(moved);
    }
    mark(entry);
    go_on(entry, counts);
    entries_.push_back(std::move(entry));
  }
}

void Rulebook::changed(const std::vector<Entry>& before, const std::vector<Entry>& after) {
  version_++;
  std::unordered_map<std::string_view, const Entry*> was;
  for (auto& entry : before) was.emplace(entry.rule.name, &entry);
  for (auto& entry : after) {
    auto at = was.find(entry.rule.name);
    if (at == was.end() || at->second->etag != entry.etag)
      changes_.push_back({entry.rule.name, at == was.end() ? "" : json_of(*at->second).dump(), json_of(entry).dump()});
    if (at != was.end()) was.erase(at);
  }
  for (auto& entry : before)
    if (was.contains(entry.rule.name)) changes_.push_back({entry.rule.name, json_of(entry).dump(), ""});
}

const Rulebook::Entry* Rulebook::named(std::string_view name) const {
  auto at = std::ranges::find_if(entries_, [&](auto& entry) { return entry.rule.name == name; });
  return at == entries_.end() ? nullptr : &*at;
}
std::vector<Rulebook::Entry>::iterator Rulebook::find(std::string_view name) {
  return std::ranges::find_if(entries_, [&](auto& entry) { return entry.rule.name == name; });
}

std::vector<proxy::RuleSettings> Rulebook::in_force() const {
  std::vector<proxy::RuleSettings> all;
  for (auto& entry : entries_)
    if (entry.rule.enabled) {
      all.push_back(rule_settings(services_, entry.rule));
      all.back().counts = entry.counts;
    }
  return all;
}

std::string Rulebook::etag() const { return fmt::format("\"{}-{}\"", hex(start_, 12), version_); }

Granted<Rulebook::Entry> Rulebook::read(const std::string& name, std::string_view text) const {
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return refuse(400, fmt::format("rule \"{}\": expected JSON", name));
  if (!json.is_object()) return refuse(400, fmt::format("rule \"{}\": expected an object", name));
  if (auto key = key_said_twice(text)) return said_twice(*key);
  if (!is_rule_name(name)) return refuse(400, fmt::format("name: {}, found \"{}\"", kRuleName, name.substr(0, 80)));
  if (json.contains("name") && json["name"] != name)
    return refuse(400, fmt::format("rule \"{}\": name: expected the same name as in the path", name));
  // What a rule is told as may be said back.
  for (auto told : {"from", "etag", "counts"}) json.erase(told);
  toml::table table;
  if (auto wrong = into(table, json)) return refuse(400, fmt::format("rule \"{}\": {}", name, *wrong));
  trace::Errors errors;
  auto shown = fmt::format("rule \"{}\"", name);
  Entry entry{.rule = read_rule(ConfigTable(table, shown, "", errors)), .from = From::operators, .etag = {}};
  if (!errors.empty()) {  // its place reads ":LINE: rule "NAME" KEY": no line of a file is meant
    auto& [line, error] = errors.front();
    return refuse(400, fmt::format("{}: {}", error.on.substr(error.on.find(' ') + 1), error.what));
  }
  auto& rule = entry.rule;
  rule.name = name;
  if (!rule.service.empty() && !services_.named(rule.service) && !where_of(rule.service)) {
    std::vector<std::string_view> names;
    for (auto& s : services_.services) names.push_back(s.name);
    return refuse(
        400, fmt::format("{} match service: expected the NAME of a [service.NAME], or host:port, found \"{}\"{}", shown,
                         rule.service, did_you_mean(rule.service, names)));
  }
  if (auto why = beyond_its_listeners(services_, rule); !why.empty())
    return refuse(400, fmt::format("{} inject: {}", shown, why));
  if (auto ok = is_careful(rule); !ok) return refuse(400, ok.error().line());
  mark(entry);
  return entry;
}

Granted<bool> Rulebook::put(const std::string& name, std::string_view text, const Conditions& conditions) {
  auto entry = read(name, text);
  if (!entry) return std::unexpected(entry.error());
  auto at = find(name);
  bool there = at != entries_.end();
  if (auto etag = there ? at->etag : ""; !holds(etag, conditions))
    return does_not_hold(fmt::format("rule \"{}\"", name), etag, conditions);
  if (there && at->from != From::operators)
    return refuse(409, fmt::format("rule \"{}\" is of the {}: change it there, or disable it", name,
                                   at->from == From::file ? "file" : "command line"));
  if (there && at->etag == entry->etag) return false;
  auto operators = std::ranges::find_if(entries_, [](auto& e) { return e.from != From::operators; });
  if (!there && static_cast<std::size_t>(operators - entries_.begin()) >= kMost)
    return refuse(409, fmt::format("expected at most {} rules of operators", kMost));
  if (there) entry->counts = at->counts;
  changed(there ? std::vector{*at} : std::vector<Entry>{}, {*entry});
  if (there)
    *at = std::move(*entry);
  else
    entries_.insert(operators, std::move(*entry));
  return true;
}

Granted<bool> Rulebook::put_all(std::string_view text, const Conditions& conditions) {
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_array()) return refuse(400, "expected a JSON array of rules");
  if (auto key = key_said_twice(text)) return said_twice(*key);
  if (json.size() > kMost) return refuse(400, fmt::format("expected at most {} rules, found {}", kMost, json.size()));
  if (!holds(etag(), conditions)) return does_not_hold("the list of rules", etag(), conditions);
  std::vector<Entry> next;
  auto counts = counts_of(entries_);
  std::set<std::string> names;
  for (auto& entry : entries_)
    if (entry.from != From::operators) names.insert(entry.rule.name);
  for (std::size_t i = 0; i < json.size(); i++) {
    auto& one = json[i];
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string())
      return refuse(400, fmt::format("rule {}: expected an object with a name", i + 1));
    auto name = one["name"].get<std::string>();
    auto entry = read(name, one.dump());
    if (!entry) return std::unexpected(entry.error());
    if (!names.insert(name).second)
      return refuse(409, fmt::format("rule \"{}\": expected a name of its own: another rule has this one", name));
    go_on(*entry, counts);
    next.push_back(std::move(*entry));
  }
  auto file = std::ranges::find_if(entries_, [](auto& e) { return e.from != From::operators; });
  bool same = std::ranges::equal(next.begin(), next.end(), entries_.begin(), file, {}, &Entry::etag, &Entry::etag);
  if (same) return false;
  std::copy(file, entries_.end(), std::back_inserter(next));
  changed(entries_, next);
  entries_ = std::move(next);
  return true;
}

Granted<bool> Rulebook::erase(const std::string& name, const Conditions& conditions) {
  auto at = find(name);
  bool there = at != entries_.end();
  if (auto etag = there ? at->etag : ""; !holds(etag, conditions))
    return does_not_hold(fmt::format("rule \"{}\"", name), etag, conditions);
  if (!there) return false;
  if (at->from != From::operators)
    return refuse(409, fmt::format("rule \"{}\" is of the {}: disable it, or take it out there", name,
                                   at->from == From::file ? "file" : "command line"));
  changed({*at}, {});
  entries_.erase(at);
  return true;
}

Granted<bool> Rulebook::enable(const std::string& name, bool enabled, const Conditions& conditions) {
  auto at = find(name);
  if (at == entries_.end()) return refuse(404, fmt::format("there is no rule \"{}\"", name));
  if (!holds(at->etag, conditions)) return does_not_hold(fmt::format("rule \"{}\"", name), at->etag, conditions);
  if (at->rule.enabled == enabled) return false;
  auto before = *at;
  at->rule.enabled = enabled;
  if (at->from != From::operators) switched_[name] = {content_of(at->rule), enabled};
  mark(*at);
  changed({before}, {*at});
  return true;
}

}  // namespace retrial::campaign
