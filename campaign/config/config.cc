#include "campaign/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "campaign/config/config_admin.h"
#include "campaign/config/config_serve.h"
#include "campaign/config/config_service.h"
#include "campaign/config/config_tables.h"
#include "campaign/config/named_file.h"
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
constexpr std::string_view kProfileFileKeys[] = {"file"};

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
    static const std::map<std::string_view, void (*)(File&, ConfigTable)> kSingle{
        {"run", [](File& f, ConfigTable table) { read_run(std::move(table), f.config_.run); }},
        {"serve", [](File& f, ConfigTable table) { read_serve(std::move(table), f.config_.serve); }},
        {"admin", [](File& f, ConfigTable table) { read_admin(std::move(table), f.name_, f.config_.admin); }},
        {"safety", [](File& f, ConfigTable table) { read_safety(std::move(table), f.config_.safety); }},
        {"telemetry", [](File& f, ConfigTable table) { read_telemetry(std::move(table), f.config_.telemetry); }},
        {"redact", [](File& f, ConfigTable table) { read_redact(std::move(table), f.config_.redact); }},
        {"checks", [](File& f, ConfigTable table) { read_checks(std::move(table), f.name_, f.config_.checkers); }},
    };
    if (auto single = kSingle.find(name); single != kSingle.end()) {
      auto whole = fmt::format("[{}]", name);
      if (const auto* table = node.as_table())
        single->second(*this, ConfigTable(*table, whole, name_, errors_));
      else
        complain(line_of(key), fmt::format("{}: expected a table {}", name, whole));
    } else if (name == "service") {
      if (const auto* tables = node.as_table())
        read_services(*tables);
      else
        complain(line_of(key), "service: expected tables [service.NAME], one a backing service");
    } else if (name == "process") {
      if (const auto* tables = node.as_table())
        read_processes(*tables);
      else
        complain(line_of(key), "process: expected tables [process.NAME], one a process that the tests start");
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
    } else if (std::ranges::find(run_keys(), name) != run_keys().end()) {
      complain(line_of(key), fmt::format("{0}: a key of [run], expected below that line", name));
    } else {
      auto hint = trace::did_you_mean(name, kTables);
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
