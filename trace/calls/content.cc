#include "trace/calls/content.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/calls/correlator_keys.h"
#include "trace/calls/json_order.h"
#include "trace/recording/redact.h"

namespace retrial::trace {
namespace {

// Names of fields, in lower case without '-', '_' and '.'.
std::string plain(std::string_view name) {
  std::string out;
  for (char c : name)
    if (c != '-' && c != '_' && c != '.') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}
// Is another part meant, whichever header says so?
bool says_which_part(const Exchange& a, const Exchange& b) {
  auto differs = [](const Exchange& one, const Exchange& other) {
    return std::ranges::any_of(one.request_headers, [&](auto& h) {
      return (icontains(h.name, "range") || icontains(h.name, "offset")) &&
             find(other.request_headers, h.name) != h.value;
    });
  };
  return differs(a, b) || differs(b, a);
}
constexpr std::size_t kLeast = 4;  // bytes of what is left, and of what is gone: a number is the beginning of many
// Has a value of JSON (its list), a form or XML, or a part of multipart, gone, and nothing else as far as can be seen?
bool emptied(std::string_view all, std::string_view left, bool whole) {
  auto at = static_cast<std::size_t>(std::ranges::mismatch(all, left).in1 - all.begin());
  auto before = left.substr(0, at), behind = left.substr(at);
  bool value =
      (before.ends_with('"') && behind.starts_with('"')) || (before.ends_with('[') && behind.starts_with(']')) ||
      (before.ends_with('=') && behind.starts_with('&')) || (before.ends_with('>') && behind.starts_with("</")) ||
      (before.ends_with("\r\n\r\n") && behind.starts_with("\r\n--"));
  if (!value) return false;
  auto names = tokens_of(before);
  if (!names.empty() && is_volatile_name(names.back())) return false;
  return !whole || all.substr(at + all.size() - left.size()) == behind;
}
std::int64_t days_from_civil(std::int64_t y, std::int64_t m, std::int64_t d) {
  y -= m <= 2;
  auto era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  auto day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
}
}  // namespace

bool is_key_name(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kNames{
      "idempotencykey", "clienttoken",         "clientrequesttoken", "messagededuplicationid", "deduplicationid",
      "creationtoken",  "nonceforidempotency", "idempotencytoken",   "clientmutationid"};
  return std::ranges::find(kNames, plain(name)) != kNames.end();
}
bool is_volatile_name(std::string_view name) {
  if (name.size() > 24) return false;
  static constexpr std::array<std::string_view, 33> kNames{"attempt",
                                                           "attempts",
                                                           "attemptnumber",
                                                           "attemptcount",
                                                           "retry",
                                                           "retries",
                                                           "retrycount",
                                                           "retrynumber",
                                                           "tries",
                                                           "timestamp",
                                                           "ts",
                                                           "sentat",
                                                           "requesttime",
                                                           "requestedat",
                                                           "clienttime",
                                                           "now",
                                                           "date",
                                                           "nonce",
                                                           "signature",
                                                           "sig",
                                                           "xamzsignature",
                                                           "xamzdate",
                                                           "xamzsecuritytoken",
                                                           "awsaccesskeyid",
                                                           "requestid",
                                                           "clientrequestid",
                                                           "traceid",
                                                           "spanid",
                                                           "traceparent",
                                                           "correlationid",
                                                           "oauthnonce",
                                                           "oauthtimestamp",
                                                           "oauthsignature"};
  return std::ranges::find(kNames, plain(name)) != kNames.end();
}

bool packed(const Exchange& e) {
  if (!e.request_sample.empty()) return false;  // it was read as it passed
  auto encoding = find(e.request_headers, "content-encoding");
  return icontains(encoding, "gzip") || icontains(encoding, "deflate") || icontains(encoding, "aws-chunked") ||
         find(e.request_headers, "x-amz-content-sha256").starts_with("STREAMING-");
}

std::string sample_of(const Exchange& e) {
  std::string body = e.request_sample;
  auto type = find(e.request_headers, "content-type");
  auto at = type.find("boundary=");
  if (at == type.npos) return body;
  auto boundary = type.substr(at + 9);
  if (boundary.starts_with('"')) boundary.remove_prefix(1);
  boundary = boundary.substr(0, boundary.find_first_of("\"; "));
  if (boundary.empty()) return body;
  for (auto found = body.find(boundary); found != body.npos; found = body.find(boundary, found))
    body.erase(found, boundary.size());
  // The last of it, where what was kept ends.
  for (auto left = std::min(boundary.size(), body.size()); left > 0; left--)
    if (body.ends_with("\n--" + std::string(boundary.substr(0, left)))) return body.erase(body.size() - left);
  return body;
}
bool whole_sample(const Exchange& e) {
  auto kept = e.request_sample.size();
  if (kept >= kSampleBytes || (kept == kUnreadSample && e.request_bytes > kUnreadSample)) return false;
  // With its secrets taken out a sample is shorter than what it is of; packed, what it is of is longer than what was
  // sent.
  bool little = e.request_bytes <= kSampleBytes && find(e.request_headers, "content-encoding").empty();
  return little || e.request_sample.find(kRedacted) == std::string::npos;
}

std::optional<std::int64_t> size_of(const Exchange& e) {
  if (auto length = to_int(find(e.request_headers, "content-length"))) return length;
  if (!whole_sample(e)) return {};
  return static_cast<std::int64_t>(e.request_sample.size());
}

Left left_of(const Exchange& before, const Exchange& now) {
  bool had = before.request_digest != 0 || !before.request_sample.empty() || size_of(before).value_or(0) > 0;
  if (!had || !now.request_read || says_which_part(before, now)) return Left::other;
  if (now.request_digest == 0) return Left::nothing;
  auto was = size_of(before), is = size_of(now);
  if (!before.request_read || packed(before) || packed(now) || before.request_digest == now.request_digest)
    return Left::other;
  auto all = sample_of(before), left = sample_of(now);
  if (left.size() < kLeast || (was && is ? *is >= *was : !whole_sample(now))) return Left::other;
  if (!whole_sample(now)) return all == left ? Left::beginning : Left::other;
  if (left.size() + kLeast > all.size()) return Left::other;
  if (all.starts_with(left)) return Left::beginning;
  bool whole = whole_sample(before);
  if (whole && all.ends_with(left)) return Left::end;
  return emptied(all, left, whole) ? Left::emptied : Left::other;
}

std::vector<std::string_view> tokens_of(std::string_view body) {
  static constexpr auto kMarks = [] {
    std::array<bool, 256> marks{};
    for (char c : std::string_view("\"&=<>{}[]\n\r")) marks[static_cast<unsigned char>(c)] = true;
    return marks;
  }();
  std::vector<std::string_view> tokens;
  while (!body.empty()) {
    std::size_t end = 0;
    while (end < body.size() && !kMarks[static_cast<unsigned char>(body[end])]) end++;
    auto token = body.substr(0, end);
    auto first = token.find_first_not_of(" :,\t");
    if (first != token.npos) tokens.push_back(token.substr(first, token.find_last_not_of(" :,\t") - first + 1));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return tokens;
}

std::optional<double> time_of(std::string_view text) {
  if (text.size() < 10 || text.size() > 40 || text[0] < '1' || text[0] > '2') return {};
  std::string digits;
  auto decoded = percent_decode(text);
  std::size_t fraction = decoded.find('.');
  for (char c : std::string_view(decoded).substr(0, fraction))
    if (c >= '0' && c <= '9') digits += c;
  bool plain = digits.size() == std::min(fraction, decoded.size());
  auto number = [&](std::size_t at, std::size_t n) {
    return to_int(std::string_view(digits).substr(at, n)).value_or(0);
  };
  if (plain && digits.size() == 10 && digits[0] == '1') return static_cast<double>(number(0, 10));
  if (plain && digits.size() == 13 && digits[0] == '1') return static_cast<double>(number(0, 13)) / 1e3;
  if (digits.size() < 14 || digits.size() > 18 || !digits.starts_with("20") || decoded.find('T') == decoded.npos)
    return {};
  return static_cast<double>(days_from_civil(number(0, 4), number(4, 2), number(6, 2)) * 86400 + number(8, 2) * 3600 +
                             number(10, 2) * 60 + number(12, 2));
}
bool unsent_body(const Exchange& e) {
  auto length = find(e.request_headers, "content-length");
  return e.request_bytes == 0 && !find(e.request_headers, "expect").empty() && length != "0";
}

// Its head says so, before anything could follow it (RFC 9112 6.3).
static bool announces_no_body(const Exchange& e) {
  auto length = find(e.request_headers, "content-length");
  return length == "0" || (length.empty() && e.stream == 0 && find(e.request_headers, "transfer-encoding").empty());
}

std::uint64_t content_key(const Exchange& e) {
  if (!e.request_read) return announces_no_body(e) ? 1 : 0;
  if (packed(e) || unsent_body(e)) return 0;
  if (e.request_digest == 0) return 1;
  auto type = find(e.request_headers, "content-type");
  if (e.request_sample.empty()) return e.request_digest | 1;  // none was kept
  if (!whole_sample(e)) return type.starts_with("multipart/") ? 0 : e.request_digest | 1;
  auto body = sample_of(e);
  if (auto ordered = json_in_order(body)) body = std::move(*ordered);
  Key key = 9;
  std::string_view name;
  for (auto token : tokens_of(body)) {
    bool fixed = !is_volatile_name(name) && !time_of(token);
    key = mix(key, fixed ? token : std::string_view("*"));
    name = token;
  }
  return key | 1;
}

}  // namespace retrial::trace
