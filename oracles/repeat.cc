#include "oracles/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/made_of.h"
#include "oracles/members.h"
#include "oracles/rpc_answers.h"
#include "oracles/rpc_name.h"
#include "oracles/what_was_set.h"
#include "trace/calls/content.h"
#include "trace/calls/operation.h"
#include "trace/comparing/body_change.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Confidence;
using trace::Exchange;
using trace::Repeat;

namespace {

// The service can tell by what guards it that both are one; or it was read again, and the second is decided on that.
bool same_guard(const trace::Run& run, const Exchange& a, const Exchange& b) {
  auto change = trace::change_between(a, b);
  return !change.key && (!change.condition || read_between(run, a, b));
}

// What it showed of these two; else of one of them beside the first of their call, of which both are repeats.
Shown shown_of(const trace::Comparison& c, const trace::Call& call, const Exchange& before, const Exchange& next) {
  auto& first = call.first();
  Shown shown = shown_by_service(c, before, next);
  for (auto* repeat : {&next, &before})
    if (shown.effects == Shown::Effects::unknown && &first != repeat && &first != &before && trace::executed(*repeat))
      shown = shown_by_service(c, first, *repeat);
  return shown;
}

}  // namespace

namespace {

// What an action does, by its name: "getBalance" reads, "order.create" writes, "height" says neither.
bool is_write(std::string_view word) {
  static constexpr std::string_view kWrites[] = {
      "create",   "add",    "set",       "put",     "update",  "delete",   "remove", "send",     "post",    "insert",
      "submit",   "place",  "make",      "pay",     "charge",  "transfer", "book",   "reserve",  "cancel",  "start",
      "stop",     "open",   "close",     "move",    "publish", "push",     "append", "register", "write",   "deposit",
      "withdraw", "mint",   "increment", "claim",   "renew",   "save",     "upload", "enqueue",  "execute", "approve",
      "store",    "change", "modify",    "replace", "rename",  "upsert",   "issue",  "order",    "buy",     "sell"};
  return std::ranges::any_of(kWrites, [&](auto known) { return iequals(word, known); });
}

bool is_read(std::string_view word) {
  static constexpr std::string_view kReads[] = {
      "search",    "query",     "graphql",       "gql",      "find",      "lookup",  "list",     "get",
      "fetch",     "read",      "select",        "count",    "validate",  "verify",  "check",    "preview",
      "filter",    "describe",  "estimate",      "compute",  "calculate", "msearch", "token",    "batchget",
      "translate", "classify",  "analyze",       "analyse",  "detect",    "parse",   "tokenize", "embed",
      "embedding", "recognize", "transliterate", "evaluate", "decide",    "flags"};
  return std::ranges::any_of(kReads, [&](auto known) { return iequals(word, known); });
}

// The action that follows the path in an operation's name: "Action=SendMessage".
std::string_view action_of(std::string_view operation) {
  auto path = operation.find(' ');
  auto tail = path == operation.npos ? path : operation.find(' ', path + 1);
  return tail == operation.npos ? std::string_view() : operation.substr(tail + 1);
}

// By its first word, or its second where the first is a prefix for all of them ("eth_getBalance"). A GraphQL document
// that is persisted, or cut off, may be a query.
Named call_named(std::string_view call) {
  auto equals = call.find('=');
  auto kind = call.substr(0, equals);
  if (kind == "mutation" || equals == call.npos) return Named::write;
  if (kind == "query" || kind == "subscription" || kind == "persisted" || kind == "operation") return Named::read;
  auto name = call.substr(equals + 1);
  auto words = words_of_name(name.substr(name.find_last_of("/:.#") + 1));
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 2); i++) {
    if (words[i] != "token" && is_read(words[i])) return Named::read;
    if (is_write(words[i])) return Named::write;
  }
  return Named::neither;
}
// Of several the worst.
Named action_named(std::string_view action) {
  auto worst = Named::read;
  for (auto call : split(action, ',')) worst = std::max(worst, call_named(call));
  return worst;
}

std::string_view last_word_of(const Exchange& e) {
  auto path = trace::message::path_of(e.target);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  auto word = path.substr(path.find_last_of("/:.") + 1);
  while (word.starts_with('_')) word.remove_prefix(1);
  return word;
}

