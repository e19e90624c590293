#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "campaign/serving/audit.h"
#include "campaign/serving/rulebook.h"
#include "proxy/admin/http.h"
#include "proxy/server/server.h"

namespace retrial::proxy {
class OtlpExporter;
}

namespace retrial::campaign {

class Telemetry;

// What the routes of the admin side act on. One thread.
struct Hands {
  proxy::Server& server;
  const Clock& clock;
  Audit& audit;
  Rulebook rules;
  std::function<void()> drain;
  std::function<void(std::string_view event, const std::string& data)> publish;
  // After a change of mode: what keeps it (an armed file) follows. An error: it did not, and nothing has changed.
  std::function<Result<void>(bool armed)> keep;
  Telemetry* telemetry = nullptr;             // null: nothing is recorded
  const proxy::OtlpExporter* logs = nullptr;  // null: its log goes to no receiver
  Nanos began = 0;
  bool draining = false;

  void rules_changed(std::string_view by, std::string_view what);  // they are put in force, and the audit log is told
  void tell_rules();                                               // that they are others, to who listens
};

// One thing that may be asked. `path` may hold one "{name}", which `argument` is.
struct AdminRoute {
  std::string_view method, path;
  proxy::AdminResponse (*answer)(Hands& hands, const proxy::AdminRequest& request, const std::string& argument);
};
std::span<const AdminRoute> admin_routes();
// By these routes: 404 and 405 (with Allow) for what none of them is.
proxy::AdminResponse answer(Hands& hands, const proxy::AdminRequest& request, std::span<const AdminRoute> routes);

proxy::AdminResponse refusal(int status, std::string_view why);

// One file a group.
std::span<const AdminRoute> rule_routes();
std::span<const AdminRoute> state_routes();
std::span<const AdminRoute> service_routes();

std::string state_json(Hands& hands);
std::string services_json(Hands& hands);

}  // namespace retrial::campaign
