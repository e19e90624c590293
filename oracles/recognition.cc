#include "oracles/recognition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/rpc_answers.h"
#include "oracles/running_total.h"
#include "oracles/what_was_set.h"
#include "trace/calls/content.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Exchange;
using Effects = Shown::Effects;

namespace {

constexpr int kAlreadyExists = trace::kGrpcStatus + 6;  // google/rpc/code.proto

std::string joined(std::string_view name) {
  std::string out;
  for (auto& word : words_of_name(name)) out += word;
  return out;
}
// --- what it says of the second ---

constexpr std::array<std::string_view, 23> kKnown = {"duplicate",          "duplicated",     "isduplicate",
                                                     "deduplicated",       "deduped",        "wasduplicate",
                                                     "alreadyexists",      "exists",         "alreadyprocessed",
                                                     "alreadydone",        "alreadyexisted", "existed",
                                                     "alreadyapplied",     "known",          "alreadyknown",
                                                     "replayed",           "replay",         "idempotentreplay",
                                                     "idempotentreplayed", "repeated",       "noop",
                                                     "unchanged",          "notmodified"};
// Counts of a batch: how much of it was known.
constexpr std::array<std::string_view, 7> kKnownOfBatch = {
    "duplicates", "duplicate", "duplicatecount", "numduplicates", "deduplicated", "known", "alreadyknown"};
constexpr std::array<std::string_view, 6> kNew = {"created", "iscreated", "wascreated", "new", "isnew", "inserted"};
constexpr std::array<std::string_view, 6> kReplayHeaders = {"idempotent-replayed",  "x-idempotent-replayed",
                                                            "idempotency-replayed", "x-idempotency-replayed",
                                                            "idempotent-replay",    "x-idempotent-replay"};

bool tells_state(std::string_view name) {
  return name == "status" || name == "result" || name == "outcome" || name == "state";
}

// -1: it is one more; 1: it is a repeat; 0: it does not say.
int said_of_repeat(const Exchange& e, std::string& by) {
  for (auto name : kReplayHeaders)
    if (iequals(trim(find(e.response_headers, name)), "true")) {
      by = fmt::format("the service says {}: true", name);
      return 1;
    }
  for (auto& member : members_of(e.response_sample)) {
    if (member.listed) continue;
    auto name = joined(member.name), value = joined(member.value);
    bool known = among(kKnown, name), is_new = among(kNew, name);
    if (member.kind == Member::Kind::boolean && (known || is_new)) {
      by = fmt::format("the service says \"{}\": {}", member.name, member.value);
      return known == (member.value == "true") ? 1 : -1;
    }
    if (member.kind == Member::Kind::number && among(kKnownOfBatch, name)) {
      by = fmt::format("the service says \"{}\": {}", member.name, member.value);
      return member.value == "0" ? -1 : 1;
    }
    if (member.kind == Member::Kind::text && tells_state(name) && among(kKnown, value)) {
      by = fmt::format("the service says \"{}\": \"{}\"", member.name, member.value);
      return 1;
    }
  }
  return 0;
}

// Words of a batch's entries that are another in the second answer, and there say so: what was done of it the first
// time is known. What is done twice has the same word in both.
Shown by_entries(const Exchange& before, const Exchange& next) {
  struct Entry {
    std::string was, is;
    bool known() const { return among(kKnown, is); }
  };
  std::vector<Entry> entries;
  std::set<std::string> done;  // the first words of those that are known in the second
  std::string by;
  auto others = members_of(next.response_sample);
  for (auto& member : members_of(before.response_sample)) {
    if (!member.listed || member.kind != Member::Kind::text || !tells_state(joined(member.name))) continue;
    auto it = std::ranges::find(others, member.path, &Member::path);
    if (it == others.end()) continue;
    auto& entry = entries.emplace_back(joined(member.value), joined(it->value));
    if (!entry.known() || among(kKnown, entry.was)) continue;
    if (done.insert(entry.was).second && by.empty())
      by = fmt::format("the service says \"{}\": \"{}\" of what it had called \"{}\"", member.name, it->value,
                       member.value);
  }
  auto again = [&](auto& entry) { return done.contains(entry.was) && !entry.known(); };
  if (done.empty() || std::ranges::any_of(entries, again)) return {};
  return {Effects::one, by};
}

// Has it called any request of this operation new? Then it tells the one from the other.
bool calls_new(const trace::Run& run, const Exchange& like) {
  std::string by;
  return std::ranges::any_of(run.exchanges, [&](auto& e) {
    return trace::service_name(e.service) == trace::service_name(like.service) && e.operation == like.operation &&
           said_of_repeat(e, by) < 0;
  });
}

Shown by_words(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  std::string by, of_first;
  int said = said_of_repeat(next, by), first = said_of_repeat(before, of_first);
  // What it says of every request it does not say of the repeat. Of two that it knew both it has done none.
  if (said > 0 && (first <= 0 || calls_new(*c.reference, before) || calls_new(*c.in_case, before)))
    return {Effects::one, by};
  if (said < 0 && first < 0) return {Effects::two, by + " of both"};
  return by_entries(before, next);
}

Shown by_status(const Exchange& before, const Exchange& next) {
  if (next.service_status == 409 || next.service_status == kAlreadyExists)
    return {Effects::one, fmt::format("the service refused the second ({})", show_answer(next.service_status))};
  if (is_success(before.service_status) && trace::executed(before) && is_gone(next))
    return {Effects::one,
            fmt::format("what the first was about is gone for the second ({})", show_answer(next.service_status))};
  if (next.service_status == 208) return {Effects::one, "the service says that it was already reported (208)"};
  bool begun = before.service_status == 201 || before.service_status == 202;
  if (begun && next.service_status == 200)
    return {Effects::one, fmt::format("the service answered {} to the first, and 200 OK to the second",
                                      show_answer(before.service_status))};
  return {};
}

// --- an amount that both answers show ---

// 250 was sent, and one answer says 500 where the other says 250: it was added both times.
Shown by_amounts(const Exchange& before, const Exchange& next) {
  if (!is_success(before.service_status) || !is_success(next.service_status)) return {};
  auto was = members_of(before.response_sample), is = members_of(next.response_sample);
  auto [one, other] = std::ranges::mismatch(was, is, {}, &Member::value, &Member::value);
  if (one == was.end() || other == is.end() || one->path != other->path || one->listed || !may_count(*one)) return {};
  if (!std::ranges::equal(std::next(one), was.end(), std::next(other), is.end(), {}, &Member::value, &Member::value))
    return {};  // that is not all in which they differ
  auto from = number_of(one->value), to = number_of(other->value);
  for (auto& amount : members_of(before.request_sample))
    if (auto by = number_of(amount.value);
        by && from && to && amount.kind == Member::Kind::number && may_count(amount) && nearly(*to, *from + *by))
      return {Effects::two, fmt::format("\"{}\" went on from {} to {}, by the {} that was sent each time", one->name,
                                        one->value, other->value, amount.value)};
  return {};
}

// --- ids in both answers ---

// Who answered, or which request it was: no result.
bool names_result(const Member& member) {
  static constexpr std::array<std::string_view, 4> kLast = {"id", "uuid", "guid", "ulid"};
  static constexpr std::array<std::string_view, 17> kOfOthers = {
      "request", "trace",  "span",    "correlation", "node",   "server", "worker", "instance", "host",
      "session", "thread", "process", "log",         "client", "user",   "tenant", "account"};
  if (member.listed || member.kind == Member::Kind::boolean || member.value == trace::kRedacted) return false;
  auto words = words_of_name(member.name);
  return !words.empty() && among(kLast, words.back()) && !among(kOfOthers, words.front());
}

// Called as what its path makes or does: "charge" of "/invoices/7/charge" and of "/charges".
bool names_its_kind(const Member& member, std::string_view path) {
  auto kind = lower(path.substr(path.rfind('/') + 1)), name = joined(member.name);
  bool of_kind = kind == name || (kind.size() == name.size() + 1 && kind.starts_with(name) && kind.back() == 's');
  bool id = std::ranges::any_of(member.value, is_digit) && member.value.find_first_of(" :") == member.value.npos;
  return of_kind && id && !member.listed && member.kind == Member::Kind::text && member.value != trace::kRedacted;
}

// What comes back as it was sent is no result.
bool sent(const Exchange& e, std::string_view value) {
  auto parts = trace::message::segments(trace::message::path_of(e.target));
  return std::ranges::find(parts, value) != parts.end() ||
         std::ranges::any_of(members_of(e.request_sample), [&](auto& member) { return member.value == value; });
}

// "/uploads/u1/chunks" is answered with "u1" whatever it did there: a number beside it that went on says more. Of a
// thing that is set both say the same.
std::string went_on_in(const Exchange& before, const Exchange& next) {
  auto was = members_of(before.response_sample), is = members_of(next.response_sample);
  for (auto& m : was) {
    auto it = std::ranges::find(is, m.path, &Member::path);
    if (it == is.end() || m.listed || m.kind != Member::Kind::number || !may_count(m)) continue;
    auto from = number_of(m.value), to = number_of(it->value);
    if (from && to && *to > *from && *from > 0)
      return fmt::format("\"{}\" went on from {} to {}", m.name, m.value, it->value);
  }
  return {};
}

Shown by_ids(const Exchange& before, const Exchange& next) {
  auto& profile = trace::profile_of(before);
  auto one = profile.effect(before), other = profile.effect(next);
  if (!one.empty() && !other.empty() && one != other)
    return {Effects::two, "the two answers name two different results"};
  Shown shown;
  if (!one.empty() && one == other) {
    auto parts = trace::message::segments(trace::message::path_of(before.target));
    auto further = std::ranges::find(parts, one) == parts.end() ? std::string() : went_on_in(before, next);
    if (!further.empty()) return {Effects::two, further};
    shown = {Effects::one, "both answers name the same result"};
  }
  if (!profile.is_protocol() || !trace::carried_out(before) || !trace::carried_out(next)) return shown;
  auto others = members_of(next.response_sample);
  for (auto& member : members_of(before.response_sample)) {
    bool names = names_result(member) || names_its_kind(member, trace::message::path_of(before.target));
    if (!names || (profile.name() == "json-rpc" && member.path == "/id")) continue;
    auto it = std::ranges::find(others, member.path, &Member::path);
    if (it == others.end()) continue;
    if (it->value != member.value)
      return {Effects::two, fmt::format("the two answers name two different results (\"{}\" {} and {})", member.name,
                                        shorten(member.value, 40), shorten(it->value, 40))};
    if (names_result(member) && !sent(before, member.value) && shown.effects == Effects::unknown)
      shown = {Effects::one,
               fmt::format("both answers name the same result (\"{}\" {})", member.name, shorten(member.value, 40))};
  }
  return shown;
}

// --- what was read afterwards ---

// One entry may stand for many, and count them: {"item": "lamp", "quantity": 2}.
bool sums_up(const Exchange& read, const std::vector<Member>& sent) {
  return std::ranges::any_of(members_of(read.response_sample), [&](auto& member) {
    return member.listed && counts(member) && std::ranges::find(sent, member.name, &Member::name) == sent.end();
  });
}

constexpr int kMostReads = 10;

// A later look at the same place tells what was sent, and is to the letter what the reference is told there; or one at
// what that lies in, which holds it as a list ("POST /orders/7/items", and "items" of "GET /orders/7").
Shown by_same_look(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  constexpr std::size_t kTelling = 3;
  auto sent = members_of(before.request_sample);
  auto path = trace::message::path_of(before.target);
  auto told = [&](const Exchange& e) {
    auto shown = members_of(e.response_sample);
    return std::ranges::any_of(sent, [&](auto& m) {
      return m.value.size() >= kTelling && std::ranges::find(shown, m.value, &Member::value) != shown.end();
    });
  };
  auto folder = trace::message::folder_of(path);
  auto list = fmt::format("/{}/", path.substr(path.rfind('/') + 1));
  auto holds = [&](const Exchange& e) {
    auto shown = members_of(e.response_sample);
    return std::ranges::any_of(shown, [&](auto& m) { return m.listed && list_path(m.path) == list; });
  };
  if (next.told == 0 || before.request_digest != next.request_digest) return {};
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < next.told) continue;
    auto &was = pair.reference->last(), &is = pair.in_case->last();
    auto at = trace::message::path_of(is.target);
    if (!trace::message::safe_method(is.method) || is.service != before.service || was.target != is.target ||
        (at != path && at != folder) || asks_for_part(is.target))
      continue;
    bool same = delivered(was) && delivered(is) && is_success(is.service_status) &&
                was.service_status == is.service_status && was.response_sample == is.response_sample &&
                was.response_bytes == is.response_bytes && kept_whole(is);
    if (same && (at == path ? told(is) : holds(is)))
      return {Effects::one, fmt::format("{} shows what it shows without the fault", is.operation)};
  }
  return {};
}