// What a service that takes POST for everything tells: "POST /api/v2/torrents/info". A status, or how much was used, is
// told where nothing is sent that it could be.
bool is_told(const Exchange& e) {
  static constexpr std::array<std::string_view, 5> kTold = {"info", "version", "stats", "statistics", "properties"};
  static constexpr std::array<std::string_view, 10> kToldWhereNothingIsSent = {
      "status", "usage", "quota", "quotas", "balance", "limits", "languages", "capabilities", "health", "whoami"};
  auto word = lower(last_word_of(e));
  return among(kTold, word) || (among(kToldWhereNothingIsSent, word) && e.request_bytes == 0);
}

// A path is a thing's, and what is posted to it is made there: a noun that says nothing of it is an action's alone.
Named named(const Exchange& e) {
  if (auto action = action_of(e.operation); action.find('=') != action.npos) return action_named(action);
  return is_read(last_word_of(e)) || is_told(e) ? Named::read : Named::write;
}

// It is so, or is gone, after the first already: "POST /torrents/delete", "/torrents/setCategory". Not so much of it
// ("POST /cart/remove", {"qty": 1}).
bool says_how_it_is_to_be(const Exchange& e) {
  static constexpr std::array<std::string_view, 9> kSays = {"delete", "remove",  "set",    "stop",  "pause",
                                                            "resume", "disable", "enable", "rename"};
  auto words = words_of_name(last_word_of(e));
  return e.method == "POST" && !e.grpc.is && !words.empty() && among(kSays, words.front()) &&
         std::ranges::none_of(members_of(e.request_sample), may_count);
}

// "mutation=setLine", "method=stock.update".
bool sets_by_its_action(const Exchange& e) {
  auto action = action_of(e.operation);
  auto words = words_of_name(action.substr(std::min(action.find_last_of("=.") + 1, action.size())));
  return !words.empty() && says_how_it_is(words.front());
}

// An object of members and their values ("PATCH /passes/p-1", {"state": "closed"}), none of them a step (RFC 7396).
bool sets_members(const Exchange& e) {
  static constexpr std::array<std::string_view, 10> kSteps{"delta",  "increment", "inc", "add",  "by",
                                                           "append", "step",      "op",  "plus", "minus"};
  auto members = members_of(e.request_sample);
  return e.method == "PATCH" && e.request_sample.starts_with('{') && !members.empty() &&
         std::ranges::none_of(members, [](auto& m) { return has_word(m.name, kSteps); });
}

// None, or an empty object or list.
bool has_no_body(const Exchange& e) {
  auto body = trim(e.request_sample);
  return e.request_digest == 0 || body == "{}" || body == "[]";
}

// Without a body, of a thing that has a name: what it is to be. "POST /holds/h-1/confirm", not "POST
// /visits/increment".
bool sets_state(const Exchange& e) {
  if (sets_members(e)) return true;
  static constexpr std::array<std::string_view, 24> kStates = {
      "confirm", "complete", "finish",  "close", "cancel",  "approve", "reject",   "archive",
      "disable", "enable",   "publish", "void",  "capture", "settle",  "accept",   "decline",
      "resolve", "activate", "start",   "stop",  "lock",    "unlock",  "finalize", "deactivate"};
  auto parts = trace::message::segments(trace::message::path_of(e.target));
  return has_no_body(e) && parts.size() > 2 && among(kStates, lower(parts.back()));
}

// Entries that are mostly written by their own names: "POST /bulk/members", "POST /contacts/upsert", "?action=upsert".
bool writes_in_bulk(const Exchange& e) {
  static constexpr std::array<std::string_view, 4> kBulk{"bulk", "upsert", "upserts", "sync"};
  static constexpr std::array<std::string_view, 1> kOrMade{"upsert"};
  return has_word(trace::message::path_of(e.target), kBulk) || has_word(trace::message::query_of(e.target), kOrMade);
}

// A stream that broke is asked for again by another request: from where it broke.
bool resumes_stream(const Exchange& before, const Exchange& next) {
  return before.grpc.streams && before.request_digest != next.request_digest;
}

