#include "campaign/config/config_serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "base/text.h"
#include "campaign/config/config_values.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServeKeys[] = {"loops",
                                           "pristine",
                                           "head_size",
                                           "header_count",
                                           "body",
                                           "head_timeout",
                                           "idle_timeout",
                                           "seed",
                                           "record",
                                           "keep",
                                           "drain",
                                           "connect_timeout",
                                           "resolve_timeout",
                                           "allow",
                                           "body_timeout",
                                           "memory",
                                           "max_connections",
                                           "judge"};
constexpr std::size_t kLeastMemory = 32u << 20;  // the process itself takes 8, and reads 64 KiB a connection at once
constexpr std::string_view kListenerKeys[] = {"mode", "listen", "service", "protocol", "to"};
constexpr std::string_view kRuleKeys[] = {"name", "enabled", "match", "inject"};
constexpr std::string_view kMatchKeys[] = {"service",   "method",    "path", "host",
                                           "operation", "call_site", "test", "opt_in"};
constexpr std::string_view kModes[] = {"reverse", "forward", "redirect", "tproxy", "envoy"};
constexpr std::string_view kProtocols[] = {"http", "auto", "tcp"};

template <class T>
T at_index(trace::Words words, const std::string& word) {
  return static_cast<T>(std::find(words.begin(), words.end(), word) - words.begin());
}

// What is wrong with a file that should hold this kind of PEM, or "".
std::string wrong_with_pem(const fs::path& path, std::string_view kind) {
  std::error_code error;
  if (!fs::exists(path, error)) return "there is no such file";
  if (!fs::is_regular_file(path, error)) return "it is no file";
  std::ifstream in(path, std::ios::binary);
  if (!in) return "it cannot be read";
  std::string text(std::istreambuf_iterator<char>(in), {});
  for (std::size_t at = 0; (at = text.find("-----BEGIN ", at)) != text.npos; at += 11)
    if (std::string_view(text).substr(at, 64).find(kind) != std::string_view::npos) return "";
  return fmt::format("it holds no PEM \"BEGIN {}\"", kind);
}

fs::path pem(ConfigTable& table, std::string_view key, std::string_view file, std::string_view kind) {
  auto text = table.text(key);
  if (!text) return {};
  auto path = fs::path(file).parent_path() / *text;
  if (auto why = wrong_with_pem(path, kind); !why.empty())
    table.refuse(key, fmt::format("expected a PEM file with a {} ({})", lower(kind), why));
  return path;
}

// A list of places on the network.
std::vector<std::string> places(ConfigTable& table, std::string_view key) {
  auto texts = table.texts(key);
  if (auto read = proxy::AllowList::read(texts); !read) table.refuse(key, read.error());
  return texts;
}

bool is_pin(std::string_view text) {
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!text.starts_with("sha256/") || text.size() != 7 + 44 || text.back() != '=') return false;
  return text.substr(7, 43).find_first_not_of(kBase64) == text.npos;
}

}  // namespace

bool is_rule_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(kLetters) == text.npos && text.front() != '.';
}

void read_security(ConfigTable& table, std::string_view file, Service& service) {
  auto& security = service.security;
  security.ca = pem(table, "ca", file, "CERTIFICATE");
  security.certificate = pem(table, "certificate", file, "CERTIFICATE");
  security.key = pem(table, "key", file, "PRIVATE KEY");
  service.server_name = table.text("server_name").value_or("");
  if (!service.server_name.empty() && !where_of(service.server_name + ":443"))
    table.refuse("server_name", "expected a name or an address, such as \"queue.example\"");
  security.verify = table.yes("verify").value_or(true);
  security.close_notify = table.yes("close_notify").value_or(true);
  security.pins = table.texts("pin");
  if (!std::all_of(security.pins.begin(), security.pins.end(), is_pin))
    table.refuse("pin", "expected \"sha256/\" and the base64 SHA-256 of the service's public key, 44 characters");
  if (table.has("certificate") != table.has("key"))
    table.refuse(table.has("key") ? "key" : "certificate", "expected certificate and key together");
  if (!security.verify && table.has("ca"))
    table.refuse("ca", "expected no ca beside verify = false: nothing would be verified");
}

