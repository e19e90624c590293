#include "campaign/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "base/text.h"
#include "campaign/config/config_admin.h"
#include "campaign/config/config_serve.h"
#include "campaign/config/config_values.h"
#include "checkers/file.h"
#include "policies/policy.h"
#include "trace/profiles/profile.h"
#include "trace/profiles/profile_table.h"
#include "trace/recording/redact.h"
#include "trace/toml/toml.h"

namespace retrial::campaign {
namespace {
template <class T>
int line_of(const T& at) {
  return static_cast<int>(at.source().begin.line);
}

constexpr std::string_view kTables[] = {"run",  "serve",  "service", "profile", "process",   "accept", "listener",
                                        "rule", "redact", "admin",   "safety",  "telemetry", "checks"};
constexpr std::string_view kRunKeys[] = {"coverage", "once",   "policies", "workers",   "fail_on",
                                         "hold",     "budget", "tags",     "real_time", "application"};
constexpr std::string_view kServiceKeys[] = {"address",
                                             "profile",
                                             "openapi",
                                             "look",
                                             "paths",
                                             "start",
                                             "ready",
                                             "reset",
                                             "data",
                                             "allow",
                                             "ca",
                                             "pin",
                                             "verify",
                                             "certificate",
                                             "key",
                                             "server_name",
                                             "close_notify",
                                             "connect_timeout",
                                             "resolve_timeout",
                                             "faults_per_minute",
                                             "faults_share",
                                             "own_errors",
                                             "own_latency"};
constexpr std::string_view kChecksKeys[] = {"file"};
constexpr std::string_view kRedactKeys[] = {"names", "bodies"};
constexpr std::string_view kProfileFileKeys[] = {"file"};
constexpr std::string_view kProcessKeys[] = {"match", "restart"};
constexpr std::string_view kAcceptKeys[] = {"finding", "why"};
constexpr std::string_view kCoverages[] = {"c0", "c1", "c2", "c3", "c4"};
constexpr std::string_view kConfidences[] = {"certain", "likely", "possible"};
constexpr std::string_view kTags[] = {"strip", "keep"};

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& policy : policies::policies()) names.push_back(lower(policy.name));
  return names;
}

void read_run(ConfigTable table, RunSettings& run) {
  table.only(kRunKeys);
  if (auto coverage = table.word("coverage", kCoverages)) run.coverage = *coverage;
  run.once = table.yes("once").value_or(false);
  auto names = policy_names();
  std::vector<std::string_view> known(names.begin(), names.end());
  run.policies = table.words("policies", known);
  if (auto workers = table.number("workers", 1, 1024)) run.workers = static_cast<int>(*workers);
  if (auto level = table.word("fail_on", kConfidences))
    run.fail_on = *level == "certain"  ? trace::Confidence::certain
                  : *level == "likely" ? trace::Confidence::likely
                                       : trace::Confidence::possible;
  if (auto hold = table.duration("hold", "30s")) run.hold = run.client_hold = *hold;
  if (auto budget = table.duration("budget", "10m")) run.budget = *budget;
  if (auto tags = table.word("tags", kTags)) run.keep_tags = *tags == "keep";
  run.real_time = table.yes("real_time").value_or(false);
  run.application = table.texts("application");
}

void read_ready(ConfigTable& table, Service& service) {
  auto text = table.text("ready");
  if (!text) {
    if (service.start && !service.address.empty()) service.ready.kind = Ready::Kind::tcp;
    return;
  }
  auto ready = ready_of(*text);
  if (!ready) return table.refuse("ready", ready.error().expected, ready.error().hint);
  service.ready = *ready;
  auto kind = ready->kind;
  if ((kind == Ready::Kind::tcp || kind == Ready::Kind::http) && !table.has("address"))
    table.refuse("ready", "expected an address beside it, to connect to");
  if (kind == Ready::Kind::log && !service.start)
    table.refuse("ready", "expected a start command whose output log: can read");
}

void read_reset(ConfigTable& table, std::string_view file, Service& service) {
  if (auto data = table.text("data")) {
    service.data = std::filesystem::path(file).parent_path() / *data;
    service.reset.kind = Reset::Kind::restart;
    if (!service.start)
      table.refuse("data", "expected a start command beside it: what is put back is the folder of a stopped service");
  }
  auto text = table.text("reset");
  if (!text) return;
  auto reset = reset_of(*text);
  if (!reset) return table.refuse("reset", reset.error().expected, reset.error().hint);
  service.reset = *reset;
  if (reset->kind == Reset::Kind::restart && !service.start)
    table.refuse("reset", "expected a start command to restart the service with");
}

