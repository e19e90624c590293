#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "checkers/checker.h"
#include "proxy/server/settings.h"
#include "trace/exchange.h"
#include "trace/profiles/openapi.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

// retrial.toml as values (docs/configuration.md has every key). What the file leaves out has its default here.

struct RunSettings {
  std::string coverage;  // c0 to c4; empty: c0, and then what c4 has more as long as that is cheap
  bool once = false;     // of what that covers each call site once
  std::vector<std::string>
      policies;     // as policies::policy_named knows them, in the order to be tried; empty: the usual ones
  int workers = 0;  // 0: one a core
  trace::Confidence fail_on = trace::Confidence::likely;
  // How long a stalled exchange is held, in the client's time. `hold` of the file sets both.
  Nanos hold = 30 * kSecond;
  Nanos client_hold = 7200 * kSecond;  // where its clock is moved there within some seconds
  Nanos budget = 0;                    // 0: none
  bool alone = false;                  // every case in runs of its own
  bool verbose = false;                // a line for each case as it is decided
  bool keep_tags = false;              // tags = "keep": the service sees the agents' headers
  bool real_time = false;              // clients' clocks are never moved (docs/time.md)
  std::vector<std::string> look;       // --look: URLs, as Config::looks
  // Installed packages that are the application; empty: the one that the project's own files name (docs/agents.md).
  std::vector<std::string> application;
};

// When a service that we started counts as up.
struct Ready {
  enum class Kind { at_once, tcp, http, log, command };
  Kind kind = Kind::at_once;
  std::string text;  // http: the path; log: a regular expression (ECMAScript); command: for sh -c
};

// How a service is brought back to its first state between cases.
struct Reset {
  enum class Kind { none, restart, command };
  Kind kind = Kind::none;
  std::string command;  // for sh -c
};

struct Service {
  std::string name;         // of [service.name]
  std::string address;      // "127.0.0.1:10001", for serve also "queue.internal:443"; empty: not said
  bool https = false;       // the address was said with https:// or h2://
  bool http2 = false;       // with h2c:// or h2://
  std::string server_name;  // its name in TLS, where that is not the address's host; serve only
  proxy::ServiceTlsSettings security;
  std::string profile;                             // empty: found from the traffic
  std::set<std::string, std::less<>> trees;        // of `paths`: as trace::Lessons
  std::shared_ptr<const trace::OpenApi> openapi;   // its errors; null: not said
  std::vector<std::string> look;                   // paths that it is asked for at the end of a run of one test
  std::optional<std::string> start;                // for sh -c; none: the service is used as it stands
  std::filesystem::path data;                      // the folder that it keeps its data in; empty: not said
  Ready ready;                                     // tcp where `start` and `address` are given and it is not
  Reset reset;                                     // restart where `data` is given and it is not
  bool allow = false;                              // faults may reach it though it is not local
  Nanos connect_timeout = 0, resolve_timeout = 0;  // serve only; 0: as ServeSettings has them
  proxy::Bounds bounds;                            // serve only; of each that is 0: as SafetySettings has it
};

// A process that the workload starts, and that may be ended by a fault (crash).
struct Process {
  std::string name;     // of [process.name]
  std::string match;    // is in its command line, words and blanks
  std::string restart;  // for sh -c; {} stands for the command line that it had
};

struct Accept {
  std::string finding;  // eight hex digits
  std::string why;
};

// [redact]: what of the traffic is not kept, beside what docs/redaction.md tells.
struct RedactSettings {
  std::vector<std::string> names;  // of headers, query keys and fields
  bool bodies = true;              // false: no body is kept
  bool operator==(const RedactSettings&) const = default;
};

// [serve]: what holds for all of its listeners.
struct ServeSettings {
  int loops = 0;  // 0: one a core
  bool pristine = false;
  std::size_t head_size = 256u << 10;
  std::size_t header_count = 1000;
  std::uint64_t body = 0;  // 0: no limit
  Nanos head_timeout = 60 * kSecond;
  Nanos idle_timeout = 300 * kSecond;
  Nanos body_timeout = 60 * kSecond;
  std::size_t memory = 128u << 20;  // bytes of heap
  std::size_t max_connections = 0;  // 0: as many as descriptors allow
  // Two lost SYNs (sent again after 1 s and 3 s, tcp(7)) or two rounds of the name servers; Envoy and HAProxy's
  // examples have the same.
  Nanos connect_timeout = 5 * kSecond, resolve_timeout = 5 * kSecond;
  std::vector<std::string> allow;               // proxy::AllowList: where faults may go besides local addresses
  std::optional<std::uint64_t> seed;            // none: a new one at each start
  std::string record;                           // a folder; empty: .retrial/serve-<time>; "none": nothing is recorded
  std::uint64_t keep = std::uint64_t{1} << 30;  // bytes of trace that are kept
  Nanos drain = 8 * kSecond;
  bool judge = false;  // while it runs
  bool operator==(const ServeSettings&) const = default;
};