// Something is given up, or acknowledged, by the last part of its path: once more finds it so. With a body it may be so
// much of it ("POST /stock/release").
bool finds_it_given_up(const Exchange& e) {
  if (e.grpc.is) return rpc_gives_up(e);
  auto parts = trace::message::segments(trace::message::path_of(e.target));
  auto last = parts.empty() ? std::string() : lower(parts.back());
  return acknowledges(last) || (has_no_body(e) && parts.size() > 2 && gives_up(last));
}

// A good read of where it is made between the two, or of what that lies in, by its name ("?prefix=NAME"): the decision
// to send it again rests on it.
bool looked_there(const trace::Run& run, const Exchange& before, const Exchange& next) {
  auto path = trace::message::path_of(before.target);
  auto name = path.substr(path.rfind('/') + 1);
  return read_between(run, before, next, [&](const Exchange& e) {
    auto read = trace::message::path_of(e.target);
    bool around = path.size() > read.size() && path.starts_with(read) && path[read.size()] == '/';
    return read == path || (around && !name.empty() && trace::message::query_of(e.target).contains(name));
  });
}

// It was looked for between the two by a value of its own ("?ref=web-17"), and was not there.
bool looked_in_vain(const trace::Run& run, const Exchange& before, const Exchange& next) {
  auto sent = values_of(before);
  return read_between(run, before, next, [&](const Exchange& e) {
    auto query = trace::message::query_of(e.target);
    auto value = percent_decode(query.substr(query.find('=') + 1));
    return value.size() >= kTellingValue && std::ranges::binary_search(sent, value) && is_json(e.response_sample) &&
           !e.response_sample.contains(value) && e.response_bytes <= e.response_sample.size();
  });
}

// OpenAI, Cohere, Gemini, Vertex AI, KServe. What it answers is computed; asked again it is charged again.
bool asks_a_model(const Exchange& e) {
  static constexpr std::array<std::string_view, 8> kModels = {
      "completions",           "embeddings", "moderations", "rerank", "generatecontent",
      "streamgeneratecontent", "predict",    "infer"};
  return among(kModels, lower(last_word_of(e)));
}
}  // namespace

bool reads_by_name(const Exchange& e) { return named(e) == Named::read; }
bool only_reads(const Exchange& e) {
  if (trace::message::safe_method(e.method)) return true;
  return e.method == "POST" && (reads_by_name(e) || asks_a_model(e));
}
namespace {
std::string_view last_part(const Exchange& e) {
  auto path = trace::message::path_of(e.target);
  return path.substr(path.rfind('/') + 1);
}
// It asks for what is next. Who says how much of a thing is to be taken ({"qty": 4}) takes it out of a store.
bool takes_next(const Exchange& e) {
  static constexpr std::array<std::string_view, 9> kTakes = {"receive", "poll",  "dequeue", "pop", "take",
                                                             "claim",   "lease", "consume", "pull"};
  static constexpr std::array<std::string_view, 3> kAmounts = {"qty", "quantity", "amount"};
  return has_word(last_part(e), kTakes) && std::ranges::none_of(members_of(e.request_sample), [&](auto& m) {
           return m.kind == Member::Kind::number && has_word(m.name, kAmounts);
         });
}
}  // namespace
bool takes_turns(const Exchange& e) {
  static constexpr std::array<std::string_view, 11> kTurns = {
      "login", "auth", "session", "token", "ping", "renew", "refresh", "heartbeat", "beat", "metric", "event"};
  return takes_next(e) || has_word(last_part(e), kTurns);
}
bool is_entrance(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  static constexpr std::string_view kLetsIn[] = {"token", "login", "signin", "authenticate"};
  return std::ranges::any_of(kLetsIn, [&](auto known) { return iequals(word, known); });
}
// "POST /session", answered with a token.
static bool opens_session(const Exchange& e) {
  auto word = lower(last_word_of(e));
  if (e.method != "POST" || (word != "session" && word != "sessions" && word != "auth")) return false;
  return std::ranges::any_of(members_of(e.response_sample), [](auto& m) {
    auto words = words_of_name(m.name);
    return !words.empty() && (words.back() == "token" || words.back() == "jwt");
  });
}
bool lets_in(const Exchange& e) {
  auto gives = [&](std::string_view name) { return e.response_sample.contains(name); };
  bool given = e.credentials_given && e.method == "POST" && (gives("access_token") || gives("accessToken"));
  return given || is_entrance(last_word_of(e)) || opens_session(e);
}

