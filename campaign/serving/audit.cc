#include "campaign/serving/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

namespace retrial::campaign {
using Json = nlohmann::ordered_json;

std::string utc(Nanos wall) {
  auto seconds = static_cast<std::time_t>(wall / kSecond);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  auto size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(text, size), wall % kSecond / kMillisecond);
}

Audit::~Audit() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> Audit::open() {
  if (file_.empty()) return {};
  int fd = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno("the audit log cannot be written", errno, file_, Blame::user);
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  return {};
}

bool Audit::tell(std::string_view by, std::string_view what, std::string_view on) {
  log_.say(proxy::Log::Level::info,
           fmt::format("audit: {}{}{}, by {}", what, on.empty() ? "" : ": ", on, by.empty() ? "nobody" : by));
  Json line{{"time", utc(clock_.wall())}, {"by", by}, {"what", what}};
  if (!on.empty()) line["on"] = on;
  return write(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Audit::tell(std::string_view by, std::string_view what, const std::vector<RuleChange>& changes) {
  for (std::size_t i = 0; i < changes.size() && i < kMostLogged; i++) {
    auto& c = changes[i];
    log_.say(proxy::Log::Level::info,
             fmt::format("audit: {}: {}, by {}: was {}, is {}", what, c.name, by.empty() ? "nobody" : by,
                         c.was.empty() ? "none" : c.was, c.is.empty() ? "none" : c.is));
  }
  if (changes.size() > kMostLogged)
    log_.say(proxy::Log::Level::info,
             fmt::format("audit: {}: and {} rules more, by {}", what, changes.size() - kMostLogged, by));
  std::string lines;
  for (auto& c : changes) {
    auto rule = [](const std::string& json) { return json.empty() ? Json() : Json::parse(json); };
    Json line{{"time", utc(clock_.wall())}, {"by", by},        {"what", what}, {"on", c.name},
              {"was", rule(c.was)},         {"is", rule(c.is)}};
    lines += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  write(lines);
}

bool Audit::write(const std::string& lines) {
  if (fd_ < 0 || lines.empty()) return true;
  if (::write(fd_, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size())) return true;
  log_.say(proxy::Log::Level::error, fmt::format("{}: the audit log could not be written", file_));
  return false;
}

}  // namespace retrial::campaign
