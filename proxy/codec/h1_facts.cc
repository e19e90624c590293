#include "proxy/codec/h1_facts.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "proxy/codec/intermediary.h"

namespace retrial::proxy {
namespace {

constexpr auto kTargetBytes = [] {  // RFC 9112 3.2 has them encoded; raw UTF-8 is sent all the same, and passes
  std::array<bool, 256> ok{};
  for (std::size_t c = 0x21; c < ok.size(); c++) ok[c] = c != 0x7f;
  return ok;
}();
constexpr auto kHostBytes = [] {  // RFC 3986 3.2.2 and a port
  std::array<bool, 256> ok{};
  for (char c = 'a'; c <= 'z'; c++) ok[static_cast<unsigned char>(c)] = ok[static_cast<unsigned char>(c - 32)] = true;
  for (char c = '0'; c <= '9'; c++) ok[static_cast<unsigned char>(c)] = true;
  for (char c : {'-', '.', '_', '~', '%', '!', '$', '&', '\'', '(', ')', '*', '+', ';', '=', ':', '[', ']'})
    ok[static_cast<unsigned char>(c)] = true;
  return ok;
}();
bool all_of(std::string_view text, const std::array<bool, 256>& set) {
  bool all = true;
  for (char c : text) all &= set[static_cast<unsigned char>(c)];
  return all;
}

bool scheme_and_authority(std::string_view target) {
  auto whole = absolute(target);
  auto letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; };
  return !whole.scheme.empty() && letter(whole.scheme.front()) && std::ranges::all_of(whole.scheme, part) &&
         !whole.authority.empty() && whole.authority.front() != ':' && all_of(whole.authority, kHostBytes);
}

std::string_view wrong_target(const Head& head) {
  if (head.target.empty() || !all_of(head.target, kTargetBytes)) return "the request target holds a forbidden byte";
  if (head.method == "CONNECT") {
    auto colon = head.target.rfind(':');
    if (colon == 0 || colon == head.target.npos || colon + 1 == head.target.size() || !all_of(head.target, kHostBytes))
      return "CONNECT needs host:port";
    return {};
  }
  if (head.target.front() == '/' || (head.target == "*" && head.method == "OPTIONS")) return {};
  return scheme_and_authority(head.target) ? "" : "the request target has none of the forms of RFC 9112 3.2";
}

std::string_view wrong_host(const Head& head) {
  if (head.hosts > 1) return "more than one Host field";
  if (head.hosts == 0) return head.minor == 0 ? "" : "no Host field";
  return all_of(head.host, kHostBytes) ? "" : "the Host field is no host";
}

}  // namespace

bool lists(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    auto comma = list.find(',');
    if (iequals(trim(list.substr(0, comma)), token)) return true;
    if (comma == list.npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

bool may_trail(std::string_view name) {
  static constexpr std::string_view kNever[] = {"content-length",
                                                "transfer-encoding",
                                                "host",
                                                "trailer",
                                                "connection",
                                                "keep-alive",
                                                "te",
                                                "upgrade",
                                                "authorization",
                                                "set-cookie",
                                                "content-type",
                                                "content-encoding",
                                                "content-range",
                                                "cache-control",
                                                "expect",
                                                "range",
                                                "max-forwards",
                                                "proxy-authorization",
                                                "location",
                                                "retry-after",
                                                "vary",
                                                "date",
                                                "www-authenticate"};
  for (auto never : kNever)
    if (iequals(name, never)) return false;
  return true;
}

std::string_view what_is_invalid(const Head& head, std::string& valid_host) {
  auto target = wrong_target(head);
  if (!target.empty()) return target;
  if (head.hosts == 1 && head.host == valid_host) return {};
  auto host = wrong_host(head);
  if (host.empty()) valid_host.assign(head.host);
  return host;
}

}  // namespace retrial::proxy
