#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/serving/audit.h"
#include "campaign/serving/rulebook.h"
#include "proxy/admin/admin_server.h"
#include "proxy/net/loop.h"
#include "proxy/out/otlp.h"
#include "proxy/server/mailbox.h"
#include "proxy/server/server.h"

namespace retrial::campaign {

// An operator's hands on a running `serve` (docs/admin.md): its rules, whether faults are on, and the admin side that
// they are asked by. All of it on the loop that signals come to; only the admin side has a thread of its own.
class Operator {
 public:
  struct Setting {
    const Config& config;
    proxy::ServerSettings settings;   // that the server has
    std::filesystem::path recording;  // the folder of the trace; empty: nothing is recorded
    const proxy::OtlpExporter* logs;  // that its log goes to besides; may be null
    std::function<void()> drain;      // as SIGTERM
  };
  // Tokens are made where there are none, the admin side listens when it returns. An error is one line.
  static Result<std::unique_ptr<Operator>> start(proxy::Loop& loop, proxy::Server& server, const Clock& clock,
                                                 proxy::Log& log, Setting setting);
  ~Operator();
  Operator(const Operator&) = delete;

  std::string at() const;            // of the admin side; empty: there is none
  std::string toxiproxy_at() const;  // likewise
  void halt(std::string_view by, const std::string& why);
  // The file was read again: into `settings` go its rules with those of operators. Once these are in force, reloaded().
  void reread(const Config& config, proxy::ServerSettings& settings);
  void reloaded(const proxy::ServerSettings& settings);
  void draining();
  void reopen();  // files that were moved away

 private:
  Operator(proxy::Loop& loop, proxy::Server& server, const Clock& clock, proxy::Log& log, Setting setting);
  void look();
  void halt_where_it_must();
  Result<void> open_admin(const AdminSettings& admin);
  Result<void> open_telemetry(const Config& config, const std::filesystem::path& recording);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace retrial::campaign
