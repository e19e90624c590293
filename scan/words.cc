#include "scan/words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace retrial::scan {
namespace {

bool is_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_inner(char c) { return is_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& all) {
  return std::ranges::find(all, word) != all.end();
}

template <std::size_t N>
bool has_part(std::string_view text, const std::array<std::string_view, N>& all) {
  for (auto id : identifiers(text))
    for (auto& part : parts_of(id))
      if (among(part, all)) return true;
  return false;
}

}  // namespace

std::vector<std::string_view> identifiers(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {
      auto end = text.find(text[i], i + 1);
      i = end == text.npos ? i + 1 : end + 1;
    } else if (is_start(text[i])) {
      auto from = i;
      while (i < text.size() && is_inner(text[i])) i++;
      found.push_back(text.substr(from, i - from));
    } else if (is_inner(text[i])) {
      while (i < text.size() && is_inner(text[i])) i++;
    } else {
      i++;
    }
  }
  return found;
}

std::vector<std::string> parts_of(std::string_view identifier) {
  std::vector<std::string> parts;
  bool fresh = true;
  for (std::size_t i = 0; i < identifier.size(); i++) {
    auto c = identifier[i];
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      fresh = true;
      continue;
    }
    bool up = std::isupper(static_cast<unsigned char>(c)) != 0;
    bool after_low = i > 0 && std::islower(static_cast<unsigned char>(identifier[i - 1]));
    bool ends_run = up && i + 1 < identifier.size() && std::islower(static_cast<unsigned char>(identifier[i + 1])) &&
                    i > 0 && std::isupper(static_cast<unsigned char>(identifier[i - 1]));
    if (fresh || (up && after_low) || ends_run) parts.emplace_back();
    parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    fresh = false;
  }
  return parts;
}

bool mentions(std::string_view text, std::string_view identifier) {
  return !identifier.empty() && std::ranges::count(identifiers(text), identifier) > 0;
}

std::string_view last_name(std::string_view callee) {
  callee = trim(callee);
  if (callee.starts_with("new ")) callee.remove_prefix(4);
  if (auto less = callee.find('<'); less != callee.npos && less > 0 && callee.ends_with('>'))
    callee = callee.substr(0, less);
  auto end = callee.size();
  while (end > 0 && !is_inner(callee[end - 1])) end--;
  auto from = end;
  while (from > 0 && is_inner(callee[from - 1])) from--;
  return callee.substr(from, end - from);
}

std::string_view receiver(std::string_view callee) {
  auto name = last_name(callee);
  auto before = callee.substr(0, static_cast<std::size_t>(name.data() - callee.data()));
  while (!before.empty() && !is_inner(before.back()) && before.back() != ')') before.remove_suffix(1);
  return trim(before);
}

std::string one_line(std::string_view text, std::size_t longest) {
  std::string line;
  for (auto c : trim(text)) {
    bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : c;
  }
  if (line.size() <= longest) return line;
  auto cut = longest - 1;
  while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) cut--;
  return line.substr(0, cut) + "…";
}

bool is_power(std::string_view text) {
  for (auto at = text.find("**"); at != text.npos; at = text.find("**", at + 2)) {
    auto before = trim(text.substr(0, at));
    if (!before.empty() && before.back() != '(' && before.back() != ',' && before.back() != '{') return true;
  }
  return false;
}

bool says_retry(std::string_view identifier) {
  auto word = lower(identifier);
  for (std::string_view part : {"retry", "retries", "retried", "attempt", "backoff", "back_off"})
    if (word.find(part) != word.npos) return true;
  for (auto& part : parts_of(identifier)) {  // not of secureConnect
    if (part == "tries" || part == "ntries" || part == "numtries") return true;
    for (std::string_view again :
         {"reconnect", "redial", "resend", "requeue", "reenqueue", "redeliver", "resubmit", "resubscribe", "rejoin"})
      if (part.find(again) != part.npos) return true;
  }
  return false;
}

bool text_says_retry(std::string_view text) { return std::ranges::any_of(identifiers(text), says_retry); }

bool says_time(std::string_view text) {  // not a time-out: that of one attempt
  return has_part(text, std::array<std::string_view, 12>{"deadline", "elapsed", "now", "time", "monotonic", "until",
                                                         "expires", "expiry", "expired", "nanos", "clock", "since"});
}

bool says_failed(std::string_view identifier) {
  static constexpr std::array<std::string_view, 18> all{
      "err",     "error", "errors",  "exc",       "exception", "ex",        "errno",     "status", "failed",
      "failure", "ok",    "success", "succeeded", "retryable", "transient", "temporary", "ec",     "successful"};
  for (auto& part : parts_of(identifier))
    if (among(part, all)) return true;
  return false;
}