void read_serve(ConfigTable table, ServeSettings& serve) {
  table.only(kServeKeys);
  if (auto loops = table.number("loops", 1, 1024)) serve.loops = static_cast<int>(*loops);
  serve.pristine = table.yes("pristine").value_or(serve.pristine);
  if (auto size = table.size("head_size", "256KiB")) serve.head_size = *size;
  if (auto count = table.number("header_count", 1, 1'000'000)) serve.header_count = static_cast<std::size_t>(*count);
  if (auto size = table.size("body", "100MiB")) serve.body = *size;
  if (auto time = table.duration("head_timeout", "60s")) serve.head_timeout = *time;
  if (auto time = table.duration("idle_timeout", "10m")) serve.idle_timeout = *time;
  if (auto time = table.duration("body_timeout", "60s")) serve.body_timeout = *time;
  if (auto size = table.size("memory", "128MiB")) serve.memory = *size;
  if (serve.memory < kLeastMemory)
    table.refuse("memory", fmt::format("expected at least \"{}\"", show_size(kLeastMemory)));
  if (auto count = table.number("max_connections", 1, 10'000'000))
    serve.max_connections = static_cast<std::size_t>(*count);
  if (auto time = table.duration("connect_timeout", "5s")) serve.connect_timeout = *time;
  if (auto time = table.duration("resolve_timeout", "5s")) serve.resolve_timeout = *time;
  serve.allow = places(table, "allow");
  if (auto seed = table.number("seed", 0, INT64_MAX)) serve.seed = static_cast<std::uint64_t>(*seed);
  if (auto folder = table.text("record")) serve.record = *folder;
  if (auto size = table.size("keep", "1GiB")) serve.keep = *size;
  auto least = proxy::least_keep(std::max(serve.loops, 1), serve.head_size);
  if (serve.record != "none" && serve.keep < least) {
    if (table.has("keep"))
      table.refuse("keep", fmt::format("expected at least \"{}\": 64KiB for each loop, and four times head_size",
                                       show_size(least)));
    else
      table.refuse("head_size", "expected at most a quarter of keep");
  }
  if (auto time = table.duration("drain", "8s")) serve.drain = *time;
  serve.judge = table.yes("judge").value_or(false);
}

Listener read_listener(ConfigTable table) {
  table.only(kListenerKeys);
  Listener listener;
  auto mode = table.word("mode", kModes);
  if (mode) listener.mode = at_index<proxy::Mode>(kModes, *mode);
  if (!table.has("mode"))
    table.refuse("mode", "expected \"reverse\", \"forward\", \"redirect\", \"tproxy\" or \"envoy\"");
  if (auto listen = table.text("listen")) listener.listen = *listen;
  if (!table.has("listen") || (!listener.listen.empty() && !listen_of(listener.listen)))
    table.refuse("listen", "expected an address and a port, such as \"127.0.0.1:8001\", \"[::1]:8001\" or \":8001\"");
  listener.service = table.text("service").value_or("");
  bool reverse = listener.mode == proxy::Mode::reverse;
  listener.protocol = reverse ? proxy::Protocol::http : proxy::Protocol::automatic;
  if (auto protocol = table.word("protocol", kProtocols))
    listener.protocol = at_index<proxy::Protocol>(kProtocols, *protocol);
  listener.to = places(table, "to");
  if (mode && listener.mode != proxy::Mode::forward && table.has("to"))
    table.refuse("to", "expected none: only a forward listener is told by its clients where to go");
  if (mode && reverse && !table.has("service"))
    table.refuse("service", "expected the [service.NAME] that a reverse listener is for");
  bool envoy = listener.mode == proxy::Mode::envoy;
  if (mode && !reverse && !envoy && table.has("service"))
    table.refuse("service",
                 "expected none: requests say themselves where they go, unless the mode is \"reverse\" or \"envoy\"");
  if (envoy && table.has("protocol"))
    table.refuse("protocol", "expected none: an Envoy speaks gRPC to this listener, whatever it carries itself");
  if (listener.mode == proxy::Mode::forward && table.has("protocol") && listener.protocol == proxy::Protocol::tcp)
    table.refuse("protocol", "expected \"http\" or \"auto\": a forward listener has to read where a request goes");
  return listener;
}

