#include "trace/recording/secret_shapes.h"

#include <array>
#include <string>

namespace retrial::trace {
namespace {

// What their issuers document, and scanners look for. %h, %d, %U, %w: at least that many hex digits, digits, capitals
// or digits, letters, digits, '-' or '_'; all else stands for itself.
constexpr std::string_view kShapes[] = {
    // clouds
    "AKIA%U12", "ASIA%U12", "ABIA%U12", "ACCA%U12", "A3T%U13", "ABSK%w40", "bedrock-api-key-%w20", "FwoGZXIv",
    "IQoJb3JpZ2lu", "AIza%w30", "GOCSPX-%w20", "ya29.%w20", "1//0%w20", "LTAI%w12", "AKID%w16", "dop_v1_%w20",
    "doo_v1_%w20", "dor_v1_%w20", "HRKU-%w20", "fo1_%w20", "fm1_%w20", "fm1r_%w20", "fm2_%w20", "nfp_%w20", "t1.9eu%w20",
    "AQVN%w30", "y0_%w30", "tk-us-%w20", "sbp_%h20", "sb_secret_%w10", "dnkey-%w20", "pscale_tkn_%w16",
    "pscale_pw_%w16", "pscale_oauth_%w16", "CfDJ8%w20", "gAAAAA%w40", "v1.0-%h20-%h40", "%w3Q~%w28",
    // code, packages, machines that build
    "ghp_%w16", "gho_%w16", "ghu_%w16", "ghs_%w16", "ghr_%w16", "github_pat_%w16", "glpat-%w12", "gldt-%w12",
    "glft-%w12", "glsoat-%w12", "glrt-%w12", "glrtr-%w12", "glptt-%w12", "glcbt-%w12", "glagent-%w12", "glimt-%w12",
    "glffct-%w12", "glwt-%w12", "gloas-%w12", "GR1348941%w12", "ATATT3%w20", "ATCTT3%w20", "ATBB%w24", "ATOA%w24",
    "npm_%w20", "pypi-%w16", "rubygems_%h20", "oy2%w40", "CLOJARS_%w20", "dckr_pat_%w16", "dckr_oat_%w16", "CCIPAT_%w16",
    "CCIPRJ_%w16", "bkua_%h20", "AKCp%w40", "cmVmdGtu%w20", "cmVmd%w55", "squ_%w16", "sqp_%w16", "sqa_%w16", "sgp_%w16",
    "sntrys_%w16", "sntryu_%w16", "PMAK-%w20", "rdme_%w20", "API-%U20", "pul-%h20", "pnu_%w20", "ico-%w28",
    "hvs.%w16", "hvb.%w16", "hvr.%w16", "%w14.atlasv1.%w20", "dp.pt.%w16", "dp.st.%w3", "dp.ct.%w16", "dp.sa.%w16",
    "dp.scim.%w16", "dp.audit.%w16", "dt0c01.%w20", "dt0s16.%w20", "sha256~%w30", "AGE-SECRET-KEY-1%w10", "ops_eyJ%w20",
    "A3-%U6-%U6", "glc_%w20", "glsa_%w20", "eyJrIjoi%w20", "NRAK-%w16", "NRJS-%w12", "NRII-%w16", "NRRA-%w16", "dapi%h24",
    "LDAPI-%w16", "sdk-%h8-%h4-%h4-%h4-%h8", "mob-%h8-%h4-%h4-%h4-%h8", "s-s4t2ud-%w20", "s-s4t2af-%w20", "PRVT-%w16",
    "lin_api_%w16", "lin_oauth_%w16", "ntn_%w20", "secret_%w36", "figd_%w16", "fio-u-%w20", "sm_aat_%w10", "tfp_%w16",
    "pat-na1-%h8", "pat-eu1-%h8", "vault:v1:%w8", "uk1-%h20",
    // models
    "sk-ant-%w16", "sk-proj-%w16", "sk-svcacct-%w16", "sk-admin-%w16", "sk-or-v1-%h16", "sk-%w32", "hf_%w24",
    "api_org_%w20", "r8_%w24", "gsk_%w24", "xai-%w24", "pplx-%w24", "tvly-%w16", "sk-lf-%w16",
    // money, messages
    "sk_live_%w8", "sk_test_%w8", "sk_prod_%w8", "rk_live_%w8", "rk_test_%w8", "rk_prod_%w8", "whsec_%w8", "sq0atp-%w12",
    "sq0csp-%w12", "EAAA%w50", "EAAM%w50", "EAAC%w50", "EZAK%w20", "EZTK%w20", "FLWSECK%w12", "shpat_%w16", "shpca_%w16",
    "shppa_%w16", "shpss_%w16", "shippo_live_%w16", "shippo_test_%w16", "duffel_live_%w16", "duffel_test_%w16",
    "access-production-%h8", "access-sandbox-%h8", "access-development-%h8", "xoxb-%w8", "xoxp-%w8", "xoxa-%w8",
    "xoxr-%w8", "xoxs-%w8", "xoxe-%w8", "xoxe.xox%w8", "xoxo-%w8", "xoxd-%w8", "xoxc-%w8", "xapp-%w8", "xwfp-%w8",
    "SG.%w16", "SK%h32", "key-%h32", "%h32-us%d1", "xkeysib-%h20", "xsmtpsib-%h20", "%d8:AA%w30", "%w23.%w6.%w27",
    "services/T%U7/B%U7/%w12", "webhookb2/%h8", "api/webhooks/%d16/%w20", "live_%w36", "test_%w36", "sl.%w100", "p8e-%w24",
    // keys of their own, without armour, and hashes of passwords
    "MIIEpAIBAAKCA", "MIIEowIBAAKCA", "MIIEogIBAAKCA", "MIIJKQIBAAKCA", "MIIJKAIBAAKCA", "MIIJJwIBAAKCA", "MIICXAIBAAKB",
    "MIICXQIBAAKB", "MIIEvQIBADANB", "MIIEvgIBADANB", "MIIEvAIBADANB", "MIIJQgIBADANB", "MIIJQwIBADANB", "MHcCAQEEI",
    "MIGHAgEAMBMG", "MC4CAQAwBQYDK2VwBCIEI", "b3BlbnNzaC1rZXktdjE", "$2a$%d2$", "$2b$%d2$", "$2y$%d2$", "$argon2",
    "$6$%w4", "$5$%w4", "$pbkdf2-", "$scrypt$", "pbkdf2_sha", "{SSHA"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_capital(c) || is_lower(c) || c == '-' || c == '_'; }
bool of_kind(char c, char kind) {
  switch (kind) {
    case 'h':
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    case 'd':
      return is_digit(c);
    case 'U':
      return is_digit(c) || is_capital(c);
    default:
      return is_word(c);
  }
}
// RFC 9110's token68, and what tokens are joined of.
bool is_token(char c) { return is_word(c) || c == '.' || c == '/' || c == '+' || c == '=' || c == '~' || c == '$'; }

// Does text[at..] have this shape, or begin it where the text ends? A digit is wanted where letters alone are a word.
bool has_shape(std::string_view text, std::size_t at, std::string_view shape) {
  auto begin = at;
  std::size_t same = 0;
  bool digit = false;
  for (std::size_t i = 0; i < shape.size();) {
    if (at == text.size()) return same >= 3;
    if (shape[i] != '%') {
      if (text[at] != shape[i]) return false;
      at++, i++, same++;
      continue;
    }
    char kind = shape[i + 1];
    std::size_t least = 0, most = 4096, n = 0;
    for (i += 2; i < shape.size() && is_digit(shape[i]); i++) least = least * 10 + static_cast<std::size_t>(shape[i] - '0');
    if (i < shape.size() && kind != 'd') most = is_word(shape[i]) || shape[i] == '-' ? least : most;
    for (; at < text.size() && n < most && of_kind(text[at], kind); at++, n++) digit |= is_digit(text[at]);
    if (n < least && at < text.size()) return false;
  }
  return same >= 4 || digit || at - begin > 30 || same == at - begin;
}

int base64_digit(char c) {
  if (is_capital(c)) return c - 'A';
  if (is_lower(c)) return c - 'a' + 26;
  if (is_digit(c)) return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

constexpr auto kBegins = [] {  // the first two characters of shapes
  std::array<bool, 128 * 128> begins{};
  for (auto shape : kShapes)
    if (shape[0] != '%') begins[static_cast<std::size_t>(shape[0]) << 7 | static_cast<std::size_t>(shape[1])] = true;
  begins[std::size_t{'e'} << 7 | std::size_t{'y'}] = true;
  return begins;
}();

}  // namespace

std::string text_in_base64(std::string_view run) {
  std::string text;
  unsigned bits = 0;
  int have = 0;
  for (char c : run) {
    int digit = base64_digit(c);
    if (digit < 0) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((have += 6) < 8) continue;
    have -= 8;
    auto byte = static_cast<unsigned char>(bits >> have);
    if ((byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t') || byte >= 127) return {};
    text += static_cast<char>(byte);
  }
  return text;
}

std::size_t shaped_secret_end(std::string_view text, std::size_t at) {
  auto end = at;
  while (end < text.size() && is_token(text[end])) end++;
  if (text.substr(at).starts_with("eyJ")) {
    auto header = text_in_base64(text.substr(at, text.substr(at, end - at).find('.')));
    if (header.find("\"alg\"") != header.npos || header.find("\"enc\"") != header.npos) return end;
  }
  char first = text[at];
  for (auto shape : kShapes) {
    if ((shape[0] != '%' && shape[0] != first) || !has_shape(text, at, shape)) continue;
    while (end < text.size() && (is_token(text[end]) || text[end] == ':')) end++;
    return end;
  }
  return at;
}

bool may_begin_shaped_secret(std::string_view text) {
  auto a = static_cast<unsigned char>(text[0]), b = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0u;
  return a < 128 && b < 128 && kBegins[static_cast<std::size_t>(a) << 7 | b];
}

}  // namespace retrial::trace
