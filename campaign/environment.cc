#include "campaign/environment.h"

#include <map>
#include <string_view>

extern char** environ;

namespace retrial::campaign {
namespace {

std::string joined(const std::string& first, const char* by, const std::string& second) {
  return first.empty() ? second : second.empty() ? first : first + by + second;
}

// NODE_OPTIONS is split at spaces but for those in double quotes, where a backslash escapes.
std::string quoted(const std::string& path) {
  std::string out = "\"";
  for (char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<std::string> environment_for(const Launch& launch, const AgentSetting& setting) {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e; e++) {
    std::string_view entry(*e);
    auto at = entry.find('=');
    if (at != entry.npos) all.emplace(entry.substr(0, at), entry.substr(at + 1));
  }
  for (auto& e : launch.environment) {
    auto at = e.find('=');
    all[e.substr(0, at)] = e.substr(at + 1);
  }
  all["RETRIAL_EVENTS"] = setting.events.string();
  if (!launch.only.empty()) all["RETRIAL_ONLY"] = setting.only.string();
  auto python = joined((setting.agents / "python").string(), ":", launch.python_path);
  all["PYTHONPATH"] = joined(python, ":", all["PYTHONPATH"]);
  all["PYTEST_PLUGINS"] = joined(all["PYTEST_PLUGINS"], ",", "retrial_pytest");
  all["NODE_OPTIONS"] =
      joined(all["NODE_OPTIONS"], " ", "--require=" + quoted((setting.agents / "node/retrial.cjs").string()));
  std::vector<std::string> out;
  for (auto& [key, value] : all) out.push_back(key + "=" + value);
  return out;
}

}  // namespace retrial::campaign
