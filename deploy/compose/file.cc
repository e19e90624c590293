#include "deploy/compose/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "deploy/compose/variables.h"
#include "trace/profiles/yaml.h"

namespace retrial::deploy {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json child(const Json& of, const char* key) { return of.is_object() && of.contains(key) ? of[key] : Json(); }
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
}

// YAML's merge key: what `<<` names stands under the tables that hold it.
Json merged(const Json& value) {
  if (value.is_array()) {
    auto out = Json::array();
    for (auto& item : value) out.push_back(merged(item));
    return out;
  }
  if (!value.is_object()) return value;
  auto out = Json::object();
  for (auto& [key, item] : value.items())
    if (key != "<<") out[key] = merged(item);
  if (!value.contains("<<")) return out;
  auto below = merged(value["<<"]);
  for (auto& table : below.is_array() ? below : Json::array({below}))
    if (table.is_object())
      for (auto& [key, item] : table.items())
        if (!out.contains(key)) out[key] = item;
  return out;
}

// The container's side of "8080", "80:8080", "127.0.0.1:80:8080/tcp", {target: 8080}, "3000-3005".
std::optional<std::uint16_t> port_of(const Json& said, const Variables& variables) {
  auto text = said.is_object() ? text_of(child(said, "target")) : put_in(text_of(said), variables);
  text = text.substr(0, text.find('/'));
  auto port = to_int(std::string_view(text).substr(text.rfind(':') + 1));
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

class Reader {
 public:
  Reader(const std::string& path, ComposeFile& into) : folder_(fs::path(path).parent_path()), into_(into) {
    variables_ = env_file(folder_ / ".env");
  }

  void read(const std::string& name, const Json& said) {
    ComposeService s;
    s.name = name;
    s.names = {name};
    s.image = put(child(said, "image"));
    s.own_network = child(said, "network_mode").is_null();
    for (auto* key : {"container_name", "hostname"})
      if (auto other = put(child(said, key)); !other.empty()) s.names.insert(other);
    environment(s, said);
    for (auto* key : {"command", "entrypoint"}) {
      auto words = child(said, key);
      for (auto& word : words.is_array() ? words : Json::array({words}))
        if (auto text = put(word); !text.empty()) s.words.push_back(text);
    }
    each(child(said, "depends_on"), [&](const std::string& service, const Json&) { s.depends_on.insert(service); });
    for (auto& link : child(said, "links")) {
      auto text = put(link);
      auto colon = text.find(':');
      s.links[colon == text.npos ? text : text.substr(colon + 1)] = text.substr(0, colon);
    }
    each(child(said, "networks"), [&](const std::string& network, const Json& settings) {
      s.networks.insert(network);
      for (auto& alias : child(settings, "aliases")) s.names.insert(put(alias));
    });
    if (s.networks.empty()) s.networks.insert("default");
    for (auto* key : {"expose", "ports"})
      for (auto& port : child(said, key)) {
        if (auto number = port_of(port, variables_))
          s.ports.insert(*number);
        else
          into_.unread.push_back(fmt::format("{}: {} {} is no single port, and is left out", name, key, port.dump()));
      }
    into_.services.push_back(std::move(s));
  }

 private:
  std::string put(const Json& value) const { return put_in(text_of(value), variables_); }

  // A list of names, or a table by them.
  template <class Take>
  static void each(const Json& said, Take take) {
    if (said.is_object())
      for (auto& [key, value] : said.items()) take(key, value);
    if (said.is_array())
      for (auto& item : said) take(text_of(item), Json());
  }

  void environment(ComposeService& s, const Json& said) const {
    auto files = child(said, "env_file");
    for (auto& file : files.is_array() ? files : Json::array({files})) {
      auto path = file.is_object() ? child(file, "path") : file;
      if (path.is_null()) continue;
      for (auto& [key, value] : env_file(folder_ / put(path))) s.environment[key] = put_in(value, variables_);
    }
    auto own = child(said, "environment");
    if (own.is_object())
      for (auto& [key, value] : own.items()) s.environment[key] = put(value);
    if (!own.is_array()) return;
    for (auto& line : own) {
      auto text = put(line);
      auto equals = text.find('=');
      if (equals != text.npos) s.environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }

  fs::path folder_;
  ComposeFile& into_;
  Variables variables_;
};

}  // namespace

const ComposeService* ComposeFile::called(std::string_view name) const {
  auto it = std::ranges::find_if(services, [&](auto& s) { return s.names.contains(std::string(name)); });
  return it == services.end() ? nullptr : &*it;
}

Result<ComposeFile> read_compose(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail_errno("cannot be read", errno, path, Blame::user);
  std::stringstream text;
  text << file.rdbuf();
  auto json = trace::json_of_yaml(text.str(), path);
  if (!json) return std::unexpected(json.error());
  auto root = merged(Json::parse(*json));
  auto services = child(root, "services");
  if (!services.is_object() || services.empty())
    return fail("expected a Compose file with a table `services`", path, Blame::user);
  if (!child(root, "include").is_null())
    return fail("include is not followed: give the file that `docker compose config` prints", path, Blame::user);
  ComposeFile out;
  Reader reader(path, out);
  for (auto& [name, said] : services.items()) {
    if (!said.is_object()) return fail("expected a table", fmt::format("{}: services.{}", path, name), Blame::user);
    if (said.contains("extends"))
      return fail("extends is not followed: give the file that `docker compose config` prints",
                  fmt::format("{}: services.{}", path, name), Blame::user);
    reader.read(name, said);
  }
  return out;
}

}  // namespace retrial::deploy
