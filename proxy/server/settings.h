#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "certs/authority.h"
#include "policies/fault_plan.h"
#include "proxy/proxy.h"
#include "proxy/server/safety.h"
#include "trace/profiles/openapi.h"

namespace retrial::proxy {

// What a Server is to do, as plain values. Where it came from (a file, the command line) is not known here.

enum class Mode : std::uint8_t {
  reverse,   // all of it goes to one service
  forward,   // the request says where to
  redirect,  // netfilter's REDIRECT sent it here: SO_ORIGINAL_DST says where it meant to go
  tproxy,    // netfilter's TPROXY: the local address of the connection is where it meant to go
  envoy,     // no proxy: an Envoy asks by gRPC what to do with its requests (docs/staging-mesh.md)
};
std::string_view show(Mode mode);

// A service by its address.
struct ServiceSettings {
  std::string name;  // of [service.name]; may be empty
  std::string host;  // a name, or an address without brackets
  std::uint16_t port = 0;
  bool tls = false;
  bool http2 = false;  // as Route::http2
  // These as Route has them.
  std::string server_name;
  bool allow = false;
  Nanos connect_timeout = 0, resolve_timeout = 0;
  ServiceTlsSettings security;
  std::string profile;  // empty: found from the traffic
  bool operator==(const ServiceSettings&) const = default;
};

struct ListenerSettings {
  Mode mode = Mode::reverse;
  Address at;  // port 0: the kernel's choice
  Protocol protocol = Protocol::http;
  ServiceSettings service;              // reverse; envoy: its host may be empty
  std::shared_ptr<const AllowList> to;  // as ListenerOptions::to
};

// Which requests a rule is for: all that is said must fit, and what is empty fits everything. Globs as in glob.h.
struct Match {
  std::vector<std::string> services;  // "host:port" as the trace has it; any of these
  std::string method;
  std::string path;       // glob; the target without its query
  std::string host;       // glob, in lower case; without port unless it has one itself
  std::string operation;  // glob
  std::string call_site;  // glob of the file, or of file:line, of any frame of the chain
  std::string test;       // glob
  bool opt_in = false;    // it says so itself: kOptIn with a value other than "0" and "false"
  bool operator==(const Match&) const = default;
};
struct RuleCounts;
struct RuleSettings {
  Match match;
  policies::FaultPlan plan;
  std::string name = {};                    // by which operators call it
  std::shared_ptr<RuleCounts> counts = {};  // whoever gives some keeps them; none: they are the server's
  // The same rule, whatever its name.
  bool operator==(const RuleSettings& other) const { return match == other.match && plan == other.plan; }
};

struct Recording {
  std::filesystem::path folder;     // where segments are written
  std::uint64_t keep = 1ull << 30;  // bytes that all segments there have at most, at any time; the oldest go
  std::size_t segment_bytes = 2u << 20;
  std::vector<std::filesystem::path> earlier = {};  // folders whose segments count too; the oldest first
};
// The least `keep`: 64 KiB for each loop, and room for records of the largest head.
std::uint64_t least_keep(int loops, std::size_t head_limit);

struct ServerSettings {
  std::vector<ListenerSettings> listeners;
  std::vector<ServiceSettings> services;        // where listeners that are not `reverse` may lead
  std::vector<RuleSettings> rules;              // the first that matches
  std::map<std::string, std::string> profiles;  // by "host:port"
  trace::Descriptions descriptions;             // of services that no profile knows
  Options options;                              // but for TLS and ids, which the server fills in
  int loops = 0;                                // threads; 0: one a core
  std::size_t memory = 0;                       // bytes of heap that all loops may use; 0: no bound
  std::size_t most_connections = 0;             // of clients, of all loops; 0: as many as descriptors allow
  std::optional<certs::Authority> authority;    // signs what clients are shown; none: their TLS is a tunnel
  std::optional<Recording> recording;           // none: nothing is recorded
  Nanos drain = 8 * kSecond;                    // how long connections may go on after drain()
  std::uint64_t seed = 0;                       // of percentages and distributions
  SafetySettings safety;
  bool metered = false;  // services are counted (Server::counts): for whoever looks, and for bounds
};

}  // namespace retrial::proxy
