#include "campaign/config/config_service.h"

#include <fmt/format.h>

#include "campaign/config/config_admin.h"
#include "campaign/config/config_serve.h"
#include "campaign/config/config_values.h"
#include "campaign/config/named_file.h"

namespace retrial::campaign {
namespace {

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

}  // namespace

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

}  // namespace retrial::campaign
