#include <algorithm>
#include <array>
#include <set>

#include "oracles/members.h"
#include "oracles/recognition.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

// May a member of that name be one?
bool names_something(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 9> kLast = {"id",   "key",  "ref",  "reference", "token",
                                                            "uuid", "guid", "ulid", "number"};
  return !words.empty() && among(kLast, words.back());
}
// Is it one by its name alone?
bool names_request(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 6> kAlone = {"id", "uuid", "guid", "ulid", "ref", "reference"};
  static constexpr std::array<std::string_view, 15> kFirst = {
      "request", "event",  "message",       "transaction", "operation",  "command",  "idempotency", "idempotent",
      "dedup",   "dedupe", "deduplication", "mutation",    "submission", "delivery", "external"};
  if (!names_something(words)) return false;
  if (words.size() == 1) return among(kAlone, words.front());
  // `client_id` says who asks; `client_token`, `client_request_id` which request it is.
  if (words.front() == "client") return words.size() > 2 || words.back() != "id";
  return among(kFirst, words.front());
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

}  // namespace

std::optional<RequestName> request_name(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto found = named_by_secret(c, before, next);
  if (found) return found;
  auto now = sent_in(next);
  for (auto& member : sent_in(before)) {
    auto words = words_of_name(member.name);
    if (!names_something(words)) continue;
    auto it = std::ranges::find(now, member.path, &Member::path);
    if (it == now.end()) continue;
    if (!names_request(words) && !names_calls(*c.reference, before, member.path) && !drawn(c, before, member)) continue;
    if (it->value == member.value) return RequestName{member.name, true};
    if (is_of_message(before, member)) continue;  // another message, whatever it asks for
    if (!found) found = RequestName{member.name, false};
  }
  return found;
}

}  // namespace retrial::oracles
