#include "trace/profiles/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace retrial::trace::message {

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

std::string_view path_of(std::string_view target) {
  if (!target.starts_with('/')) {
    if (auto scheme = target.find("://"); scheme != target.npos) {
      auto slash = target.find('/', scheme + 3);
      target = slash == target.npos ? std::string_view("/") : target.substr(slash);
    }
  }
  return target.substr(0, target.find('?'));
}
std::string_view query_of(std::string_view target) {
  auto at = target.find('?');
  if (at == target.npos) return {};
  return target.substr(at + 1);
}
std::optional<std::string_view> value_of(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    auto end = query.find('&');
    auto part = query.substr(0, end);
    if (part.starts_with(key)) {
      if (part.size() == key.size()) return std::string_view{};
      if (part[key.size()] == '=') return part.substr(key.size() + 1);
    }
    if (end == query.npos) break;
    query.remove_prefix(end + 1);
  }
  return {};
}
std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  out.reserve(8);
  while (!path.empty()) {
    auto end = path.find('/');
    if (end != 0) out.push_back(path.substr(0, end));
    if (end == path.npos) break;
    path.remove_prefix(end + 1);
  }
  return out;
}

std::string xml_texts(std::string_view body, std::string_view tag) {
  std::string out;
  for (std::size_t at = body.find('<'); at != body.npos; at = body.find('<', at + 1)) {
    auto rest = body.substr(at + 1);
    if (!rest.starts_with(tag) || rest.size() == tag.size() || rest[tag.size()] != '>') continue;
    rest.remove_prefix(tag.size() + 1);
    auto end = rest.find('<');
    if (end == rest.npos) break;
    if (!out.empty()) out += ' ';
    out += rest.substr(0, end);
  }
  return out;
}

namespace {
constexpr std::string_view kJsonSpace = " \t\r\n";

// A string that begins at body[at] == '"': its text as it stands; `at` moves past it. Cut off by the sample's end:
// nothing.
std::optional<std::string_view> json_string(std::string_view body, std::size_t& at) {
  for (auto i = at + 1; i < body.size(); i++) {
    if (body[i] == '\\') {
      i++;
    } else if (body[i] == '"') {
      auto text = body.substr(at + 1, i - at - 1);
      at = i + 1;
      return text;
    }
  }
  at = body.size();
  return {};
}
// After a key: past the colon and its spaces, or npos where there is no colon.
std::size_t after_colon(std::string_view body, std::size_t at) {
  at = body.find_first_not_of(kJsonSpace, at);
  if (at == body.npos || body[at] != ':') return body.npos;
  return body.find_first_not_of(kJsonSpace, at + 1);
}
// Calls f(key, depth, at) for each key, `at` being where its value begins, until f returns false.
template <class F>
void each_key(std::string_view body, F f) {
  int depth = 0;
  for (std::size_t at = 0; at < body.size();) {
    char c = body[at];
    if (c == '"') {
      auto text = json_string(body, at);
      if (!text) return;
      auto value = after_colon(body, at);
      if (value != body.npos && !f(*text, depth, value)) return;
      continue;
    }
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    at++;
  }
}
}  // namespace

std::string json_texts(std::string_view body, std::string_view key) {
  std::string out;
  each_key(body, [&](std::string_view found, int, std::size_t value) {
    if (found != key || body[value] != '"') return true;
    auto text = json_string(body, value);
    if (!text) return false;
    if (!out.empty()) out += ' ';
    out += *text;
    return true;
  });
  return out;
}
bool json_has(std::string_view body, std::string_view key) {
  bool has = false;
  each_key(body, [&](std::string_view found, int, std::size_t) { return !(has = found == key); });
  return has;
}
std::string_view json_top(std::string_view body, std::string_view key) {
  std::string_view out;
  if (!trim(body).starts_with('{')) return out;
  each_key(body, [&](std::string_view found, int depth, std::size_t value) {
    if (depth != 1 || found != key) return true;
    if (body[value] == '"') {
      if (auto text = json_string(body, value)) out = *text;
    } else if (body[value] != '{' && body[value] != '[') {
      auto end = body.find_first_of(",}\r\n ", value);
      if (end != body.npos) out = body.substr(value, end - value);
      if (out == "null") out = {};
    }
    return false;
  });
  return out;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}
bool succeeded(const Exchange& e) { return e.service_status >= 200 && e.service_status < 300; }