// [admin]: how a running `serve` is spoken to (docs/admin.md). Without the table, and without --admin, it is not.
struct AdminSettings {
  std::string listen;       // "unix:/path", "127.0.0.1:9900", "127.0.0.1:0"; empty: there is no admin side
  std::string token;        // a file; empty: token_file()
  std::string certificate;  // PEM; where `listen` is not on this machine
  std::string key;
  std::vector<std::string> hosts;  // names that it is called by, beside its address and localhost
  std::string toxiproxy;           // an address for clients of Toxiproxy; empty: none
  static constexpr auto kSocket = "unix:.retrial/admin.sock";  // where nothing else is said
  std::string token_file() const { return token.empty() ? ".retrial/admin.token" : token; }
  bool operator==(const AdminSettings&) const = default;
};

// [safety]: when faults are injected, and how many (proxy/server/safety.h).
struct SafetySettings {
  std::optional<Nanos> ttl;  // none said: kTtl with an admin side, else for ever
  proxy::Bounds bounds;
  std::string armed_file;  // is there while faults are on: removing it turns them off; empty: none
  std::string audit;       // a file; empty: the log alone
  static constexpr Nanos kTtl = Nanos{15} * 60 * kSecond;
  static constexpr Nanos kMostTtl = Nanos{24} * 60 * 60 * kSecond;  // beyond it nobody remembers that they are on
  bool operator==(const SafetySettings&) const = default;
};

// [telemetry]: what a `serve` tells others of each exchange (docs/admin.md).
struct TelemetrySettings {
  std::string access_log;  // a file, "-" for stdout; empty: none
  std::string access_format = "json";
  std::string traces;  // URL of an OTLP/HTTP receiver; empty: none
  policies::Share traces_share = policies::kAlways;
  std::string traces_service = "retrial";
  bool calls = false;  // calls, retries and gaps are counted all the time, not only while somebody looks
  bool always() const { return calls || !access_log.empty() || !traces.empty(); }
  bool operator==(const TelemetrySettings&) const = default;
};

struct Listener {
  proxy::Mode mode = proxy::Mode::reverse;
  std::string listen;   // as it was written
  std::string service;  // [service.NAME]; reverse, and (may be empty) envoy
  proxy::Protocol protocol = proxy::Protocol::http;
  std::vector<std::string> to;  // proxy::AllowList: where requests may go; forward only, empty: to loopback
};

struct Rule {
  std::string service;  // [service.NAME], or "host:port"; empty: any
  proxy::Match match;   // all but the service
  policies::FaultPlan inject;
  std::string name = {};  // empty: by its place in the file
  bool enabled = true;
  bool at_will = false;  // --inject: the command line means all services that it names
};

struct Config {
  RunSettings run;
  ServeSettings serve;
  AdminSettings admin;
  SafetySettings safety;
  TelemetrySettings telemetry;
  std::vector<Listener> listeners;
  std::vector<Rule> rules;
  std::vector<Service> services;  // in the order of the file
  std::vector<Process> processes;
  std::vector<Accept> accepted;
  RedactSettings redact;
  std::vector<checkers::Checker> checkers;                      // of [checks] file
  std::vector<std::shared_ptr<const trace::Profile>> profiles;  // of [profile.NAME]

  bool accepts(std::string_view finding) const;
  // The service at this address, or null.
  const Service* at(std::string_view address) const;
  const Service* named(std::string_view service) const;  // or null
  // What is asked at the end of each run of one test: URLs of the services' `look`, and of --look.
  std::vector<std::string> looks() const;
  // All services' trees.
  std::set<std::string, std::less<>> trees() const;
  // Addresses of services that are said to have no errors of their own: profile = "generic".
  std::set<std::string> bare() const;
};

struct Checked {
  Config config;              // of use only if there are no errors
  std::vector<Error> errors;  // by line; each Error::line() reads `retrial.toml:3: [run] fail_on: expected …`
};

// Every error of the text at once (for `retrial check`). A TOML syntax error stands alone. `file_name` is for the
// messages.
Checked check_config(std::string_view text, std::string_view file_name);
// The first error, blamed on the user, or the configuration.
Result<Config> parse_config(std::string_view text, std::string_view file_name);
Result<Config> load_config(const std::filesystem::path& file);

// From now on this process redacts so. Before any thread redacts; once.
void redact_as(const RedactSettings& settings);

}  // namespace retrial::campaign
