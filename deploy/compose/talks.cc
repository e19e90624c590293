#include "deploy/compose/talks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace retrial::deploy {
namespace {

bool of_host(char c) {
  return c == '-' || c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Place {
  std::string scheme, host;
  std::optional<std::uint16_t> port;
};

// What in a text looks like SCHEME://[USER@]HOST[:PORT], HOST:PORT, or is HOST alone.
std::vector<Place> places_in(std::string_view text) {
  std::vector<Place> out;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!of_host(text[i])) {
      i++;
      continue;
    }
    auto begin = i;
    while (i < text.size() && of_host(text[i])) i++;
    auto word = text.substr(begin, i - begin);
    Place place;
    if (text.substr(i).starts_with("://")) {
      place.scheme = lower(word);
      i += 3;
      auto rest = text.substr(i, text.find_first_of("/?#, \"'", i) - i);
      auto at = rest.rfind('@');
      if (at != rest.npos) i += at + 1;
      begin = i;
      while (i < text.size() && of_host(text[i])) i++;
      word = text.substr(begin, i - begin);
    }
    place.host = std::string(word);
    if (i < text.size() && text[i] == ':') {
      auto end = i + 1;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') end++;
      if (auto port = to_int(text.substr(i + 1, end - i - 1)); port && *port > 0 && *port < 65536) {
        place.port = static_cast<std::uint16_t>(*port);
        i = end;
      }
    }
    out.push_back(std::move(place));
    if (!out.back().scheme.empty())  // a path may hold any word
      while (i < text.size() && text[i] != ',' && text[i] != ' ' && text[i] != '"' && text[i] != '\'') i++;
  }
  return out;
}

constexpr std::array<std::string_view, 4> kSpoken{"http", "https", "h2c", "grpc"};
// Ports of services that speak none of these, and often speak first.
struct Other {
  std::uint16_t port;
  std::string_view what;
};
constexpr std::array kOthers{Other{5432, "PostgreSQL"}, Other{3306, "MySQL"},      Other{6379, "Redis"},
                             Other{5672, "AMQP"},       Other{27017, "MongoDB"},   Other{9092, "Kafka"},
                             Other{11211, "memcached"}, Other{1433, "SQL Server"}, Other{2181, "ZooKeeper"},
                             Other{25, "SMTP"},         Other{1025, "SMTP"},       Other{4222, "NATS"},
                             Other{1883, "MQTT"},       Other{9042, "Cassandra"}};

std::string_view other_at(std::uint16_t port) {
  auto it = std::ranges::find(kOthers, port, &Other::port);
  return it == kOthers.end() ? std::string_view() : it->what;
}

class Finder {
 public:
  explicit Finder(const ComposeFile& file) : file_(file) {}

  Talks find() && {
    for (auto& caller : file_.services) {
      for (auto& [key, value] : caller.environment) in(caller, value, "environment " + key);
      for (auto& word : caller.words) in(caller, word, "command");
      for (auto& [alias, service] : caller.links) without_port(caller, service, alias, "links");
      for (auto& service : caller.depends_on) without_port(caller, service, service, "depends_on");
    }
    std::ranges::stable_sort(talks_.all, {}, [](auto& t) { return std::tie(t.service, t.caller, t.port); });
    return std::move(talks_);
  }

 private:
  const ComposeService* service_named(const ComposeService& caller, const std::string& name) const {
    auto link = caller.links.find(name);
    auto* service = file_.called(link == caller.links.end() ? name : link->second);
    return service == &caller ? nullptr : service;
  }

  void in(const ComposeService& caller, const std::string& text, const std::string& where) {
    for (auto& place : places_in(text)) {
      auto* service = service_named(caller, place.host);
      if (!service) continue;
      bool spoken = place.scheme.empty() || std::ranges::find(kSpoken, place.scheme) != kSpoken.end();
      if (!spoken) {
        leave(caller, *service, fmt::format("{} is no HTTP", place.scheme));
      } else if (place.port) {
        talk(caller, *service, place, *place.port, where);
      } else if (!place.scheme.empty()) {
        talk(caller, *service, place, place.scheme == "https" ? 443 : 80, where);
      } else if (auto port = port_beside(caller, where)) {
        talk(caller, *service, place, *port, where);
      } else if (place.host == text) {  // the whole value; a word in a sentence is none
        without_port(caller, service->name, place.host, where);
      }
    }
  }

  // API_PORT beside API_HOST.
  static std::optional<std::uint16_t> port_beside(const ComposeService& caller, const std::string& where) {
    auto name = where.substr(where.find(' ') + 1);
    for (std::string_view end : {"_HOST", "_HOSTNAME", "_SERVER", "_ADDR", "_ADDRESS"}) {
      if (!name.ends_with(end)) continue;
      auto it = caller.environment.find(name.substr(0, name.size() - end.size()) + "_PORT");
      auto port = it == caller.environment.end() ? std::nullopt : to_int(it->second);
      if (port && *port > 0 && *port < 65536) return static_cast<std::uint16_t>(*port);
    }
    return std::nullopt;
  }

  void without_port(const ComposeService& caller, const std::string& name, const std::string& alias,
                    const std::string& where) {
    auto* service = file_.called(name);
    if (!service || service == &caller) return;
    auto known = [&](auto& t) { return t.caller == caller.name && t.service == service->name; };
    if (std::ranges::any_of(talks_.all, known) || left(caller, *service)) return;
    if (service->ports.empty()) return leave(caller, *service, "the file does not say on which port: `expose` would");
    for (auto port : service->ports) talk(caller, *service, {{}, alias, port}, port, where);
  }

  void talk(const ComposeService& caller, const ComposeService& service, const Place& place, std::uint16_t port,
            const std::string& where) {
    if (auto what = other_at(port); !what.empty() && place.scheme.empty())
      return leave(caller, service, fmt::format("port {} is {}, no HTTP", port, what));
    if (!service.own_network || !caller.own_network)
      return leave(caller, service, "network_mode: one of them has no network of its own");
    bool meet = std::ranges::any_of(caller.networks, [&](auto& n) { return service.networks.contains(n); });
    if (!meet) return leave(caller, service, "they share no network");
    auto same = [&](auto& t) { return t.caller == caller.name && t.name == place.host && t.port == port; };
    if (std::ranges::any_of(talks_.all, same)) return;
    talks_.all.push_back(
        {caller.name, service.name, place.host, port, place.scheme == "grpc" ? "h2c" : place.scheme, where});
  }

  bool left(const ComposeService& caller, const ComposeService& service) const {
    auto begin = fmt::format("{} -> {}: ", caller.name, service.name);
    return std::ranges::any_of(talks_.left, [&](auto& line) { return line.starts_with(begin); });
  }
  void leave(const ComposeService& caller, const ComposeService& service, const std::string& why) {
    auto line = fmt::format("{} -> {}: {}", caller.name, service.name, why);
    if (std::ranges::find(talks_.left, line) == talks_.left.end()) talks_.left.push_back(line);
  }

  const ComposeFile& file_;
  Talks talks_;
};

}  // namespace

Talks talks_of(const ComposeFile& file) {
  auto talks = Finder(file).find();
  for (auto& line : file.unread) talks.left.push_back(line);
  return talks;
}

}  // namespace retrial::deploy