bool is_waiting(std::string_view callee) {
  auto name = lower(last_name(callee));
  while (name.starts_with("_")) name.erase(0, 1);
  if (is_timer(callee) || callee.find("time.After") != callee.npos || callee.find("time.NewTimer") != callee.npos)
    return true;
  for (std::string_view only : {"get", "compute", "calc", "set", "next", "parse", "is", "has", "on", "with", "max",
                                "min", "default", "new", "make", "http", "request", "fetch"})
    if (name.starts_with(only)) return false;
  if (name.ends_with("_set") || name.find("delayed") != name.npos) return false;
  for (std::string_view part : {"sleep", "settimeout", "backoff", "back_off", "delay", "waitfor", "wait_for_retry",
                                "parknanos", "call_later", "afterfunc", "promisetimeout"})
    if (name.find(part) != name.npos) return true;
  auto in = lower(receiver(callee));
  if (name == "wait" && in.find("proc") == in.npos && in.find("wg") == in.npos) return true;
  auto parts = parts_of(last_name(callee));
  bool ticks = name == "tick" && in.find("interval") != in.npos;  // Rust's `interval.tick().await`
  return ticks || (parts.size() > 1 && parts.back() == "wait") || name.starts_with("wait_") ||
         name.ends_with("_wait") || name == "pause" || name == "sleepms" ||
         (name == "schedule" && text_says_retry(callee)) || (name == "reset" && in.find("timer") != in.npos);
}

bool is_timer(std::string_view callee) {
  static constexpr std::array<std::string_view, 15> all{
      "settimer", "setinterval",  "settimeout", "afterfunc", "call_later", "timer",     "schedule",   "later",
      "call_at",  "setimmediate", "runlater",   "enterabs",  "async_wait", "run_later", "postdelayed"};
  auto name = lower(last_name(callee));
  while (name.starts_with("_")) name.erase(0, 1);
  return among(name, all) || name.starts_with("schedule");
}

bool is_talk(std::string_view callee) {
  static constexpr std::array<std::string_view, 34> all{"log",      "logger",
                                                        "logging",  "print",
                                                        "println",  "printf",
                                                        "debug",    "info",
                                                        "warn",     "warning",
                                                        "error",    "trace",
                                                        "fmt",      "console",
                                                        "format",   "sprintf",
                                                        "errorf",   "str",
                                                        "repr",     "len",
                                                        "range",    "min",
                                                        "max",      "int",
                                                        "now",      "time",
                                                        "append",   "inc",
                                                        "incr",     "emit",
                                                        "fine",     "assert",
                                                        "tostring", "currenttimemillis"};
  static constexpr std::array<std::string_view, 7> counters{
      "incrementandget", "getandincrement", "addandget", "compareandset", "compareexchange", "fetch_add", "fetch_sub"};
  static constexpr std::array<std::string_view, 16> conversions{
      "int8",   "int16", "int32", "int64",  "uint",    "uint8", "uint16", "uint32",
      "uint64", "float", "bool",  "string", "float64", "cap",   "make",   "isinstance"};
  if (is_waiting(callee) || among(last_name(callee), conversions)) return true;
  auto name = lower(last_name(callee)), in = lower(last_name(receiver(callee)));
  return among(name, all) || among(name, counters) || in == "log" || in == "logger" || in == "logging" ||
         in == "console" || in == "math" || in == "atomic" || in == "metrics" || in.ends_with("logger") ||
         in.ends_with("log") || name.starts_with("log") || name.ends_with("error") || name.ends_with("exception") ||
         (in == "time" && name == "time");
}

bool is_maker(std::string_view callee) {
  static constexpr std::array<std::string_view, 31> all{
      "parse",   "loads",   "dumps",   "stringify", "parseint", "atoi",   "stoi",  "integer",
      "uuid",    "uuid4",   "nanoid",  "encode",    "lock",     "unlock", "build", "builder",
      "clone",   "newguid", "context", "quote",     "new_v4",   "hex",    "clear", "tojson",
      "to_json", "urn",     "string",  "serialize", "uri",      "trim",   "strip"};
  auto last = last_name(callee);
  auto name = lower(last);
  if (name == "new" || callee.starts_with("new ")) {  // but what connects as it is made
    for (std::string_view part : {"socket", "source", "connection", "stream", "listener"})
      if (icontains(callee, part)) return false;
    return true;
  }
  return among(name, all) || last.starts_with("New") || name.find("uuid") != name.npos ||
         name.starts_with("closeidle") ||
         (name.starts_with("set") && last.size() > 3 &&
          (last[3] == '_' || std::isupper(static_cast<unsigned char>(last[3]))));
}

bool runs_long(std::string_view callee) {
  static constexpr std::array<std::string_view, 11> all{"session", "serve", "listen",    "consume", "subscribe", "pump",
                                                        "connect", "dial",  "supervise", "forever", "reconnect"};
  for (auto& part : parts_of(last_name(callee)))
    if (among(part, all)) return true;
  return false;
}

