#include "campaign/config_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <regex>

#include "base/text.h"

namespace retrial::campaign {
namespace {
constexpr std::string_view kReady[] = {"tcp", "http:/path", "log:REGEX"};
constexpr std::string_view kReset[] = {"restart", "none"};

bool looks_like_a_slip(std::string_view text, std::span<const std::string_view> known) {
  return text == "command" || (text.find_first_of(" /=$") == text.npos && nearest(text, known));
}

// What is wrong with it, or "".
std::string wrong_with_regex(const std::string& text) {
  try {
    static_cast<void>(std::regex(text, std::regex::ECMAScript));
    return "";
  } catch (const std::regex_error& error) {
    return error.what();
  }
}
}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  auto near = nearest(word, known);
  return near && !word.empty() ? fmt::format(", did you mean \"{}\"?", *near) : "";
}

std::optional<std::string> address_of(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return {};
  std::string host(text.substr(0, colon));
  auto port = to_int(text.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return {};
  if (host == "localhost") host = "127.0.0.1";
  in6_addr bytes{};  // holds either
  char shown[INET6_ADDRSTRLEN] = {};
  if (inet_pton(AF_INET, host.c_str(), &bytes) == 1)
    return fmt::format("{}:{}", inet_ntop(AF_INET, &bytes, shown, sizeof shown), *port);
  if (host.size() < 3 || host.front() != '[' || host.back() != ']') return {};
  if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &bytes) != 1) return {};
  return fmt::format("[{}]:{}", inet_ntop(AF_INET6, &bytes, shown, sizeof shown), *port);
}

std::expected<Ready, Unfit> ready_of(std::string_view text) {
  using Kind = Ready::Kind;
  if (text == "tcp") return Ready{Kind::tcp, ""};
  if (text.starts_with("http:")) {
    Ready ready{Kind::http, std::string(text.substr(5))};
    if (ready.text.starts_with('/') && !ready.text.starts_with("//")) return ready;
    return std::unexpected(
        Unfit{"expected a path after http:, such as \"http:/health\" (host and port are the address)", ""});
  }
  if (text.starts_with("log:")) {
    Ready ready{Kind::log, std::string(text.substr(4))};
    auto why = wrong_with_regex(ready.text);
    if (why.empty()) return ready;
    return std::unexpected(Unfit{fmt::format("expected a regular expression after log: ({})", why), ""});
  }
  if (looks_like_a_slip(text, kReady))
    return std::unexpected(
        Unfit{"expected \"tcp\", \"http:/path\", \"log:REGEX\" or a shell command", did_you_mean(text, kReady)});
  return Ready{Kind::command, std::string(text)};
}

std::expected<Reset, Unfit> reset_of(std::string_view text) {
  if (text == "none") return Reset{};
  if (text == "restart") return Reset{Reset::Kind::restart, ""};
  if (looks_like_a_slip(text, kReset))
    return std::unexpected(Unfit{"expected \"restart\", \"none\" or a shell command", did_you_mean(text, kReset)});
  return Reset{Reset::Kind::command, std::string(text)};
}

}  // namespace retrial::campaign