Result<std::string> text_of(const std::filesystem::path& file) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    return fail("expected a file, found a folder", file.string(), Blame::user);
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_errno("cannot be read", errno, file.string(), Blame::user);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
// The file that this key names; nothing where there is none, or it cannot be read.
std::optional<std::pair<std::string, std::string>> file_in(ConfigTable& table, std::string_view key,
                                                           std::string_view beside) {
  auto said = table.text(key);
  if (!said) return {};
  auto file = std::filesystem::path(beside).parent_path() / *said;
  auto text = text_of(file);
  if (text) return {{file.string(), std::move(*text)}};
  table.refuse(key, fmt::format("expected the path of a file, relative to this one ({})", text.error().what));
  return {};
}

void read_openapi(ConfigTable& table, std::string_view file, Service& service) {
  auto said = file_in(table, "openapi", file);
  if (!said) return;
  if (auto openapi = trace::OpenApi::parse(said->second, said->first))
    service.openapi = std::move(*openapi);
  else
    table.refuse("openapi", fmt::format("expected an OpenAPI description ({})", openapi.error().line()));
  if (service.address.empty() && !table.has("address"))
    table.refuse("address", "expected the address of what openapi describes");
}

void read_look(ConfigTable& table, Service& service) {
  service.look = table.texts("look");
  for (auto& path : table.texts("paths")) {
    if (!path.starts_with('/') || !path.ends_with("/**") || path.find_first_of("*?{") != path.size() - 2)
      table.refuse("paths", "expected paths that end in /**, as \"/files/**\"");
    else
      service.trees.insert(path.substr(0, path.size() - 3));
  }
  if (service.look.empty()) return;
  if (service.address.empty() || service.https || service.http2)
    table.refuse("look", "expected the address of a service in HTTP/1 and clear text beside it");
  for (auto& path : service.look)
    if (!path.starts_with('/') || path.find_first_of(" \t\r\n") != path.npos)
      table.refuse("look", "expected paths that the service is asked for at the end, such as [\"/orders\"]");
}

void read_service(ConfigTable table, std::string_view file, trace::Words profiles, Service& service) {
  table.only(kServiceKeys);
  if (auto text = table.text("address")) {
    if (auto where = where_of(*text)) {
      service.address = where->show();
      service.https = where->tls;
      service.http2 = where->http2;
      if (!where->literal && table.has("start"))
        table.refuse("address",
                     "expected an IP address where the service is started by us, such as \"127.0.0.1:10001\"");
    } else {
      table.refuse("address",
                   "expected a host and a port, such as \"127.0.0.1:10001\" or \"https://queue.example:443\"");
    }
  }
  read_security(table, file, service);
  service.bounds = read_bounds(table);
  service.profile = table.word("profile", profiles).value_or("");
  read_openapi(table, file, service);
  read_look(table, service);
  service.start = table.text("start");
  read_ready(table, service);
  read_reset(table, file, service);
  service.allow = table.yes("allow").value_or(false);
  if (auto time = table.duration("connect_timeout", "5s")) service.connect_timeout = *time;
  if (auto time = table.duration("resolve_timeout", "5s")) service.resolve_timeout = *time;
}

void read_process(ConfigTable table, Process& process) {
  table.only(kProcessKeys);
  process.match = table.text("match").value_or(process.name);
  if (process.match.empty()) table.refuse("match", "expected a part of its command line");
  auto restart = table.text("restart");
  if (!restart || restart->find_first_not_of(" \t") == restart->npos)
    table.refuse("restart", "expected a shell command that starts it again, {} for the command line that it had");
  else
    process.restart = *restart;
}

void read_redact(ConfigTable table, RedactSettings& redact) {
  table.only(kRedactKeys);
  redact.names = table.texts("names");
  if (!std::ranges::all_of(redact.names, trace::can_be_secret_name))
    table.refuse("names", "expected names of headers, query keys or fields, with a letter or a digit in each");
  redact.bodies = table.yes("bodies").value_or(true);
}

void read_checks(ConfigTable table, std::string_view file, std::vector<checkers::Checker>& checkers) {
  table.only(kChecksKeys);
  auto said = file_in(table, "file", file);
  if (!said) {
    if (!table.has("file")) table.refuse("file", "expected the file that `retrial learn` has written");
    return;
  }
  if (auto read = checkers::parse(said->second, said->first))
    checkers = std::move(*read);
  else
    table.refuse("file", fmt::format("expected checkers ({})", read.error().line()));
}

void read_accept(ConfigTable table, std::vector<Accept>& accepted) {
  table.only(kAcceptKeys);
  auto finding = table.text("finding");
  auto is_hex = [](const std::string& id) {
    return id.size() == 8 && id.find_first_not_of("0123456789abcdef") == id.npos;
  };
  if (!table.has("finding") || (finding && !is_hex(*finding)))
    table.refuse("finding", "expected a finding's id of eight hex digits, as the report shows it");
  if (finding) accepted.push_back({*finding, table.text("why").value_or("")});
}

