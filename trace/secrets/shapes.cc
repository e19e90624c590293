#include "trace/secrets/shapes.h"

#include "base/text.h"
#include "trace/secrets/beginnings.h"
#include "trace/secrets/token_prefixes.h"

namespace retrial::trace {
namespace {

template <class Is>
std::size_t run_end(const Unfolded& text, std::size_t at, Is is) {
  auto depth = text.depth(at);
  while (at < text.size() && is(text[at]) && text.depth(at) >= depth) at++;
  return at;
}

// Calls with each byte, as long as that says true; false: it said false once.
template <class Take>
bool decode64(std::string_view text, Take take) {
  unsigned bits = 0;
  int held = 0;
  for (char c : text) {
    int v = c >= 'A' && c <= 'Z'   ? c - 'A'
            : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : is_digit(c)          ? c - '0' + 52
            : c == '+' || c == '-' ? 62
            : c == '/' || c == '_' ? 63
                                   : -1;
    if (v < 0) break;
    bits = bits << 6 | static_cast<unsigned>(v);
    if ((held += 6) < 8) continue;
    held -= 8;
    if (!take(static_cast<char>(bits >> held & 0xff))) return false;
  }
  return true;
}
std::string decode64(std::string_view text) {
  std::string out;
  decode64(text, [&](char c) { return out += c, true; });
  return out;
}

// JWS and JWE in their compact form (RFC 7515 3.1): a JSON object in base64url, and more behind a dot. A page token may
// be an object in base64url, too: without a dot it is a secret only where the text ends in it.
Span jwt_at(const Unfolded& text, std::size_t at) {
  auto head = run_end(text, at, in_token);
  if (head - at < 12) return {};
  auto header = decode64(text.text().substr(at, head - at));
  bool told = header.find("\"alg\"") != header.npos || header.find("\"enc\"") != header.npos;
  if (!told && (text[head] != '.' && head < text.size())) return {};
  if (!told && header.find('"') == header.npos) return {};
  auto end = run_end(text, head, [](char c) { return in_token(c) || c == '.' || c == '='; });
  return told || end > head + 4 || end == text.size() ? Span{at, end} : Span{};
}

// "Bearer x" and "Basic x" (RFC 6750, RFC 7617), whatever header or field they stand in.
Span credentials_at(const Unfolded& text, std::size_t at) {
  auto word = text.text().substr(at, run_end(text, at, is_letter) - at);
  bool basic = iequals(word, "basic");
  if (!basic && !iequals(word, "bearer") && !iequals(word, "token") && !iequals(word, "dpop")) return {};
  auto begin = at + word.size();
  while (text[begin] == ' ' || (text[begin] == '+' && begin == at + word.size())) begin++;
  if (begin == at + word.size()) return {};
  auto end = run_end(text, begin, in_token68);
  auto value = text.text().substr(begin, end - begin);
  if (basic) return value.size() > 3 && decode64(value).find(':') != std::string::npos ? Span{begin, end} : Span{};
  if (text[end] == '"' && value.ends_with('=')) return {};  // realm="..."
  bool digits = std::ranges::any_of(value, is_digit);
  return value.size() >= 8 && (digits || value.size() >= 20) ? Span{begin, end} : Span{};
}

// Of a webhook the path is the secret.
Span webhook_at(const Unfolded& text, std::size_t at) {
  for (auto host : kWebhooks)
    if (text.text().substr(at).starts_with(host))
      return {at + host.size(), run_end(text, at + host.size(), [](char c) { return in_token68(c) || c == '@'; })};
  return {};
}

// A bot of Telegram: its number, ':', 35 characters.
Span bot_at(const Unfolded& text, std::size_t at) {
  auto colon = run_end(text, at, is_digit);
  if (colon - at < 8 || colon - at > 12 || text[colon] != ':') return {};
  auto end = run_end(text, colon + 1, in_token);
  return (end - colon >= 33 && end - colon <= 40) || (end == text.size() && end - colon > 8) ? Span{colon + 1, end}
                                                                                             : Span{};
}

bool looks_random(std::string_view text) {
  if (text.size() < 16) return false;
  int digits = 0, letters = 0;
  for (char c : text) {
    digits += is_digit(c);
    letters += is_letter(c);
    if (!in_token68(c) && c != '%' && c != '*') return false;
  }
  return digits >= 3 && letters >= 3;
}

}  // namespace

bool is_text_in_base64(std::string_view run) {
  auto plain = [](char c) { return (c >= ' ' && c < 127) || c == '\n' || c == '\r' || c == '\t'; };
  if (run.size() < kShortestBase64 || !is_letter(run[0]) || run[0] > 'f') return false;  // its first bit is ASCII's 0
  return decode64(run, plain);
}
std::string text_in_base64(std::string_view run) { return is_text_in_base64(run) ? decode64(run) : std::string(); }

Span token_at(const Unfolded& text, std::size_t at) {
  auto rest = text.text().substr(at);
  bool bot = rest.starts_with("bot");
  if (bot || is_digit(text[at]))
    if (auto found = bot_at(text, bot ? at + 3 : at)) return found;
  if (!may_begin_secret(rest)) return {};
  for (auto& [begin, least] : kPrefixes) {
    if (!rest.starts_with(begin)) continue;
    bool dotted = begin.find('.') != begin.npos || begin == "1//0" || begin.find("eyJ") != begin.npos;
    auto end = run_end(text, at + begin.size(), [&](char c) { return in_token(c) || (dotted && in_token68(c)); });
    auto value = rest.substr(begin.size(), end - at - begin.size());
    // "test_create" is a name wherever a text ends.
    bool name = (begin == "test_" || begin == "live_") && std::ranges::none_of(value, is_digit);
    bool cut = end == text.size() && end - at > begin.size() + 3 && begin.size() >= 3 && !name;
    if (!cut && end - at < least) continue;
    if (!cut && !begin.ends_with('-') && !begin.ends_with('_') && !dotted && value.find_first_of("_-") != value.npos &&
        begin.size() < 4)
      continue;  // a name
    if (!cut && std::ranges::none_of(value, is_digit) && value.size() < 24 && !begin.starts_with('A')) continue;
    if (!cut && begin.size() < 6 && std::ranges::none_of(value, is_digit) && begin[1] != 'K') continue;
    while (text[end] == '=' || text[end] == '/' || text[end] == '+') end++;
    return {at, run_end(text, end, in_token68)};
  }
  if (rest.starts_with("ey")) return jwt_at(text, at);
  if (rest.starts_with("hooks.") || rest.starts_with("discord") || rest.starts_with("webhook."))
    return webhook_at(text, at);
  return credentials_at(text, at);
}

Span userinfo_at(const Unfolded& text, std::size_t at) {
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
    bool port = colon == whole.npos || std::ranges::all_of(authority.substr(colon + 1), is_digit) ||
                authority.starts_with('[') || authority.find(',') != authority.npos;
    if (port) return {};
    sign = whole.rfind('@');  // a password with '/' in it, or one that is cut off
    if (sign == whole.npos && end < all.size()) return {};
    if (sign == whole.npos) sign = whole.size();
  }
  if (colon < sign) return {begin + colon + 1, begin + sign};
  return looks_random(whole.substr(0, sign)) ? Span{begin, begin + sign} : Span{};
}

}  // namespace retrial::trace
