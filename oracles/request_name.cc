#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"
#include "oracles/members.h"
#include "oracles/recognition.h"
#include "trace/calls/operation.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

// May a member of that name be one?
bool names_something(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 12> kLast = {
      "nonce", "seq", "sequence", "id", "key", "ref", "reference", "token", "uuid", "guid", "ulid", "number"};
  return !words.empty() && among(kLast, words.back());
}
// Is it one by its name alone?
bool names_request(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 9> kAlone = {"nonce", "seq",  "sequence", "id",       "uuid",
                                                             "guid",  "ulid", "ref",      "reference"};
  static constexpr std::array<std::string_view, 15> kFirst = {
      "request", "event",  "message",       "transaction", "operation",  "command",  "idempotency", "idempotent",
      "dedup",   "dedupe", "deduplication", "mutation",    "submission", "delivery", "external"};
  if (!names_something(words)) return false;
  if (words.size() == 1) return among(kAlone, words.front());
  // `client_id` says who asks; `client_token`, `client_request_id` which request it is.
  if (words.front() == "client") return words.size() > 2 || words.back() != "id";
  return among(kFirst, words.front());
}

// Of a header: one of these. A request's own id is another in each attempt, a trace's is everybody's, and a key that is
// known as such is a guard (trace::Repeat::guarded).
bool names_in_header(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 9> kWhat = {
      "message", "event", "transaction", "operation", "command", "dedup", "delivery", "submission", "mutation"};
  return words.size() > 1 && names_something(words) && among(kWhat, words[words.size() - 2]);
}
// A member that says which delivery of a queue, or which hold of a lock, is meant: the service has given it itself, and
// knows it until it is settled.
bool names_delivery(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 6> kWhat = {"lease", "receipt", "ack", "lock", "delivery", "handle"};
  return std::ranges::any_of(words, [&](auto& word) { return among(kWhat, word); });
}
// Who holds a lock: the same holder again holds it once.
bool names_holder(const Exchange& e, const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 4> kWho = {"owner", "holder", "session", "worker"};
  static constexpr std::array<std::string_view, 4> kHeld = {"lock", "lease", "leader", "mutex"};
  auto held = words_of_name(trace::message::path_of(e.target));
  return !words.empty() && among(kWho, words.front()) && std::ranges::any_of(held, [](auto& word) {
    return std::ranges::any_of(kHeld, [&](auto thing) { return word.starts_with(thing); });
  });
}
bool was_given(const trace::Run& run, const Exchange& to, std::string_view value) {
  return value.size() > 3 && std::ranges::any_of(run.exchanges, [&](auto& e) {
           return e.service == to.service && e.begun < to.begun && e.response_sample.find(value) != std::string::npos &&
                  e.request_sample.find(value) == std::string::npos;  // else it says again what it was told
         });
}

// Drawn, as a UUID is, and not counted on: long enough to be no other's.
constexpr std::size_t kDrawn = 16;

// The id by which JSON-RPC joins an answer to its request (JSON-RPC 2.0, 4): of a message, not of what is asked.
bool is_of_message(const Exchange& e, const Member& member) {
  return member.path == "/id" && trace::profile_of(e).name() == "json-rpc";
}

std::vector<Member> sent_in(const Exchange& e) {
  auto out = members_of(trace::message::query_of(e.target));
  for (auto& member : members_of(e.request_sample)) out.push_back(std::move(member));
  std::erase_if(out, [&](auto& m) {
    return m.listed || m.kind == Member::Kind::boolean || m.value == trace::kRedacted ||
           (is_of_message(e, m) && m.value.size() < kDrawn);
  });
  return out;
}

// Drawn for this call: the reference's has another at the same place.
bool drawn(const trace::Comparison& c, const Exchange& before, const Member& member) {
  if (member.value.size() < kDrawn) return false;
  bool elsewhere = false;
  for (auto& e : c.reference->exchanges) {
    if (e.operation != before.operation) continue;
    auto sent = sent_in(e);
    auto it = std::ranges::find(sent, member.path, &Member::path);
    if (it == sent.end() || it->value == member.value) return false;
    elsewhere = true;
  }
  return elsewhere;
}

// A secret by its name, "token" say, that is another in the reference and the same in both: what was kept of the bodies
// is equal everywhere, and what was sent is not.
bool drawn_unseen(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  if (before.request_digest == 0 || before.request_digest != next.request_digest) return false;
  bool elsewhere = false;
  for (auto& e : c.reference->exchanges) {
    if (e.operation != before.operation) continue;
    if (e.request_sample != before.request_sample || e.request_digest == before.request_digest) return false;
    elsewhere = true;
  }
  return elsewhere;
}
std::optional<RequestName> named_by_secret(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  for (auto& member : members_of(before.request_sample))
    if (member.value == trace::kRedacted && names_something(words_of_name(member.name)) &&
        drawn_unseen(c, before, next))
      return RequestName{member.name, true};
  return {};
}

