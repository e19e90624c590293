#include "oracles/service_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/client_words.h"
#include "trace/profiles/message.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr std::size_t kShortestCode = 4;  // "code": "E1" proves nothing
constexpr std::size_t kShortestSentence = 10;
constexpr std::size_t kLongestPlainText = 200;
constexpr std::size_t kMostWords = 40;

constexpr std::string_view kCodeKeys[] = {"code",       "Code", "__type", "error", "errorCode",
                                          "error_code", "type", "reason", "status"};
constexpr std::string_view kSentenceKeys[] = {"message",           "Message",      "title", "detail",
                                              "error_description", "errorMessage", "error"};
constexpr std::string_view kCommon[] = {"error",   "errors", "fail",   "failed",  "failure", "exception",  "invalid",
                                        "unknown", "client", "server", "message", "request", "sender",     "receiver",
                                        "none",    "null",   "true",   "false",   "http",    "about:blank"};

void add(std::vector<std::string>& words, std::string_view word, std::size_t shortest) {
  word = trim(word.substr(0, word.find_first_of("\r\n")));
  while (!word.empty() && (word.back() == '.' || word.back() == '!')) word.remove_suffix(1);
  if (word.size() < shortest || words.size() >= kMostWords) return;
  if (std::any_of(std::begin(kCommon), std::end(kCommon), [&](auto c) { return iequals(c, word); })) return;
  if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
}

// "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue;Sender", "NoSuchKey:http://..."
void add_code(std::vector<std::string>& words, std::string_view code) {
  if (auto at = code.find('#'); at != code.npos) code.remove_prefix(at + 1);
  code = code.substr(0, code.find_first_of(";,"));
  if (auto at = code.find(":http"); at != code.npos) code = code.substr(0, at);
  add(words, code, kShortestCode);
  if (auto at = code.rfind('.'); at != code.npos) add(words, code.substr(at + 1), kShortestCode);
}

void add_xml(std::vector<std::string>& words, std::string_view body) {
  for (std::string_view tag : {"Code", "code", "Message", "message"}) {
    auto open = fmt::format("<{}", tag), close = fmt::format("</{}>", tag);
    for (auto at = body.find(open); at != body.npos; at = body.find(open, at + 1)) {
      auto from = body.find('>', at);
      auto end = body.find(close, at);
      if (from == body.npos || end == body.npos || end <= from) break;
      auto text = body.substr(from + 1, end - from - 1);
      if (iequals(tag, "code"))
        add_code(words, text);
      else
        add(words, text, kShortestSentence);
    }
  }
}

// The string value of each such key, at any depth. A sample may end anywhere, so this is no parser.
void add_json(std::vector<std::string>& words, std::string_view body, std::string_view key, bool code) {
  auto quoted = '"' + std::string(key) + '"';
  for (auto at = body.find(quoted); at != body.npos; at = body.find(quoted, at + 1)) {
    auto from = body.find_first_not_of(" \t\r\n", at + quoted.size());
    if (from == body.npos || body[from] != ':') continue;
    from = body.find_first_not_of(" \t\r\n", from + 1);
    if (from == body.npos || body[from] != '"') continue;
    auto end = from + 1;
    while (end < body.size() && body[end] != '"') end += body[end] == '\\' ? 2 : 1;
    if (end >= body.size()) return;
    auto text = body.substr(from + 1, end - from - 1);
    if (code)
      add_code(words, text);
    else
      add(words, text.substr(0, text.find("\\n")), kShortestSentence);
  }
}

}  // namespace

std::vector<std::string> service_words(int status, const std::vector<trace::Header>& headers, std::string_view body) {
  std::vector<std::string> words;
  if (auto reason = trace::message::reason_of(status); reason != "Unknown") add(words, reason, kShortestCode);
  for (std::string_view header : {"x-ms-error-code", "x-amzn-errortype", "x-amzn-query-error"})
    add_code(words, trace::find(headers, header));
  add(words, percent_decode(trace::find(headers, "grpc-message")), kShortestSentence);
  if (trace::is_grpc(status)) return words;
  body = trim(body);
  if (body.starts_with('<')) {
    add_xml(words, body);
  } else if (body.starts_with('{') || body.starts_with('[')) {
    for (auto key : kCodeKeys) add_json(words, body, key, true);
    for (auto key : kSentenceKeys) add_json(words, body, key, false);
  } else if (body.size() <= kLongestPlainText) {
    add(words, body, kShortestSentence);
  }
  return words;
}

std::vector<std::string> service_words(const trace::Exchange& e) {
  auto words = service_words(e.service_status, e.response_headers, e.response_sample);
  if (trace::is_grpc(e.service_status)) add(words, e.grpc.message, kShortestSentence);
  return words;
}

std::string without_urls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto at = text.find("://");
    if (at == text.npos) break;
    auto from = at;
    while (from > 0 && text[from - 1] >= 'a' && text[from - 1] <= 'z') from--;
    out += text.substr(0, from);
    auto end = text.find_first_of(" \t\r\n\"'<>)]},", at);
    text = end == text.npos ? std::string_view{} : text.substr(end);
  }
  return out.append(text);
}

bool says_status(std::string_view text, int status) {
  struct Said {
    int status;
    std::string_view words;
  };
  static constexpr Said kSaid[] = {
      {400, "invalid request"}, {401, "authorization"},  {401, "authentication"}, {401, "unauthenticated"},
      {401, "not authorized"},  {401, "credentials"},    {401, "not logged in"},  {401, "login failed"},
      {403, "permission"},      {403, "access denied"},  {403, "not allowed"},    {403, "not permitted"},
      {403, "not authorized"},  {404, "does not exist"}, {404, "doesn't exist"},  {404, "no such"},
      {409, "already exists"},
  };
  return std::ranges::any_of(kSaid, [&](auto& s) { return s.status == status && holds_word(text, s.words); });
}

namespace {
// "DEADLINE_EXCEEDED" as Go and Rust put it: "DeadlineExceeded".
std::string camel_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); i++)
    if (name[i] != '_') out += i == 0 || name[i - 1] == '_' ? name[i] : static_cast<char>(name[i] | 0x20);
  return out == "Cancelled" ? "Canceled" : out;
}
// Only as it stands: many of these names are words of plain English.
bool names_grpc(std::string_view text, int status) {
  auto name = trace::show_status(status);
  auto inside = [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    auto end = at + name.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) return true;
  }
  auto camel = camel_case(name);
  for (std::string_view before : {"code = ", "status: ", "StatusCode=\""})
    if (text.find(fmt::format("{}{}", before, camel)) != text.npos) return true;
  return false;
}
}  // namespace

bool names(std::string_view text, int status, const std::vector<std::string>& words) {
  auto plain = without_urls(text);
  if (trace::is_grpc(status) ? names_grpc(plain, status) : status && holds_word(plain, std::to_string(status)))
    return true;
  return std::any_of(words.begin(), words.end(), [&](auto& word) { return holds_word(plain, word); });
}

}  // namespace retrial::oracles