namespace {
// Byte for byte, and more than that it was done: of requests with one name the answer to both is that name's.
bool answered_alike(const Exchange& before, const Exchange& next) {
  constexpr std::size_t kPrefix = 5;  // of a message without a field (gRPC over HTTP/2: Length-Prefixed-Message)
  return before.response_sample.size() > kPrefix && before.response_sample == next.response_sample;
}
}  // namespace

namespace {
// What a removal gave its client was one thing, and then another: more of them than its id differs, which may be that
// of the removal ("DELETE /queues/q/head": {"id": "job-2", "image": ...}).
std::string other_thing(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  constexpr std::size_t kOfThing = 2;
  if (before.method != "DELETE" || !trace::carried_out(before) || !trace::carried_out(next)) return {};
  auto shown = shown_by_service(c, before, next);
  if (shown.effects != Shown::Effects::two) return {};
  auto was = members_of(before.response_sample), is = members_of(next.response_sample);
  std::size_t others = 0;
  for (auto& m : was) {
    auto it = std::ranges::find(is, m.path, &Member::path);
    others += it != is.end() && it->value != m.value && m.kind == Member::Kind::text;
  }
  return others >= kOfThing ? shown.by : std::string();
}
}  // namespace

namespace {
// More than that it was done: members that stand in others, and of which the request says nothing (flags of a user,
// what a text is translated to).
bool tells_of_itself(const Exchange& before, const Exchange& next) {
  constexpr std::size_t kMembers = 3;
  if (!answered_alike(before, next)) return false;
  auto told = members_of(before.response_sample);
  auto of_itself = [&](auto& m) {
    bool sent = m.kind != Member::Kind::boolean && before.request_sample.contains(m.value);
    return !m.name.empty() && !sent;
  };
  auto inner = [](auto& m) { return m.path != "/" + m.name; };
  std::set<std::pair<std::string, std::string>> said;  // the same of each entry of a list ("ok": true) is said once
  for (auto& m : told)
    if (of_itself(m)) said.emplace(without_places(m), m.value);
  return said.size() >= kMembers && std::ranges::any_of(told, inner);
}
}  // namespace

bool tells_one_thing(const Exchange& before, const Exchange& next) {
  constexpr std::size_t kDigest = 16;
  if (!answered_alike(before, next)) return false;
  return std::ranges::any_of(members_of(before.response_sample), [&](auto& m) {
    return m.kind == Member::Kind::text && m.value.size() >= kDigest && m.value.find_first_of(" :") == m.value.npos &&
           std::ranges::any_of(m.value, is_digit) && !before.request_sample.contains(m.value);
  });
}

std::string shows_as_usual(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  return has_no_body(before) && before.method == "POST" ? thing_as_usual(c, before, next) : std::string();
}

