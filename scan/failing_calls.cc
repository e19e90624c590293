// Which of several calls is the one that failed: by names, and by what is done with what they give.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& all) {
  return std::ranges::find(all, word) != all.end();
}

// It only asks something of what is here: `block_given?`, `locks.is_empty()`.
bool is_predicate(std::string_view callee) {
  static constexpr std::array<std::string_view, 8> first{"is",       "has",    "can",    "should",
                                                         "contains", "equals", "exists", "supports"};
  static constexpr std::array<std::string_view, 10> whole{"empty", "includes", "any",     "every", "some",
                                                          "test",  "match",    "matches", "all",   "startswith"};
  auto parts = parts_of(last_name(callee));
  return callee.ends_with('?') || parts.empty() || among(parts.front(), first) ||
         among(lower(last_name(callee)), whole);
}

// It makes, names or numbers something here.
bool is_local(std::string_view callee) {
  static constexpr std::array<std::string_view, 22> first{
      "with", "to",  "as",   "random", "rand", "size",  "length", "count", "keys",     "values",  "entries",
      "item", "map", "join", "split",  "copy", "clone", "mkdir",  "items", "makedirs", "dirname", "basename"};
  auto parts = parts_of(last_name(callee));
  bool accessor = parts.size() > 1 && (parts.front() == "get" || parts.front() == "next");
  return accessor || (!parts.empty() && among(parts.front(), first));
}

// Called of what stands for somebody far away.
bool is_of_remote(std::string_view callee) {
  static constexpr std::array<std::string_view, 10> all{"client", "session", "conn", "connection", "api",
                                                        "http",   "channel", "stub", "service",    "remote"};
  auto parts = parts_of(last_name(receiver(callee)));
  return !parts.empty() && among(parts.back(), all);
}

// Does it send something, by its name? What is added to a list and what is put back where it was taken from does not.
bool sends(std::string_view callee) {
  auto parts = parts_of(last_name(callee));
  if (parts.empty() || callee.ends_with('?') || parts.back() == "back") return false;
  if (among(parts.front(), std::array<std::string_view, 5>{"add", "append", "process", "handle", "on"})) return false;
  return callee != "open" && (reaches_out(callee) || has_effect(callee));
}

}  // namespace

// A verb says what is done where it comes first, but for how it is done, or last: `asyncSend`, not `runPostHooks`,
// `processSendResponse`, `getOrders`.
bool has_effect(std::string_view callee) {
  static constexpr std::array<std::string_view, 14> all{"post",    "create",   "insert", "send",  "publish",
                                                        "charge",  "transfer", "submit", "pay",   "patch",
                                                        "enqueue", "order",    "add",    "append"};
  static constexpr std::array<std::string_view, 13> ours{"channel", "client",   "connection", "session", "socket",
                                                         "context", "stream",   "reader",     "agent",   "cursor",
                                                         "handler", "listener", "callback"};
  static constexpr std::array<std::string_view, 9> how{"do",   "async", "try",   "internal", "batch",
                                                       "bulk", "safe",  "force", "must"};
  static constexpr std::array<std::string_view, 16> others{"get",   "is",       "has",     "on",     "can",   "should",
                                                           "build", "process",  "handle",  "before", "after", "make",
                                                           "check", "validate", "prepare", "parse"};
  auto parts = parts_of(last_name(callee));
  if (parts.empty() || says_retry(last_name(callee)) || among(parts.back(), ours) || among(parts.front(), others) ||
      receiver(callee) == "atomic")
    return false;
  static constexpr std::array<std::string_view, 10> talks{"connect", "subscribe", "unsubscribe", "refresh", "ping",
                                                          "pong",    "heartbeat", "ack",         "hello",   "auth"};
  if (std::ranges::any_of(parts, [](auto& part) { return among(part, talks); })) return false;
  auto verb = std::ranges::find_if(parts, [](auto& part) { return !among(part, how); });
  return (verb != parts.end() && among(*verb, all)) || among(parts.back(), all);
}

int may_fail(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  int score = sends(callee) ? 2 : is_predicate(callee) ? -2 : is_local(callee) ? -1 : 0;
  if (is_of_remote(callee) && score < 2) score = std::max(score, 0) + 1;
  if (score < 0) return score;
  int p = tree[call].parent;
  if (p >= 0 && tree.kind(p).find("await") != std::string_view::npos) {
    score++;
    p = tree[p].parent;
  }
  while (p >= 0 && tree[p].role == Role::other && tree.first(p) == call) p = tree[p].parent;  // Go's lists
  return score + (p >= 0 && (tree[p].role == Role::leave || tree[p].role == Role::assign));
}

// Of all that is called there the one that what failed is named by: the surest, the first of equals. Or -1.
int failing_call(const Tree& tree, int stretch) {
  int best = tried_call(tree, stretch);
  int most = best >= 0 ? may_fail(tree, best) : 0;
  for (int i = best + 1; best >= 0 && i < tree[stretch].past; i++) {
    if (tree[i].role == Role::function || tree[i].role == Role::handler) i = tree[i].past - 1;
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    if (is_talk(callee) || ends_process(callee) || is_maker(callee) || is_given_error(tree, i)) continue;
    if (int much = may_fail(tree, i); much > most) {
      best = i;
      most = much;
    }
  }
  return best;
}

}  // namespace retrial::scan
