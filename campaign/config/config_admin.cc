#include "campaign/config/config_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/text.h"
#include "campaign/config/config_values.h"
#include "proxy/admin/http_client.h"
#include "proxy/out/access_log.h"
#include "trace/fault_spec.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdminKeys[] = {"listen", "token", "certificate", "key", "hosts", "toxiproxy"};
constexpr std::string_view kSafetyKeys[] = {"ttl",         "faults_per_minute", "faults_share", "own_errors",
                                            "own_latency", "armed_file",        "audit"};

constexpr std::string_view kTelemetryKeys[] = {"access_log",   "access_format",  "traces",
                                               "traces_share", "traces_service", "calls"};

bool is_unix(std::string_view listen) { return listen.starts_with("unix:") || listen.starts_with('/'); }

// "1%", "0.5%"
std::optional<policies::Share> share_of(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  double percent = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !(percent > 0 && percent <= 100)) return {};
  return static_cast<policies::Share>(percent * policies::kPercent);
}

policies::Share share(ConfigTable& table, std::string_view key) {
  auto text = table.text(key);
  if (!text) return 0;
  auto read = share_of(*text);
  if (!read) table.refuse(key, "expected a share above 0%, up to 100%, such as \"1%\"");
  return read.value_or(0);
}

std::string beside(std::string_view file, const std::string& path) {
  return path.empty() ? path : (fs::path(file).parent_path() / path).string();
}

}  // namespace

bool is_local(std::string_view listen) {
  if (is_unix(listen)) return true;
  auto at = listen_of(listen);
  return at && std::ranges::all_of(*at, &proxy::Address::loopback);
}

std::string wrong_with(const AdminSettings& admin) {
  if (!is_unix(admin.listen) && !listen_of(admin.listen))
    return "expected unix:PATH, or an address and a port, such as \"127.0.0.1:9900\"";
  if (admin.certificate.empty() != admin.key.empty()) return "expected certificate and key together";
  if (is_unix(admin.listen) && !admin.certificate.empty()) return "expected no certificate of a Unix socket";
  if (!is_local(admin.listen) && admin.certificate.empty())
    return "expected a Unix socket or a loopback address, or a certificate and a key: elsewhere it is spoken to over "
           "TLS "
           "alone";
  return {};
}

void read_admin(ConfigTable table, std::string_view file, AdminSettings& admin) {
  table.only(kAdminKeys);
  admin.listen = table.text("listen").value_or(AdminSettings::kSocket);
  admin.token = beside(file, table.text("token").value_or(""));
  admin.certificate = beside(file, table.text("certificate").value_or(""));
  admin.key = beside(file, table.text("key").value_or(""));
  admin.hosts = table.texts("hosts");
  admin.toxiproxy = table.text("toxiproxy").value_or("");
  // Where the command line says where it listens, that is looked at instead (server_settings).
  if (auto wrong = wrong_with(admin); table.has("listen") && !wrong.empty()) table.refuse("listen", wrong);
  if (!admin.toxiproxy.empty() && (is_unix(admin.toxiproxy) || !is_local(admin.toxiproxy)))
    table.refuse("toxiproxy", "expected a loopback address and a port: its clients send no token");
}

proxy::Bounds read_bounds(ConfigTable& table) {
  proxy::Bounds bounds;
  if (auto n = table.number("faults_per_minute", 1, 10'000'000)) bounds.faults_per_minute = static_cast<unsigned>(*n);
  bounds.faults_share = share(table, "faults_share");
  bounds.own_errors = share(table, "own_errors");
  if (auto time = table.duration("own_latency", "2s")) bounds.own_latency = *time;
  return bounds;
}

void read_safety(ConfigTable table, SafetySettings& safety) {
  table.only(kSafetyKeys);
  if (auto text = table.text("ttl"); text && *text == "none")
    safety.ttl = 0;
  else if (auto time = text ? table.duration("ttl", "15m") : std::nullopt)
    safety.ttl = *time;
  if (safety.ttl > SafetySettings::kMostTtl) table.refuse("ttl", "expected at most 24h, such as \"15m\"");
  safety.bounds = read_bounds(table);
  safety.armed_file = table.text("armed_file").value_or("");
  safety.audit = table.text("audit").value_or("");
}

void read_telemetry(ConfigTable table, TelemetrySettings& telemetry) {
  table.only(kTelemetryKeys);
  telemetry.access_log = table.text("access_log").value_or("");
  if (auto format = table.text("access_format")) telemetry.access_format = *format;
  if (auto ok = proxy::AccessFormat::parse(telemetry.access_format); !ok)
    table.refuse("access_format", ok.error().what);
  if (table.has("access_format") && telemetry.access_log.empty())
    table.refuse("access_format", "expected an access_log beside it");
  telemetry.traces = table.text("traces").value_or("");
  bool http = telemetry.traces.starts_with("http://") || telemetry.traces.starts_with("https://");
  auto url = telemetry.traces.substr(0, telemetry.traces.find('/', 8));
  if (!telemetry.traces.empty() && (!http || !proxy::http_address_of(url)))
    table.refuse("traces", "expected the URL of an OTLP/HTTP receiver, such as \"http://127.0.0.1:4318\"");
  if (auto said = share(table, "traces_share")) telemetry.traces_share = said;
  if (auto name = table.text("traces_service")) telemetry.traces_service = *name;
  telemetry.calls = table.yes("calls").value_or(false);
}

Result<void> is_careful(const Rule& rule) {
  bool host = rule.match.host.find_first_not_of('*') != std::string::npos;
  if (!rule.service.empty() || host || rule.match.opt_in || rule.at_will) return {};
  if (!policies::meets_all(rule.inject)) return {};
  return fail(
      "expected match.service, match.host, match.opt_in = true, or a percentage in inject: with an admin side no fault "
      "is for everything",
      rule.name.empty() ? "[[rule]]" : fmt::format("rule \"{}\"", rule.name), Blame::user);
}

Result<void> are_careful(const Config& config) {
  for (std::size_t i = 0; i < config.rules.size(); i++)
    if (auto ok = is_careful(config.rules[i]); !ok) {
      auto error = ok.error();
      if (config.rules[i].name.empty()) error.on = fmt::format("[[rule]] {}", i + 1);
      return std::unexpected(error);
    }
  return {};
}

}  // namespace retrial::campaign
