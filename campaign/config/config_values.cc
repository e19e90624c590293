#include "campaign/config/config_values.h"

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

std::string Where::show() const {
  return host.find(':') == host.npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

namespace {
constexpr struct Scheme {
  std::string_view word;
  std::int64_t port;
  bool tls, http2;
} kSchemes[] = {{"http://", 80, false, false},
                {"https://", 443, true, false},
                {"h2c://", 80, false, true},
                {"h2://", 443, true, true}};
}  // namespace

std::optional<Where> where_of(std::string_view text) {
  Where where;
  std::int64_t port = 0;
  for (auto& scheme : kSchemes)
    if (text.starts_with(scheme.word)) {
      text.remove_prefix(scheme.word.size());
      port = scheme.port;
      where.tls = scheme.tls;
      where.http2 = scheme.http2;
      break;
    }
  if (port && text.ends_with('/')) text.remove_suffix(1);
  bool bracketed = text.starts_with('[');
  auto host_end = bracketed ? text.find(']') : text.find(':');
  auto host = text.substr(bracketed, host_end - bracketed);
  if (bracketed && host_end == text.npos) return {};
  auto rest = host_end == text.npos ? std::string_view() : text.substr(host_end + bracketed);
  if (!rest.empty()) {
    auto said = rest.front() == ':' ? to_int(rest.substr(1)) : std::nullopt;
    if (!said) return {};
    port = *said;
  }
  if (host.empty() || port < 1 || port > 65535) return {};
  where.host = host;
  where.port = static_cast<std::uint16_t>(port);
  in6_addr bytes{};  // holds either
  char shown[INET6_ADDRSTRLEN] = {};
  if (bracketed) {
    if (inet_pton(AF_INET6, where.host.c_str(), &bytes) != 1) return {};
    where.host = inet_ntop(AF_INET6, &bytes, shown, sizeof shown);
    where.literal = true;
    return where;
  }
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  if (where.host.size() > 253 || where.host.find_first_not_of(kName) != std::string::npos) return {};
  if (where.host == "localhost") where.host = "127.0.0.1";
  where.literal = inet_pton(AF_INET, where.host.c_str(), &bytes) == 1;
  bool numeric = where.host.find_first_not_of("0123456789.") == std::string::npos;
  if (numeric && !where.literal) return {};
  return where;
}

std::optional<std::vector<proxy::Address>> listen_of(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == text.npos) return {};
  auto port = to_int(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return {};
  auto number = static_cast<std::uint16_t>(*port);
  std::string host(text.substr(0, colon));
  if (host.empty()) {
    std::vector<proxy::Address> both{proxy::Address::v4(INADDR_ANY, number)};
    if (number) both.push_back(proxy::Address::v6(in6addr_any, number));
    return both;
  }
  if (host == "localhost") host = "127.0.0.1";
  in6_addr bytes{};
  if (in_addr four{}; inet_pton(AF_INET, host.c_str(), &four) == 1)
    return std::vector{proxy::Address::v4(ntohl(four.s_addr), number)};
  if (host.size() < 3 || host.front() != '[' || host.back() != ']') return {};
  if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &bytes) != 1) return {};
  return std::vector{proxy::Address::v6(bytes, number)};
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