bool says_lost(std::string_view error) {
  static constexpr std::array<std::string_view, 14> all{
      "connection", "connect",   "timeout", "unavailable",  "network",     "os",     "io",
      "socket",     "transient", "stale",   "disconnected", "operational", "broken", "reset"};
  for (auto& part : parts_of(last_name(error)))
    if (among(part, all)) return true;
  return icontains(error, "timeout");
}

bool is_stream(std::string_view callee) {
  static constexpr std::array<std::string_view, 30> all{
      "gets",    "nextline", "question", "prompt",    "read",   "recv",        "receive",  "accept",
      "next",    "readline", "poll",     "take",      "pop",    "get_nowait",  "recvfrom", "select",
      "scan",    "wait",     "parse",    "input",     "decode", "readmessage", "recvmsg",  "epoll_wait",
      "popleft", "dequeue",  "readbyte", "readuntil", "shift",  "heappop"};
  auto name = lower(last_name(callee));
  while (name.starts_with("_")) name.erase(0, 1);
  auto parts = parts_of(last_name(callee));
  return among(name, all) || name.starts_with("read") || (!parts.empty() && parts.front() == "next");
}

bool ends_process(std::string_view callee) {
  auto name = last_name(callee), in = receiver(callee);
  return name == "panic" || name == "Fatal" || name == "Fatalf" || name == "_exit" ||
         ((name == "exit" || name == "Exit" || name == "abort" || name == "halt") &&
          (in.empty() || in == "sys" || in == "os" || in == "process" || in == "System" || in.ends_with("Runtime()")));
}

bool reaches_out(std::string_view callee) {
  static constexpr std::array<std::string_view, 29> all{
      "put",     "open",      "upsert",  "delete",   "perform",   "request", "fetch",  "http",    "send",   "query",
      "execute", "connect",   "publish", "dial",     "post",      "rpc",     "invoke", "urlopen", "upload", "download",
      "evalsha", "subscribe", "axios",   "open_url", "reconnect", "exec",    "json",   "url",     "consume"};
  if (last_name(callee) == "Do") return true;
  for (auto& part : parts_of(last_name(callee)))
    if (among(part, all)) return true;
  return false;
}

bool says_not_ready(std::string_view error) {
  static constexpr std::array<std::string_view, 6> empty{"indexerror", "empty",           "queueempty",
                                                         "emptyerror", "fileexistserror", "interrupted"};
  std::string word;
  for (auto& part : parts_of(last_name(error))) word += part;
  if (among(word, empty)) return true;
  for (std::string_view part : {"wantread", "wantwrite", "waitread", "waitwrit", "wouldblock", "blockingio", "eagain",
                                "eintr", "interruptederror", "notenough", "needmore"})
    if (word.find(part) != word.npos) return true;
  return false;
}

bool waits_for_ready(std::string_view callee) {
  auto by = receiver(callee), name = last_name(callee);
  return name == "wait_readable" || name == "wait_writable" ||
         (name == "select" && (by == "IO" || by == "Kernel" || by == "select" || by == "::IO"));
}

bool says_progress(std::string_view bound) {
  static constexpr std::array<std::string_view, 8> done{"read",  "sent",     "written", "received",
                                                        "bytes", "consumed", "offset",  "copied"};
  bool compares = bound.find('<') != bound.npos || bound.find('>') != bound.npos;
  return compares && !text_says_retry(bound) && has_part(bound, done);
}

bool is_queue_name(std::string_view text) {
  auto word = lower(text);
  for (std::string_view part : {"queue", "retry", "retries", "pending", "backlog", "outbox"})
    if (word.find(part) != word.npos) return true;
  return has_part(text, std::array<std::string_view, 10>{"q", "job", "jobs", "task", "tasks", "work", "works", "todo",
                                                         "buffer", "messages"});
}

bool puts_back(std::string_view callee) {
  static constexpr std::array<std::string_view, 31> all{
      "enqueue_in",     "enqueue_at",    "perform_in", "push_back",      "put",      "put_nowait",    "push",
      "enqueue",        "add",           "append",     "requeue",        "offer",    "unshift",       "appendleft",
      "lpush",          "rpush",         "re_enqueue", "addratelimited", "addafter", "send_to_queue", "reenqueue",
      "nack",           "offerfirst",    "addfirst",   "addlast",        "submit",   "pushback",      "push_front",
      "schedule_retry", "scheduleretry", "resubmit"};
  auto name = lower(last_name(callee));
  for (std::string_view again : {"requeue", "reenqueue", "re_enqueue", "redeliver", "resubmit"})
    if (name.find(again) != name.npos) return true;
  auto parts = parts_of(last_name(callee));
  bool into = parts.size() > 1 && (parts.back() == "queue" || parts.back() == "buffer") &&
              (parts.front() == "add" || parts.front() == "put" || parts.front() == "push" || parts.front() == "offer");
  return into || among(name, all);
}

}  // namespace retrial::scan