Shown by_reads(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto wanted = members_of(before.request_sample);
  std::erase_if(wanted, [](auto& m) { return m.path != "/" + m.name || m.value == trace::kRedacted; });
  if (wanted.empty() || next.told == 0 || before.request_digest != next.request_digest) return {};
  auto path = trace::message::path_of(before.target);
  Shown shown;
  int reads = 0;
  for (auto& e : c.in_case->exchanges) {
    if (e.begun < next.told || !trace::message::safe_method(e.method) || e.service != before.service) continue;
    if (trace::message::path_of(e.target) != path || !delivered(e) || !is_success(e.service_status)) continue;
    if (++reads > kMostReads) break;
    auto times = entries_with(e.response_sample, wanted);
    if (times == 1 && !asks_for_part(e.target) && !sums_up(e, wanted))
      shown = {Effects::one, fmt::format("{} shows it once afterwards", e.operation)};
    else if (times > 1)
      return {Effects::two, fmt::format("{} shows it {} times afterwards", e.operation, times)};
  }
  return shown;
}

}  // namespace

bool called_a_repeat(const Exchange& e) {
  std::string by;
  return said_of_repeat(e, by) > 0;
}

Shown shown_by_service(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  if (auto added = by_amounts(before, next); added.effects == Effects::two) return added.firm = true, added;
  auto ids = by_ids(before, next);
  if (ids.effects == Effects::two) return ids;
  for (auto shown : {by_words(c, before, next), by_status(before, next)})
    if (shown.effects != Effects::unknown) return shown.firm = true, shown;
  if (ids.effects != Effects::unknown) return ids;
  if (auto told = shown_by_messages(c, before, next); told.effects != Effects::unknown) return told;
  auto read = by_reads(c, before, next);
  if (read.effects == Effects::unknown) read = by_same_look(c, before, next);
  if (auto set = read.effects == Effects::unknown ? what_was_set(c, before, next) : ""; !set.empty())
    read = {Effects::one, fmt::format("{} shows what was set, as without the fault", set)};
  if (auto total = read.effects == Effects::unknown ? same_total(c, before, next) : ""; !total.empty())
    read = {Effects::one, total};
  read.firm = true;
  return read;
}

bool asks_for_part(std::string_view target) {
  auto query = trace::message::query_of(target);
  for (auto part : split(query, '&')) {
    auto name = joined(part.substr(0, part.find('=')));
    for (std::string_view word : {"limit", "page", "pagesize", "perpage", "top", "first", "last", "max", "size",
                                  "count", "cursor", "offset", "skip", "after", "before"})
      if (name == word || name.ends_with(word)) return true;
  }
  return false;
}

}  // namespace retrial::oracles