// Ids that the client gave the entries of a batch, each another: "rows/id".
std::vector<Member> ids_of_entries(const trace::Run& run, const Exchange& e) {
  auto ids = members_of(e.request_sample);
  std::erase_if(ids, [](auto& m) { return !m.listed || !names_request(words_of_name(m.name)); });
  std::set<std::string> values;
  for (auto& id : ids)
    if (!values.insert(id.value).second || was_given(run, e, id.value)) return {};
  return ids;
}

// The same in both.
std::optional<RequestName> named_by_entries(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto sent = ids_of_entries(*c.in_case, before), again = ids_of_entries(*c.in_case, next);
  bool same = std::ranges::equal(sent, again, [](auto& a, auto& b) { return a.path == b.path && a.value == b.value; });
  return sent.empty() || !same ? std::nullopt : std::optional(RequestName{sent.front().name, true});
}

// Another value in each of several calls, and none that the service gave.
constexpr std::size_t kEnough = 4;
bool names_calls(const trace::Run& reference, const Exchange& like, const std::string& path) {
  std::set<std::string> values;
  for (auto& e : reference.exchanges) {
    if (e.operation != like.operation || e.attempt > 1) continue;
    auto sent = sent_in(e);
    auto it = std::ranges::find(sent, path, &Member::path);
    if (it == sent.end() || !values.insert(it->value).second) return false;
    if (values.size() > kEnough) break;
    for (auto& earlier : reference.exchanges)
      if (earlier.begun < e.begun && earlier.response_sample.find(it->value) != std::string::npos) return false;
  }
  return values.size() > 1;
}

// A client's own numbers: of several calls each has the next.
bool numbers_calls(const trace::Run& reference, const Exchange& like, const Member& member) {
  static constexpr std::array<std::string_view, 9> kNumbers = {"n",    "no",   "nr",    "num",  "number",
                                                               "line", "part", "chunk", "index"};
  auto words = words_of_name(member.name);
  if (member.kind != Member::Kind::number || words.empty() || !among(kNumbers, words.back())) return false;
  std::optional<std::int64_t> last;
  bool several = false;
  for (auto& e : reference.exchanges) {
    if (e.operation != like.operation || e.attempt > 1) continue;
    auto sent = sent_in(e);
    auto it = std::ranges::find(sent, member.path, &Member::path);
    auto number = it == sent.end() ? std::nullopt : to_int(it->value);
    if (!number || (last && *number != *last + 1)) return false;
    several = last.has_value();
    last = number;
  }
  return several;
}

}  // namespace

bool same_but_for_name(const Exchange& a, const Exchange& b) {
  static constexpr std::array<std::string_view, 6> kTimes = {"time", "timestamp", "at", "date", "ts", "now"};
  if (a.operation != b.operation || trace::service_name(a.service) != trace::service_name(b.service) ||
      trace::target_key(a.target) != trace::target_key(b.target))
    return false;
  auto one = members_of(a.request_sample), other = members_of(b.request_sample);
  bool renamed = false, alike = false;
  bool same = std::ranges::equal(one, other, [&](auto& m, auto& n) {
    if (m.path != n.path || m.kind != n.kind) return false;
    auto words = words_of_name(m.name);
    bool time = !words.empty() && among(kTimes, words.back());
    if (m.value == n.value) {
      alike |= !time;
      return true;
    }
    bool drawn = names_request(words) && m.value.size() >= kDrawn && n.value.size() >= kDrawn;
    renamed |= drawn;
    return drawn || time;
  });
  return same && renamed && alike;
}

bool entries_have_names(const trace::Run& run, const Exchange& e) { return !ids_of_entries(run, e).empty(); }

std::optional<RequestName> request_name(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto found = named_by_secret(c, before, next);
  if (found) return found;
  for (auto& h : before.request_headers) {
    auto words = words_of_name(h.name);
    if (names_in_header(words) && !h.value.empty() && h.value == trace::find(next.request_headers, h.name))
      return RequestName{h.name, true};
  }
  auto now = sent_in(next);
  for (auto& member : sent_in(before)) {
    auto words = words_of_name(member.name);
    auto it = std::ranges::find(now, member.path, &Member::path);
    if (it == now.end()) continue;
    if (names_delivery(words) && it->value == member.value && was_given(*c.in_case, before, member.value))
      return RequestName{member.name, true};
    if (names_holder(before, words) && it->value == member.value) return RequestName{member.name, true};
    if (it->value == member.value && numbers_calls(*c.reference, before, member)) return RequestName{member.name, true};
    if (!names_something(words)) continue;
    if (!names_request(words) && !names_calls(*c.reference, before, member.path) && !drawn(c, before, member)) continue;
    if (it->value == member.value) return RequestName{member.name, true};
    if (is_of_message(before, member)) continue;  // another message, whatever it asks for
    if (!found) found = RequestName{member.name, false};
  }
  return found ? found : named_by_entries(c, before, next);
}

}  // namespace retrial::oracles
