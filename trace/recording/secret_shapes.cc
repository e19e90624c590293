#include "trace/recording/secret_shapes.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::trace {
namespace {

constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool alnum(char c) { return digit(c) || letter(c); }
constexpr bool in_token(char c) { return alnum(c) || c == '_' || c == '-'; }
// token68, RFC 9110 11.2
constexpr bool in_token68(char c) { return in_token(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }

// What services' documents and secret scanners tell of keys: how each begins, and how long it is at least.
struct Prefix {
  std::string_view begin;
  std::size_t least;
};
constexpr Prefix kPrefixes[] = {
    {"AKIA", 20},        {"ASIA", 20},         {"ABIA", 20},          {"ACCA", 20},         {"ghp_", 20},
    {"gho_", 20},        {"ghu_", 20},         {"ghs_", 20},          {"ghr_", 20},         {"github_pat_", 24},
    {"glpat-", 20},      {"gldt-", 20},        {"glrt-", 20},         {"glptt-", 20},       {"glcbt-", 20},
    {"gloas-", 20},      {"glsoat-", 20},      {"glft-", 20},         {"glagent-", 20},     {"glimt-", 20},
    {"xoxb-", 15},       {"xoxp-", 15},        {"xoxa-", 15},         {"xoxr-", 15},        {"xoxs-", 15},
    {"xoxe-", 15},       {"xoxe.", 15},        {"xapp-", 15},         {"xoxo-", 15},        {"xoxc-", 15},
    {"xoxd-", 15},       {"sk_live_", 16},     {"sk_test_", 16},      {"sk_prod_", 16},     {"rk_live_", 16},
    {"rk_test_", 16},    {"whsec_", 16},       {"AIza", 35},          {"ya29.", 20},        {"GOCSPX-", 20},
    {"1//0", 30},        {"npm_", 30},         {"pypi-", 30},         {"SG.", 30},          {"sk-ant-", 20},
    {"sk-proj-", 20},    {"sk-svcacct-", 20},  {"sk-admin-", 20},     {"sk-or-", 20},       {"sk-", 32},
    {"hf_", 30},         {"r8_", 30},          {"gsk_", 30},          {"xai-", 30},         {"pplx-", 30},
    {"hvs.", 24},        {"hvb.", 24},         {"hvr.", 24},          {"dop_v1_", 30},      {"doo_v1_", 30},
    {"dor_v1_", 30},     {"shpat_", 30},       {"shpca_", 30},        {"shppa_", 30},       {"shpss_", 30},
    {"dckr_pat_", 20},   {"dckr_oat_", 20},    {"rubygems_", 30},     {"lin_api_", 30},     {"lin_oauth_", 30},
    {"pul-", 30},        {"dp.pt.", 30},       {"dp.st.", 30},        {"dp.ct.", 30},       {"dp.sa.", 30},
    {"dapi", 32},        {"glsa_", 30},        {"glc_", 30},          {"sq0atp-", 20},      {"sq0csp-", 20},
    {"EAAA", 50},        {"NRAK-", 25},        {"NRJS-", 20},         {"NRII-", 25},        {"PMAK-", 30},
    {"pat-na1-", 30},    {"pat-eu1-", 30},     {"key-", 36},          {"SK", 34},           {"AGE-SECRET-KEY-1", 30},
    {"sntrys_", 30},     {"sntryu_", 30},      {"sgp_", 30},          {"nfp_", 30},         {"ntn_", 30},
    {"secret_", 40},     {"fo1_", 30},         {"fm1_", 30},          {"fm2_", 30},         {"figd_", 30},
    {"pscale_tkn_", 30}, {"pscale_pw_", 30},   {"pscale_oauth_", 30}, {"rdme_", 30},        {"tfp_", 30},
    {"xkeysib-", 30},    {"xsmtpsib-", 30},    {"ATATT3", 40},        {"ATCTT3", 40},       {"ATBB", 28},
    {"oy2", 43},         {"ops_eyJ", 30},      {"A3-", 30},           {"CFPAT-", 30},       {"cio", 40},
    {"PRVT", 30},        {"shippo_live_", 30}, {"shippo_test_", 30},  {"duffel_live_", 30}, {"duffel_test_", 30},
    {"EZAK", 40},        {"EZTK", 40},         {"FLWSECK", 20},       {"live_", 35},        {"test_", 35},
    {"rzp_live_", 20},   {"rzp_test_", 20},    {"access_token$", 30}, {"p8e-", 32},         {"sha256~", 43},
    {"bkua_", 30},       {"phc_", 30},         {"phx_", 30},          {"re_", 30},          {"tskey-", 20},
    {"t1_", 60},         {"ico-", 32},         {"EAA", 60},           {"LTAI", 20},         {"AKID", 30},
    {"sbp_", 30},        {"cfut_", 30},        {"v1.0-", 30},         {"AQVN", 38},         {"ap2_", 30},
    {"VF.DM.", 30},      {"HRKU-", 30},        {"apify_api_", 30},    {"waka_", 30},        {"CLOJARS_", 40},
};
constexpr auto kFirst = [] {
  std::array<bool, 128> first{};
  for (auto& prefix : kPrefixes) first[static_cast<std::size_t>(prefix.begin[0])] = true;
  for (char c : std::string_view("eBbTtDdhw0123456789")) first[static_cast<std::size_t>(c)] = true;
  return first;
}();

// What other tokens begin with.
constexpr std::string_view kOthers[] = {"ey",     "bearer ", "Bearer ", "BEARER ", "basic ",
                                        "Basic ", "BASIC ",  "token ",  "Token ",  "dpop ",
                                        "DPoP ",  "bot",     "hooks.",  "discord", "webhook."};
constexpr std::size_t pair_of(char a, char b) {
  return static_cast<std::size_t>(a & 127) << 7 | static_cast<std::size_t>(b & 127);
}
constexpr auto kPairs = [] {
  std::array<bool, std::size_t{1} << 14> pairs{};
  for (auto& prefix : kPrefixes) pairs[pair_of(prefix.begin[0], prefix.begin[1])] = true;
  for (auto other : kOthers) pairs[pair_of(other[0], other[1])] = true;
  return pairs;
}();

template <class Is>
std::size_t run_end(const Unfolded& text, std::size_t at, Is is) {
  auto depth = text.depth(at);
  while (at < text.size() && is(text[at]) && text.depth(at) >= depth) at++;
  return at;
}

std::string decode64(std::string_view text) {
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (char c : text) {
    int v = c >= 'A' && c <= 'Z'   ? c - 'A'
            : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : digit(c)             ? c - '0' + 52
            : c == '+' || c == '-' ? 62
            : c == '/' || c == '_' ? 63
                                   : -1;
    if (v < 0) break;
    bits = bits << 6 | static_cast<unsigned>(v);
    if ((held += 6) < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xff);
  }
  return out;
}

// JWS and JWE in their compact form (RFC 7515 3.1): a JSON object in base64url, and more behind a dot. A page token may
// be an object in base64url, too: without a dot it is a secret only where the text ends in it.
Shape jwt_at(const Unfolded& text, std::size_t at) {
  auto head = run_end(text, at, in_token);
  if (head - at < 12) return {};
  auto header = decode64(text.text().substr(at, head - at));
  bool told = header.find("\"alg\"") != header.npos || header.find("\"enc\"") != header.npos;
  if (!told && (text[head] != '.' && head < text.size())) return {};
  if (!told && header.find('"') == header.npos) return {};
  auto end = run_end(text, head, [](char c) { return in_token(c) || c == '.' || c == '='; });
  return told || end > head + 4 || end == text.size() ? Shape{at, end} : Shape{};
}

// "Bearer x" and "Basic x" (RFC 6750, RFC 7617), whatever header or field they stand in.
Shape credentials_at(const Unfolded& text, std::size_t at) {
  auto word = text.text().substr(at, run_end(text, at, letter) - at);
  bool basic = iequals(word, "basic");
  if (!basic && !iequals(word, "bearer") && !iequals(word, "token") && !iequals(word, "dpop")) return {};
  auto begin = at + word.size();
  while (text[begin] == ' ' || (text[begin] == '+' && begin == at + word.size())) begin++;
  if (begin == at + word.size()) return {};
  auto end = run_end(text, begin, in_token68);
  auto value = text.text().substr(begin, end - begin);
  if (basic) return value.size() > 3 && decode64(value).find(':') != std::string::npos ? Shape{begin, end} : Shape{};
  if (value.size() < 8 || text[end] == '"') {
    if (value.ends_with('=')) return {};  // realm="..."
  }
  bool digits = std::ranges::any_of(value, digit);
  return value.size() >= 8 && (digits || value.size() >= 20) ? Shape{begin, end} : Shape{};
}

// Of a webhook the path is the secret.
Shape webhook_at(const Unfolded& text, std::size_t at) {
  for (std::string_view host : {"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/",
                                "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
                                "hooks.zapier.com/hooks/catch/", "webhook.office.com/webhookb2/"})
    if (text.text().substr(at).starts_with(host))
      return {at + host.size(), run_end(text, at + host.size(), [](char c) { return in_token68(c) || c == '@'; })};
  return {};
}

// A bot of Telegram: its number, ':', 35 characters.
Shape bot_at(const Unfolded& text, std::size_t at) {
  auto colon = run_end(text, at, digit);
  if (colon - at < 8 || colon - at > 12 || text[colon] != ':') return {};
  auto end = run_end(text, colon + 1, in_token);
  return (end - colon >= 33 && end - colon <= 40) || (end == text.size() && end - colon > 8) ? Shape{colon + 1, end}
                                                                                             : Shape{};
}

}  // namespace

std::string text_in_base64(std::string_view run) {
  auto text = decode64(run);
  bool plain =
      std::ranges::all_of(text, [](char c) { return (c >= ' ' && c < 127) || c == '\n' || c == '\r' || c == '\t'; });
  return plain ? text : std::string();
}

bool looks_random(std::string_view text) {
  if (text.size() < 16) return false;
  int digits = 0, letters = 0;
  for (char c : text) {
    digits += digit(c);
    letters += letter(c);
    if (!in_token68(c) && c != '%' && c != '*') return false;
  }
  return digits >= 3 && letters >= 3;
}

Shape token_at(const Unfolded& text, std::size_t at) {
  auto first = static_cast<unsigned char>(text[at]);
  if (first >= kFirst.size() || !kFirst[first]) return {};
  auto rest = text.text().substr(at);
  for (auto& [begin, least] : kPrefixes) {
    if (!rest.starts_with(begin)) continue;
    bool dotted = begin.find('.') != begin.npos || begin == "1//0" || begin.find("eyJ") != begin.npos;
    auto end = run_end(text, at + begin.size(), [&](char c) { return in_token(c) || (dotted && in_token68(c)); });
    bool cut = end == text.size() && end - at > begin.size() + 3 && begin.size() >= 3;
    if (!cut && end - at < least) continue;
    auto value = rest.substr(begin.size(), end - at - begin.size());
    if (!cut && !begin.ends_with('-') && !begin.ends_with('_') && !dotted && value.find_first_of("_-") != value.npos &&
        begin.size() < 4)
      continue;  // a name
    if (!cut && std::ranges::none_of(value, digit) && value.size() < 24 && !begin.starts_with('A')) continue;
    if (!cut && begin.size() < 6 && std::ranges::none_of(value, digit) && begin[1] != 'K') continue;
    while (text[end] == '=' || text[end] == '/' || text[end] == '+') end++;
    return {at, run_end(text, end, in_token68)};
  }
  if (rest.starts_with("ey")) return jwt_at(text, at);
  if (rest.starts_with("bot")) return bot_at(text, at + 3);
  if (digit(text[at])) return bot_at(text, at);
  if (rest.starts_with("hooks.") || rest.starts_with("discord") || rest.starts_with("webhook."))
    return webhook_at(text, at);
  return credentials_at(text, at);
}

bool may_begin_token(std::string_view text) {
  if (text.size() < 2 || !kPairs[pair_of(text[0], text[1])]) return false;
  return std::ranges::any_of(kPrefixes, [&](auto& prefix) { return text.starts_with(prefix.begin); }) ||
         std::ranges::any_of(kOthers, [&](auto other) { return text.starts_with(other); });
}

Shape pem_at(const Unfolded& text, std::size_t at, std::size_t from) {
  constexpr std::string_view kBegin = "-----BEGIN", kEnd = "-----END";
  auto all = text.text();
  auto rest = all.substr(at);
  bool begins = rest.starts_with(kBegin);
  if (!begins && !rest.starts_with(kEnd)) return {};
  auto label = rest.substr(begins ? kBegin.size() : kEnd.size(), 48);
  auto dashes = label.find("-----");
  label = label.substr(0, dashes);
  bool secret = dashes == label.npos || label.find("PRIVATE") != label.npos || label.find("SECRET") != label.npos ||
                label.find("ENCRYPTED") != label.npos;
  // What the label is cut short of may be anything; a label that is whole says what it is.
  if (dashes == label.npos && at + kBegin.size() + 48 < all.size() && label.find("PRIVATE") == label.npos)
    secret = false;
  if (!secret) return {};
  if (!begins) {
    auto quote = all.substr(0, at).find_last_of("\"'");
    auto begin = std::max(from, quote == all.npos ? std::size_t{0} : quote + 1);
    return {begin, std::min(all.size(), at + kEnd.size() + label.size() + 5)};
  }
  auto end = all.find(kEnd, at + kBegin.size());
  if (end == all.npos) {
    auto quote = all.find('"', at);
    return {at, quote == all.npos ? all.size() : quote};
  }
  auto closing = all.find("-----", end + kEnd.size());
  return {at, closing == all.npos || closing > end + 64 ? all.size() : closing + 5};
}

Shape userinfo_at(const Unfolded& text, std::size_t at) {
  auto all = text.text();
  auto begin = at + 3;
  auto end = begin;
  while (end < all.size() && static_cast<unsigned char>(all[end]) > ' ' &&
         std::string_view("\"'<>`|\\").find(all[end]) == std::string_view::npos &&
         text.depth(end) <= text.depth(at) + 1)
    end++;
  auto whole = all.substr(begin, end - begin);
  auto authority = whole.substr(0, whole.find_first_of("/?#"));
  // A decoded %2F is data.
  auto sign = authority.rfind('@');
  auto colon = authority.find(':');
  if (sign == authority.npos && end == all.size() && authority == whole && looks_random(whole)) return {begin, end};
  if (sign == authority.npos) {
    bool port = colon == whole.npos || std::ranges::all_of(authority.substr(colon + 1), digit) ||
                authority.starts_with('[') || authority.find(',') != authority.npos;
    if (port) return {};
    sign = whole.rfind('@');  // a password with '/' in it, or one that is cut off
    if (sign == whole.npos && end < all.size()) return {};
    if (sign == whole.npos) sign = whole.size();
  }
  if (colon < sign) return {begin + colon + 1, begin + sign};
  return looks_random(whole.substr(0, sign)) ? Shape{begin, begin + sign} : Shape{};
}

}  // namespace retrial::trace