// IANA's registry of methods (RFC 9110 16.1, RFC 4918, RFC 3253): of all that are registered, only these are not
// idempotent.
bool safe_method(std::string_view m) {
  return m == "GET" || m == "HEAD" || m == "OPTIONS" || m == "TRACE" || m == "PROPFIND" || m == "REPORT" ||
         m == "SEARCH" || m == "QUERY";
}
bool idempotent_method(std::string_view m) { return m != "POST" && m != "PATCH" && m != "LOCK" && m != "CONNECT"; }
bool conditional(const Exchange& e) {
  for (auto& h : e.request_headers)
    if ((h.name.size() == 8 && iequals(h.name, "if-match")) ||
        (h.name.size() == 13 && (iequals(h.name, "if-none-match") || iequals(h.name, "upload-offset"))) ||
        (h.name.size() == 19 && iequals(h.name, "if-unmodified-since")))
      return true;
  return false;
}
std::span<const std::string_view> key_headers() {
  static constexpr std::array<std::string_view, 11> kKeys{"idempotency-key",
                                                          "x-idempotency-key",
                                                          "idempotency-token",
                                                          "x-idempotency-token",
                                                          "paypal-request-id",
                                                          "repeatability-request-id",
                                                          "i-twilio-idempotency-token",
                                                          "x-amz-client-token",
                                                          "opc-retry-token",
                                                          "webhook-id",  // Standard Webhooks 1.0
                                                          "ce-id"};      // CloudEvents 1.0, 3.1.1
  return kKeys;
}
namespace {
constexpr std::array<std::string_view, 7> kMembers{"idempotency_key",   "idempotencyKey", "idempotencyToken",
                                                   "client_token",      "clientToken",    "ClientToken",
                                                   "ClientRequestToken"};
}
std::string_view guarding_key(const Exchange& e) {
  for (auto key : key_headers())
    if (auto value = find(e.request_headers, key); !value.empty()) return value;
  return {};
}
bool keyed(const Exchange& e) {
  return !guarding_key(e).empty() || std::any_of(kMembers.begin(), kMembers.end(),
                                                 [&](auto key) { return !json_top(e.request_sample, key).empty(); });
}
bool keyed_within(const Exchange& e) {
  return keyed(e) || std::any_of(kMembers.begin(), kMembers.end(),
                                 [&](auto key) { return !json_texts(e.request_sample, key).empty(); });
}
std::string name_of_operation(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out(text.substr(0, kLongest));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }, '_');
  return out;
}

// JSON or XML, whatever its type says: a part of it is none.
static bool is_document(const Exchange& e) {
  auto text = trim(e.response_sample);
  if (text.starts_with('<')) return true;
  bool whole = e.response_bytes == e.response_sample.size();
  return (text.starts_with('{') || text.starts_with('[')) && (!whole || nlohmann::json::accept(text));
}
// A value a line ("{...}\n{...}\n"), as exports and feeds are told.
bool is_lines_of_json(const Exchange& e) {
  auto text = trim(e.response_sample);
  auto end = text.find('\n');
  return end != text.npos && (text.starts_with('{') || text.starts_with('[')) &&
         nlohmann::json::accept(text.substr(0, end));
}
bool opaque(const Exchange& e) {
  constexpr std::uint64_t kLeast = 16;  // bytes: half of fewer says little
  auto type = find(e.response_headers, "content-type");
  bool of_kind = icontains(type, "json") || icontains(type, "xml") || icontains(type, "html") || is_document(e);
  bool shows = (of_kind && !is_lines_of_json(e)) || icontains(type, "grpc") || icontains(type, "event-stream") ||
               !find(e.response_headers, "content-encoding").empty();
  bool framed = e.stream != 0 || !find(e.response_headers, "content-length").empty() ||
                !find(e.response_headers, "transfer-encoding").empty();
  return e.method == "GET" && succeeded(e) && e.response_bytes >= kLeast && !type.empty() && !shows && framed;
}
Repeat plain_repeat(const Exchange& e) {
  if (safe_method(e.method)) return Repeat::safe;
  if (keyed(e) || conditional(e)) return Repeat::guarded;
  return idempotent_method(e.method) ? Repeat::idempotent : Repeat::unknown;
}
Answer finished(Answer answer, const Exchange& e, std::string_view marker) {
  answer.headers.push_back({"X-Retrial-Fault", std::string(marker)});
  if (e.method == "HEAD") answer.body.clear();
  return answer;
}
Answer plain_error(const Exchange& e, int status, std::string_view marker) {
  auto line = fmt::format("{} {}", status, reason_of(status));
  Answer answer{.status = status, .reason = std::string(reason_of(status)), .headers = {{"Content-Type", "text/html"}}};
  answer.body = fmt::format(
      "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<center><h1>{0}</h1></center>\r\n<!-- {1} "
      "-->\r\n</body>\r\n"
      "</html>\r\n",
      line, marker);
  return finished(std::move(answer), e, marker);
}

}  // namespace retrial::trace::message