// The file: its tables, each read by its own function. Errors are kept with their lines, to be told in order.
class File {
 public:
  explicit File(std::string_view name) : name_(name) {}

  Checked read(std::string_view text) {
    if (auto parsed = trace::parse_toml(text, name_, errors_)) {
      // The profiles first: services name them.
      for (const auto* profile : trace::builtin_profiles()) profile_names_.push_back(profile->name());
      if (const auto* profiles = parsed->get("profile")) read_profiles(parsed->find("profile")->first, *profiles);
      for (auto&& [key, node] : *parsed)
        if (key != "profile") read_table(key, node);
      check_services(config_, listeners_, rules_);
    }
    std::stable_sort(errors_.begin(), errors_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    Checked checked{std::move(config_), {}};
    for (auto& [line, error] : errors_) checked.errors.push_back(std::move(error));
    return checked;
  }

 private:
  void read_table(const toml::key& key, const toml::node& node) {
    auto name = key.str();
    if (name == "run") {
      if (const auto* table = node.as_table())
        read_run(ConfigTable(*table, "[run]", name_, errors_), config_.run);
      else
        complain(line_of(key), "run: expected a table [run]");
    } else if (name == "service") {
      if (const auto* table = node.as_table())
        read_services(*table);
      else
        complain(line_of(key), "service: expected tables [service.NAME], one a backing service");
    } else if (name == "process") {
      if (const auto* table = node.as_table())
        read_processes(*table);
      else
        complain(line_of(key), "process: expected tables [process.NAME], one a process that the tests start");
    } else if (name == "serve") {
      if (const auto* table = node.as_table())
        read_serve(ConfigTable(*table, "[serve]", name_, errors_), config_.serve);
      else
        complain(line_of(key), "serve: expected a table [serve]");
    } else if (name == "admin") {
      if (const auto* table = node.as_table())
        read_admin(ConfigTable(*table, "[admin]", name_, errors_), name_, config_.admin);
      else
        complain(line_of(key), "admin: expected a table [admin]");
    } else if (name == "safety") {
      if (const auto* table = node.as_table())
        read_safety(ConfigTable(*table, "[safety]", name_, errors_), config_.safety);
      else
        complain(line_of(key), "safety: expected a table [safety]");
    } else if (name == "telemetry") {
      if (const auto* table = node.as_table())
        read_telemetry(ConfigTable(*table, "[telemetry]", name_, errors_), config_.telemetry);
      else
        complain(line_of(key), "telemetry: expected a table [telemetry]");
    } else if (name == "redact") {
      if (const auto* table = node.as_table())
        read_redact(ConfigTable(*table, "[redact]", name_, errors_), config_.redact);
      else
        complain(line_of(key), "redact: expected a table [redact]");
    } else if (name == "checks") {
      if (const auto* table = node.as_table())
        read_checks(ConfigTable(*table, "[checks]", name_, errors_), name_, config_.checkers);
      else
        complain(line_of(key), "checks: expected a table [checks]");
    } else if (name == "accept") {
      each(key, node, "one a finding", [&](ConfigTable table) { read_accept(std::move(table), config_.accepted); });
    } else if (name == "listener") {
      each(key, node, "one a way in", [&](ConfigTable table) {
        listeners_.push_back(table);
        config_.listeners.push_back(read_listener(std::move(table)));
      });
    } else if (name == "rule") {
      each(key, node, "one for each kind of request", [&](ConfigTable table) {
        rules_.push_back(table);
        config_.rules.push_back(read_rule(std::move(table)));
      });
    } else if (std::find(std::begin(kRunKeys), std::end(kRunKeys), name) != std::end(kRunKeys)) {
      complain(line_of(key), fmt::format("{0}: a key of [run], expected below that line", name));
    } else {
      auto hint = did_you_mean(name, kTables);
      complain(
          line_of(key),
          fmt::format("{}: unknown table{}", name,
                      hint.empty() ? ", expected [run], [serve], [admin], [safety], [telemetry], [service.NAME], "
                                     "[profile.NAME], [process.NAME], [redact], [checks], [[listener]], [[rule]] or "
                                     "[[accept]]"
                                   : hint));
    }
  }

  template <class Read>
  void each(const toml::key& key, const toml::node& node, std::string_view what, Read read) {
    const auto* array = node.as_array();
    if (!array || !array->is_homogeneous<toml::table>())
      return complain(line_of(key), fmt::format("{0}: expected tables [[{0}]], {1}", key.str(), what));
    for (auto&& element : *array)
      read(ConfigTable(*element.as_table(), fmt::format("[[{}]]", key.str()), name_, errors_));
  }

  void read_profiles(const toml::key& key, const toml::node& node) {
    const auto* tables = node.as_table();
    if (!tables) return complain(line_of(key), "profile: expected tables [profile.NAME], one a service family");
    for (auto&& [name, value] : *tables) {
      auto whole = fmt::format("[profile.{}]", name.str());
      const auto* table = value.as_table();
      if (!table)
        complain(line_of(name), fmt::format("{}: expected a table", whole));
      else if (std::ranges::find(profile_names_, name.str()) != profile_names_.end())
        complain(line_of(*table), fmt::format("{}: expected a name of its own, this one is built in", whole));
      else
        read_profile(ConfigTable(*table, whole, name_, errors_), std::string(name.str()));
      profile_names_.push_back(name.str());
    }
  }

  void read_profile(ConfigTable table, std::string name) {
    std::shared_ptr<const trace::Profile> profile;
    if (table.has("file")) {
      table.only(kProfileFileKeys);
      auto file = file_in(table, "file", name_);
      if (!file) return;
      profile = trace::parse_profile(file->second, std::move(name), file->first, errors_);
    } else {
      profile = trace::read_profile(std::move(table), std::move(name));
    }
    if (profile) config_.profiles.push_back(std::move(profile));
  }

  void read_processes(const toml::table& tables) {
    for (auto&& [key, node] : tables) {
      Process process{.name = std::string(key.str())};
      auto whole = fmt::format("[process.{}]", process.name);
      if (const auto* table = node.as_table()) {
        read_process(ConfigTable(*table, whole, name_, errors_), process);
        config_.processes.push_back(std::move(process));
      } else {
        complain(line_of(key), fmt::format("{}: expected a table", whole));
      }
    }
  }

  void read_services(const toml::table& tables) {
    std::vector<std::pair<int, Service>> services;
    for (auto&& [key, node] : tables) {
      Service service{.name = std::string(key.str())};
      if (const auto* table = node.as_table()) {
        read_service(ConfigTable(*table, fmt::format("[service.{}]", service.name), name_, errors_), name_,
                     profile_names_, service);
        services.emplace_back(line_of(*table), std::move(service));
      } else {
        complain(line_of(key),
                 fmt::format("[service] {}: expected tables [service.NAME], one a backing service", key.str()));
      }
    }
    // toml++ keeps keys by name; services are started in the order in which they were written.
    std::stable_sort(services.begin(), services.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (auto& [line, service] : services) {
      if (const auto* other = config_.at(service.address))
        complain(line, fmt::format("[service.{}] address: expected one of its own, \"{}\" is that of [service.{}]",
                                   service.name, service.address, other->name));
      config_.services.push_back(std::move(service));
    }
  }

  void complain(int line, std::string what) {
    errors_.emplace_back(line, Error{std::move(what), fmt::format("{}:{}", name_, line), Blame::user});
  }

  std::string_view name_;
  Config config_;
  std::vector<ConfigTable> listeners_, rules_;  // as config_ has them
  std::vector<std::string_view> profile_names_;
  trace::Errors errors_;
};
}  // namespace

bool Config::accepts(std::string_view finding) const {
  return std::any_of(accepted.begin(), accepted.end(), [&](const Accept& a) { return a.finding == finding; });
}

const Service* Config::at(std::string_view address) const {
  auto found = std::find_if(services.begin(), services.end(), [&](const Service& s) { return s.address == address; });
  return address.empty() || found == services.end() ? nullptr : &*found;
}

std::vector<std::string> Config::looks() const {
  auto urls = run.look;
  for (auto& service : services)
    for (auto& path : service.look) urls.push_back("http://" + service.address + path);
  return urls;
}

std::set<std::string, std::less<>> Config::trees() const {
  std::set<std::string, std::less<>> out;
  for (auto& s : services) out.insert(s.trees.begin(), s.trees.end());
  return out;
}
std::set<std::string> Config::bare() const {
  std::set<std::string> out;
  for (auto& s : services)
    if (s.profile == trace::kGeneric) out.insert(s.address);
  return out;
}

const Service* Config::named(std::string_view service) const {
  auto found = std::find_if(services.begin(), services.end(), [&](const Service& s) { return s.name == service; });
  return found == services.end() ? nullptr : &*found;
}

void redact_as(const RedactSettings& settings) {
  trace::add_secret_names(settings.names);
  if (!settings.bodies) trace::keep_no_bodies();
}

Checked check_config(std::string_view text, std::string_view file_name) { return File(file_name).read(text); }

Result<Config> parse_config(std::string_view text, std::string_view file_name) {
  auto checked = check_config(text, file_name);
  if (!checked.errors.empty()) return std::unexpected(checked.errors.front());
  return std::move(checked.config);
}

Result<Config> load_config(const std::filesystem::path& file) {
  auto text = text_of(file);
  return text ? parse_config(*text, file.string()) : std::unexpected(text.error());
}

}  // namespace retrial::campaign
