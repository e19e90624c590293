#include "campaign/workload/project/published_ports.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/workload/project/kinds.h"
#include "trace/profiles/yaml.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;

constexpr const char* kComposeFiles[] = {"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"};

// The machine's port of "8080:80", "127.0.0.1:8080:80/tcp" or {published: 8080, target: 80}; else empty.
std::string published(const Json& port) {
  std::string text;
  if (port.is_object()) {
    auto it = port.find("published");
    if (it != port.end()) text = it->is_string() ? it->get<std::string>() : it->dump();
  } else if (port.is_string()) {
    auto parts = split(port.get_ref<const std::string&>(), ':');
    if (parts.size() > 1) text = parts[parts.size() - 2];
  }
  return to_int(text) ? text : "";
}

}  // namespace

std::map<std::string, Publisher> published_ports(const std::filesystem::path& project) {
  std::map<std::string, Publisher> found;
  for (auto file : kComposeFiles) {
    if (!is_in(project, file)) continue;
    auto text = trace::json_of_yaml(text_in(project / file), file);
    auto compose = text ? Json::parse(*text, nullptr, false) : Json();
    if (!compose.is_object() || !compose.contains("services") || !compose["services"].is_object()) return {};
    for (auto& [name, service] : compose["services"].items()) {
      if (!service.is_object() || !service.contains("ports") || !service["ports"].is_array()) continue;
      for (auto& port : service["ports"])
        if (auto is = published(port); !is.empty()) found.emplace(is, Publisher{file, name});
    }
    return found;
  }
  return found;
}

}  // namespace retrial::campaign