std::optional<Harm> harm_of_repeat(const trace::Comparison& c, const trace::Call& call, const Exchange& before,
                                   const Exchange& next) {
  auto& profile = trace::profile_of(before);
  auto repeat = profile.repeat(before);
  bool surely_one = call.confidence == Confidence::possible && one_but_for_drawn(c, call);
  auto likely = surely_one ? Confidence::likely : std::min(call.confidence, Confidence::likely);
  if (repeat == Repeat::safe || looked_in_vain(*c.in_case, before, next)) return {};
  if (trace::change_between(before, next).shrunk) return {};  // nothing of it, or a part: changed-on-retry's
  if (call.confidence < Confidence::certain && comes_as_often(c, before, trace::carried_out)) return {};
  if (repeat == Repeat::idempotent) {
    if (auto given = other_thing(c, before, next); !given.empty())
      return Harm{likely,
                  fmt::format("each execution takes another thing, whatever {} promises: {}", before.method, given)};
    auto counted = counted_on(c, before, next);
    if (counted.empty()) return {};
    return Harm{likely, fmt::format("each execution counts, whatever {} promises: {}", before.method, counted)};
  }
  if (repeat == Repeat::guarded) {
    if (same_guard(*c.in_case, before, next) || rpc_reads(before)) return {};
    if (shown_of(c, call, before, next).effects == Shown::Effects::one || finds_it_given_up(before)) return {};
    return Harm{likely, "each attempt has another key or condition, so the service cannot tell that they are one"};
  }
  auto shown = shown_of(c, call, before, next);
  if (shown.effects == Shown::Effects::one) return {};
  if (repeat == Repeat::effect)
    return Harm{call.confidence,
                fmt::format("each execution of it has an effect of its own (profile {})", profile.name())};
  auto name = before.grpc.is ? drawn_name(c, before, next) : request_name(c, before, next);
  if (name && !name->same)
    return Harm{likely, fmt::format("each attempt has another \"{}\", so the service cannot tell that they are one{}{}",
                                    name->name, shown.by.empty() ? "" : ": ", shown.by)};
  if (shown.effects == Shown::Effects::two) return Harm{takes_turns(before) ? Confidence::possible : likely, shown.by};
  if (lets_in(before) || finds_it_given_up(before)) return {};
  if (name && before.grpc.is && answered_alike(before, next)) return {};
  if (name)
    return Harm{Confidence::possible,
                fmt::format("whether the service knows the second by its \"{}\" its answers do not show", name->name)};
  if (looked_there(*c.in_case, before, next))
    return Harm{Confidence::possible,
                "what the client saw when it looked there before it sent it again may have told it"};
  if (sets_by_its_action(before) && answered_alike(before, next)) return {};
  if (sets_state(before) || says_how_it_is_to_be(before) || sets_by_its_action(before))
    return Harm{Confidence::possible,
                "it says what a thing is to be, which it may be already, but its answers do not show that"};
  if (auto look = shows_as_usual(c, before, next); !look.empty())
    return Harm{Confidence::possible,
                fmt::format("{} shows what it shows without the fault, so it may have been so already", look)};
  if (writes_in_bulk(before) && answered_alike(before, next))
    return Harm{Confidence::possible,
                "whether the service knows the entries of a bulk write by what they hold its answers do not show"};
  if (tells_one_thing(before, next))
    return Harm{Confidence::possible, "both answers are the same to the letter, so it may have made one thing"};
  if (tells_of_itself(before, next))
    return Harm{Confidence::possible, "both answers are the same, and tell so much that it may be a read"};
  if (answered_alike(before, next) && looks_until_changed(c, before))
    return Harm{Confidence::possible,
                "both answers are the same, and the client asks so itself until the answer is another, so it may be a "
                "look"};
  if (rpc_reads(before) || (before.grpc.is && rpc_sets(before)) || resumes_stream(before, next)) return {};
  if (takes_next(before))
    return Harm{Confidence::possible, "it asks for what is next, and the first may have taken something"};
  if (!profile.method_tells())
    return Harm{Confidence::possible, "nothing is known of this method that would make a second execution harmless"};
  return Harm{named(before) == Named::write ? likely : Confidence::possible,
              fmt::format("{} is neither safe nor idempotent (RFC 9110 9.2.2), and carries no key by which the service "
                          "could know it again",
                          before.method)};
}

Shown::Effects shown_in(const trace::Comparison& c, const trace::Call& call) {
  auto most = Shown::Effects::unknown;
  auto repeat = trace::profile_of(call.first()).repeat(call.first());
  if (repeat != Repeat::unknown && repeat != Repeat::guarded) return most;
  for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
    auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
    if (!trace::executed(before) || !trace::executed(next)) continue;
    if (auto name = drawn_name(c, before, next); name && name->same && answered_alike(before, next))
      most = std::max(most, Shown::Effects::one);
    auto shown = shown_by_service(c, before, next);
    // By one key it knows it again: of what comes with another that says nothing.
    bool by_key = repeat == Repeat::guarded && same_guard(*c.in_case, before, next);
    if (by_key && shown.effects == Shown::Effects::one) continue;
    if (shown.firm || shown.effects == Shown::Effects::two) most = std::max(most, shown.effects);
  }
  return most;
}

}  // namespace retrial::oracles
