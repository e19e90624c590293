#include "oracles/rpc_name.h"

#include <algorithm>
#include <array>

#include "oracles/members.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

std::vector<std::string> words_of_method(const Exchange& e) {
  auto path = trace::message::path_of(e.target);
  return words_of_name(path.substr(path.rfind('/') + 1));
}

constexpr std::array<std::string_view, 12> kSets = {"set",    "put",    "update", "change", "modify", "replace",
                                                    "rename", "upsert", "save",   "store",  "patch",  "configure"};

}  // namespace

bool rpc_reads(const Exchange& e) { return e.grpc.is && rpc_named(e) == Named::read; }
bool rpc_sets(const Exchange& e) {
  auto words = words_of_method(e);
  return !words.empty() && says_how_it_is(words.front());
}
bool says_how_it_is(std::string_view word) { return among(kSets, word); }
bool rpc_gives_up(const Exchange& e) {
  auto words = words_of_method(e);
  return !words.empty() && (gives_up(words.front()) || acknowledges(words.front()));
}

bool gives_up(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kWords = {
      "release", "unlock", "close", "end",   "cancel",     "revoke", "abort", "unsubscribe",
      "logout",  "stop",   "leave", "purge", "invalidate", "flush",  "evict", "clear"};
  return among(kWords, word);
}
bool acknowledges(std::string_view word) {
  static constexpr std::array<std::string_view, 4> kWords = {"ack", "acked", "acknowledge", "acks"};
  return among(kWords, word);
}

Named rpc_named(const Exchange& e) {
  static constexpr std::array<std::string_view, 24> kReads = {
      "get",      "list",    "find",  "read",   "search",   "query", "lookup",  "fetch",
      "describe", "count",   "check", "show",   "validate", "watch", "preview", "stat",
      "status",   "resolve", "peek",  "exists", "inspect",  "tail",  "scan",    "view"};
  static constexpr std::array<std::string_view, 72> kWrites = {
      "create",  "add",     "insert",  "delete",   "remove",   "send",     "post",     "submit",   "place",
      "make",    "pay",     "charge",  "transfer", "book",     "reserve",  "start",    "open",     "move",
      "publish", "push",    "append",  "register", "write",    "deposit",  "withdraw", "mint",     "increment",
      "claim",   "upload",  "enqueue", "execute",  "issue",    "order",    "buy",      "sell",     "adjust",
      "import",  "record",  "notify",  "emit",     "schedule", "run",      "do",       "grant",    "settle",
      "ship",    "approve", "reject",  "confirm",  "assign",   "dispatch", "deliver",  "allocate", "load",
      "unload",  "enroll",  "enrol",   "log",      "report",   "mark",     "apply",    "commit",   "complete",
      "finish",  "archive", "refund",  "credit",   "debit",    "invite",   "join",     "vote",     "print"};
  auto words = words_of_method(e);
  bool or_else = std::ranges::find(words, "or") != words.end();  // GetOrCreate
  if (words.size() > 1 && words[0] == "check" && (words[1] == "in" || words[1] == "out")) return Named::write;
  auto found = Named::neither;
  for (std::size_t i = 0; i < words.size() && (i < 2 || or_else); i++) {
    if (among(kWrites, words[i]) || among(kSets, words[i]) || acknowledges(words[i])) {
      if (found != Named::read || or_else) found = Named::write;
    } else if (among(kReads, words[i]) && found == Named::neither) {
      found = Named::read;
    }
  }
  return found;
}

}  // namespace retrial::oracles