Rule read_rule(ConfigTable table) {
  table.only(kRuleKeys);
  Rule rule;
  rule.name = table.text("name").value_or("");
  if (!rule.name.empty() && !is_rule_name(rule.name)) table.refuse("name", std::string(kRuleName));
  rule.enabled = table.yes("enabled").value_or(true);
  if (auto match = table.table("match")) {
    match->only(kMatchKeys);
    auto& m = rule.match;
    rule.service = match->text("service").value_or("");
    m.method = match->text("method").value_or("");
    m.path = match->text("path").value_or("");
    m.host = lower(match->text("host").value_or(""));
    m.operation = match->text("operation").value_or("");
    m.call_site = match->text("call_site").value_or("");
    m.test = match->text("test").value_or("");
    m.opt_in = match->yes("opt_in").value_or(false);
    if (!m.path.empty() && m.path.front() != '/' && m.path.front() != '*')
      match->refuse("path", "expected a path that begins with / or *");
    if (m.path.find('?') != std::string::npos)
      match->refuse("path", "expected a path without a query: a rule sees none");
  }
  auto inject = table.text("inject");
  if (!table.has("inject")) table.refuse("inject", "expected a fault, such as \"error(503) x 2, then pass\"");
  if (!inject) return rule;
  auto plan = policies::parse_fault_plan(*inject);
  if (!plan) {
    table.refuse("inject", plan.error().line());
    return rule;
  }
  rule.inject = std::move(*plan);
  auto& m = rule.match;
  bool of_requests = m.opt_in || !m.method.empty() || !m.path.empty() || !m.host.empty() || !m.operation.empty() ||
                     !m.call_site.empty() || !m.test.empty();
  if (policies::strikes_connections(rule.inject) && of_requests)
    table.refuse(
        "inject",
        "expected a fault of requests, or a match by service alone: a connection is made before any request is known");
  return rule;
}

void check_services(const Config& config, std::vector<ConfigTable>& listeners, std::vector<ConfigTable>& rules) {
  std::vector<std::string_view> names;
  for (auto& s : config.services) names.push_back(s.name);
  std::set<std::string> taken;
  for (std::size_t i = 0; i < listeners.size(); i++) {
    auto& l = config.listeners[i];
    if (auto* service = config.named(l.service); !l.service.empty() && !service)
      listeners[i].refuse("service", "expected the NAME of a [service.NAME]", did_you_mean(l.service, names));
    else if (service && service->address.empty())
      listeners[i].refuse("service", "expected a service with an address");
    auto at = listen_of(l.listen);
    if (at && at->front().port() != 0 && !taken.insert(at->front().show()).second)
      listeners[i].refuse("listen", "expected an address of its own: another [[listener]] has this one");
  }
  std::set<std::string> rule_names;
  for (std::size_t i = 0; i < rules.size(); i++) {
    auto& name = config.rules[i].name;
    if (!name.empty() && !rule_names.insert(name).second)
      rules[i].refuse("name", "expected a name of its own: another [[rule]] has this one");
    auto& service = config.rules[i].service;
    if (service.empty() || config.named(service) || where_of(service)) continue;
    if (auto match = rules[i].table("match"))
      match->refuse("service", "expected the NAME of a [service.NAME], or host:port", did_you_mean(service, names));
  }
}

}  // namespace retrial::campaign
