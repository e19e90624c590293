// A write that the service carries out without the fault, and never heard of with it; and nobody was told. Rainmaker
// (NSDI'23) 4.3: an error that is swallowed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/programming_errors.h"
#include "oracles/recognition.h"
#include "oracles/registry.h"
#include "oracles/said_without.h"
#include "oracles/time_of_fault.h"
#include "trace/calls/operation.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kLostEffect{
    .name = "lost-effect",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "A write never came to the service, and nobody was told",
    .why = "After the fault the client gave it up, and went on as if it had been carried out.",
    .remedy = "Send it again, or let the caller know that it was not done.",
};

using trace::Call;
using trace::Comparison;
using trace::Confidence;

constexpr std::array<std::string_view, 6> kNaming{"id", "name", "key", "slug", "code", "uuid"};

// Was it told of an error that will not pass?
bool says_no(const trace::Exchange& fired) {
  return fired.client_status != 0 && !trace::profile_of(fired).transient(fired.client_status, {});
}

class LostEffect final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kLostEffect, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_call(compared, c, call, judgement); });
  }

 private:
  static void judge_call(const ComparedCase& compared, const Comparison& c, const Call& call, Judgement& judgement) {
    // A command without tests is its one result. That it ended well says little: only what it reads afterwards counts.
    bool command = compared.row->test.empty();
    auto& test = test_of(compared, c);
    // It failed, and did not without the fault: somebody was told.
    if (command && c.in_case->exit_code != 0 && c.reference->exit_code == 0) return;
    if (!came_to_its_end(c, test)) return;
    bool passed = went_on(c, call, *trace::result_of(*c.in_case, test));
    if (!passed && !found_otherwise(compared, c)) return;
    auto* beside = counterpart(c, call);
    if (!beside || removes_own(c, call)) return;
    bool usual = std::ranges::any_of(beside->attempts, [](auto* e) { return had_effect(*e); });
    if (!usual || of_death(c) || expected_by_test(compared, c) || !kept_from_service(call) ||
        may_be_thinned(*c.in_case) || done_otherwise(c, call, *beside))
      return;
    if (given_as_answer(compared, call) || made_so_later(c, call) || told_its_caller(c, call)) return;
    auto read = shown_missing(c, call, *beside);
    if (read.empty()) read = told_as_done(c, call);
    if (read.empty()) read = said_without(c, call, *beside);
    if (read.empty()) read = ended_without(c, call);
    if ((command || !passed) && read.empty()) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kLostEffect,
        read.empty() ? Confidence::possible : std::min(Confidence::likely, call.confidence),
        fmt::format("{}: {}, the client gave up after {}, and {} went on; without the fault the service carries it "
                    "out ({}), here it never heard of it{}.",
                    call.operation, what_was_done(call, first_fired(call)), counted(call.attempts.size(), "attempt"),
                    command ? "the command" : "the test",
                    trace::status_of(beside->last(), beside->last().service_status), read),
        says_no(*call.attempts[first_fired(call)])
            ? "A right client tells its caller that it was not done."
            : "A right client sends it again, or tells its caller that it was not done."));
  }

  // An assertion of the test failed, or a line of it that takes for there what is not ("list index out of range"), and
  // nothing in it speaks of the fault: it was told of none.
  static bool found_otherwise(const ComparedCase& compared, const Comparison& c) {
    auto failure = failure_of(compared, c);
    auto* outermost = failure ? failure->outermost() : nullptr;
    return outermost && (is_assertion(*outermost) || is_programming_error(*outermost)) && outermost->in_test &&
           in_test_phase(*failure->result) && !shows_fault(c, text_of(*failure));
  }

  // What it was to say has been said by the next of its kind: a PUT of the same, or what is sent again and again
  // anyway.
  static bool made_so_later(const Comparison& c, const Call& call) {
    constexpr std::size_t kAgain = 3;
    auto& lost = call.first();
    bool again = lost.method == "PUT" || times_done(*c.reference, lost) >= kAgain;
    return again && std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
             return e.begun >= call.last().told && had_effect(e) && same_request(e, lost);
           });
  }

  // It is a service's own call, made while that was asked for something: who asked was answered by it with an error,
  // and is not without the fault.
  static bool told_its_caller(const Comparison& c, const Call& call) {
    auto around = [&](const Call& other) {
      return !other.last().fired && other.first().begun <= call.first().begun && other.last().told >= call.last().told;
    };
    return std::ranges::any_of(c.pairs, [&](auto& pair) {
      return pair.in_case && pair.reference && around(*pair.in_case) && trace::told_failed(pair.in_case->last()) &&
             !trace::told_failed(pair.reference->last());
    });
  }

  // What was made in this run, and is not removed: resource-leak.
  static bool removes_own(const Comparison& c, const Call& call) {
    if (call.first().method != "DELETE") return false;
    auto path = trace::message::path_of(call.first().target);
    Removals usual(*c.reference);  // knows by what name it is removed
    return Removals(*c.in_case).made(path) ||
           std::ranges::any_of(c.in_case->exchanges, [&](auto& e) { return usual.made_by(e) == path; });
  }

  // The test passed; or went on, and met another fault, by which it may have failed. Not where that met the same
  // operation once more: then it was tried again, or done side by side, and the failure may be told of all.
  static bool went_on(const Comparison& c, const Call& call, const trace::TestResult& result) {
    return result.outcome == "passed" || std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
             return e.fired && e.begun >= call.last().told && e.operation != call.operation;
           });
  }

  static bool is_named(const Member& m) { return m.kind == Member::Kind::text && names(m); }
  // A thing is found there by this key: {"logs": {"web1-4": "GET /cart"}}. A place in a list is none.
  static bool has_key(const std::vector<Member>& shown, std::string_view key) {
    bool number = std::ranges::all_of(key, is_digit);
    return std::ranges::any_of(shown, [&](auto& m) {
      auto parts = split(std::string_view(m.path), '/');
      return !(number && m.listed) && std::ranges::find(parts, key) != parts.end();
    });
  }

  // The entries of a batch: {"events": [{...}, {...}]}, or a list alone.
  static bool holds_all_entries(const trace::Exchange& answer, const std::vector<Member>& sent) {
    std::map<std::string_view, std::vector<Member>> entries;  // by the path of each
    for (auto& m : sent) {
      auto end = m.path.rfind('/');
      bool of_entry = m.listed && end != 0 && end != m.path.npos && is_digit(m.path[m.path.rfind('/', end - 1) + 1]);
      if (of_entry) entries[std::string_view(m.path).substr(0, end)].push_back(m);
    }
    auto shown = members_of(answer.response_sample);
    return !entries.empty() && std::ranges::all_of(entries, [&](auto& entry) {
      return entries_with(answer.response_sample, entry.second) > 0 ||
             std::ranges::any_of(entry.second, [&](auto& m) { return is_named(m) && has_key(shown, m.value); });
    });
  }

  // Does a list in this answer hold what that call sent: an entry with all that its body says, the id or name that its
  // body gives it, or with the name that a PUT gave it ("PUT /blobs/in/a": "a", or {"name": "in/a"}).
  static bool holds(const trace::Exchange& answer, const Call& call) {
    auto& request = call.first();
    auto sent = members_of(request.request_sample);
    if (holds_all_entries(answer, sent)) return true;
    std::erase_if(sent, [](auto& m) { return m.path != "/" + m.name; });
    if (entries_with(answer.response_sample, sent) > 0) return true;
    auto listed = members_of(answer.response_sample);
    auto lists = [&](std::string_view name) {
      return has_key(listed, name) || std::ranges::any_of(listed, [&](auto& m) {
               return m.listed && m.kind == Member::Kind::text && m.value == name;
             });
    };
    constexpr std::size_t kTelling =
        5;  // of a text that stands in a list as it was sent ({"urls": ["https://me/cal"]})
    auto names_it = [](auto& m) { return is_named(m) || (m.kind == Member::Kind::text && m.value.size() >= kTelling); };
    if (std::ranges::any_of(sent, [&](auto& m) { return names_it(m) && lists(m.value); })) return true;
    auto parts = trace::message::segments(trace::message::path_of(request.target));
    std::string name;
    for (auto i = parts.size(); request.method == "PUT" && i-- > 1;) {
      name = percent_decode(parts[i]) + (name.empty() ? "" : "/") + name;
      if (lists(name)) return true;
    }
    return false;
  }

  // Is what that call's path names shown as its body sets it ("PATCH /orders/o-3", {"status": "shipped"}): by a read of
  // it, or as an entry of a list, whatever else is in it.
  static bool shows_as_set(const trace::Exchange& answer, const trace::Exchange& request) {
    auto path = trace::message::path_of(request.target);
    auto set = members_of(request.request_sample);
    std::erase_if(set, [](auto& m) { return m.path != "/" + m.name; });
    if (set.empty() || !is_json(answer.response_sample)) return false;
    if (trace::message::path_of(answer.target) == path) {
      auto shown = members_of(answer.response_sample);
      return std::ranges::all_of(set, [&](auto& m) {
        return std::ranges::any_of(shown, [&](auto& s) { return !s.listed && s.name == m.name && s.value == m.value; });
      });
    }
    auto parts = trace::message::segments(path);
    if (parts.size() < 2) return false;
    return std::ranges::any_of(kNaming, [&](auto name) {
      auto entry = set;
      entry.push_back({.name = std::string(name), .path = {}, .value = percent_decode(parts.back())});
      return entries_with(answer.response_sample, entry) > 0;
    });
  }

  // ""size" of 53616 where it is 70000 else": what a service counts of what it holds.
  static std::string less_in(const trace::Exchange& was, const trace::Exchange& is) {
    static constexpr std::array<std::string_view, 6> kSizes{"size", "byte", "length", "line", "row", "entry"};
    auto usual = members_of(was.response_sample), here = members_of(is.response_sample);
    for (auto& m : usual) {
      auto now = std::ranges::find(here, m.path, &Member::path);
      if (now == here.end() || !may_count(m) || !may_count(*now) || !(counts(m) || has_word(m.name, kSizes))) continue;
      auto before = number_of(m.value), left = number_of(now->value);
      if (before && left && *left < *before)
        return fmt::format("a \"{}\" of {} where it is {} else", m.name, now->value, m.value);
    }
    return {};
  }

  // A member that says what the thing is called: long enough to be no other's by chance.
  static bool names(const Member& member) {
    auto words = words_of_name(member.name);
    return member.value.size() >= 4 && !words.empty() && among(kNaming, words.back());
  }

  // "booked" of "POST /stock/bookings".
  static bool is_done_of(std::string_view status, const Call& call) {
    constexpr std::size_t kStem = 4;
    auto word = lower(status);
    if (word.size() <= kStem || !word.ends_with("ed")) return false;
    auto asked = words_of_name(trace::message::path_of(call.first().target));
    return std::ranges::any_of(asked, [&](auto& one) {
      return one.size() >= kStem && std::string_view(one).substr(0, kStem) == std::string_view(word).substr(0, kStem);
    });
  }

  // "ledger" of "POST /ledger".
  static bool is_name_of(std::string_view member, const Call& call) {
    auto asked = words_of_name(trace::message::path_of(call.first().target));
    return std::ranges::any_of(words_of_name(member),
                               [&](auto& word) { return std::ranges::find(asked, word) != asked.end(); });
  }

  // Which write then says of it that it was done, as it rightly does without the fault: the next one of the function
  // that made the call, and writes nothing else: ", and PUT /reminders/{id} then says that it was ("sent": true)".
  static std::string told_as_done(const Comparison& c, const Call& call) {
    static constexpr std::array<std::string_view, 14> kDone{
        "sent",     "delivered", "notified", "mailed",  "published", "dispatched", "forwarded",
        "uploaded", "exported",  "synced",   "charged", "paid",      "shipped",    "printed"};
    // Of these a word of that kind says what something is, and not what became of it: {"event": "paid"}.
    static constexpr std::array<std::string_view, 9> kOfOthers{"event",   "type",  "kind", "action", "topic",
                                                               "subject", "title", "text", "message"};
    auto writer = outermost_frame(call);
    if (writer.function.empty()) return {};
    const trace::Exchange* before = nullptr;  // what it wrote last: of a loop's turn before, or beside
    for (auto& pair : c.pairs) {
      if (!pair.in_case || pair.in_case == &call || !had_effect(pair.in_case->last())) continue;
      auto by = outermost_frame(*pair.in_case);
      if (by.file != writer.file || by.function != writer.function) continue;
      auto& write = pair.in_case->last();
      if (write.begun < call.last().told) {
        before = &write;
        continue;
      }
      if (!pair.reference || write.operation == call.operation || (before && before->operation != write.operation))
        return {};
      for (auto& m : members_of(write.request_sample)) {
        bool told = m.kind == Member::Kind::text && !has_word(m.name, kOfOthers) &&
                    (among(kDone, lower(m.value)) || is_done_of(m.value, call) ||
                     (is_name_of(m.name, call) && lower(m.value).ends_with("ed")));
        if (told || (m.kind == Member::Kind::boolean && m.value == "true" && has_word(m.name, kDone)))
          return fmt::format(", and {} then says that it was (\"{}\": {})", write.operation, m.name, m.value);
      }
      return {};
    }
    return {};
  }

  // "PUT /uploads/u1/parts/2" of "POST /uploads/u1/complete".
  static bool is_part_of(const trace::Exchange& part, const trace::Exchange& ends) {
    static constexpr std::array<std::string_view, 6> kParts{"part", "chunk", "block", "segment", "piece", "slice"};
    static constexpr std::array<std::string_view, 8> kEnding{"complete", "commit",   "finish",  "finalize",
                                                             "finalise", "assemble", "compose", "merge"};
    auto path = trace::message::path_of(part.target), end = trace::message::path_of(ends.target);
    auto whole = trace::message::folder_of(end);
    return ends.service == part.service && trace::message::segments(whole).size() > 1 &&
           path.size() > whole.size() + 1 && path.starts_with(whole) && path[whole.size()] == '/' &&
           has_word(path.substr(whole.size()), kParts) && has_word(end.substr(whole.size()), kEnding);
  }

  // Which request then ends what it is a part of, and says no less than without the fault: ", and POST
  // /uploads/{id}/complete then ends what it is a part of, without it".
  static std::string ended_without(const Comparison& c, const Call& call) {
    auto says = [](const trace::Exchange& e) {
      std::vector<std::string> paths;
      for (auto& m : members_of(e.request_sample)) paths.push_back(m.path);
      return paths;
    };
    for (auto& pair : c.pairs) {
      if (!pair.reference || !pair.in_case) continue;
      auto &usual = pair.reference->last(), &ends = pair.in_case->last();
      if (ends.begun >= call.last().told && had_effect(ends) && had_effect(usual) && is_part_of(call.first(), ends) &&
          says(usual) == says(ends))
        return fmt::format(", and {} then ends what it is a part of, without it", ends.operation);
    }
    return {};
  }

  // But for names that each run draws for itself: "/events?prefix=van-3f2a8b1c".
  static bool asks_the_same(std::string_view was, std::string_view is) {
    auto piece_at = [](std::string_view& rest) {
      auto end = std::min(rest.find_first_of("/?&="), rest.size());
      Member piece{.name = {}, .path = {}, .value = std::string(rest.substr(0, end))};
      rest.remove_prefix(std::min(end + 1, rest.size()));
      return piece;
    };
    while (!was.empty() && !is.empty()) {
      auto one = piece_at(was), other = piece_at(is);
      if (one.value != other.value && !drawn_anew(one, other)) return false;
    }
    return was.empty() && is.empty();
  }

  // It is a copy of what was read elsewhere, and is read there again where it is missed: a cache.
  static bool read_again(const trace::Run& run, const Call& call, const trace::Exchange& missed) {
    auto sent = members_of(call.first().request_sample);
    auto copied_from = [&](const trace::Exchange& e) {
      return e.told && e.told <= call.first().begun && trace::message::safe_method(e.method) &&
             std::ranges::equal(members_of(e.response_sample), sent,
                                [](auto& a, auto& b) { return a.path == b.path && a.value == b.value; });
    };
    return !sent.empty() && std::ranges::any_of(run.exchanges, [&](auto& origin) {
      return copied_from(origin) && std::ranges::any_of(run.exchanges, [&](auto& e) {
               return e.begun >= missed.told && same_request(e, origin);
             });
    });
  }

  // Which later read holds it without the fault, and does not here: ", and GET /orders does not show it, as it does
  // else".
  static std::string shown_missing(const Comparison& c, const Call& call, const Call& beside) {
    for (auto& pair : c.pairs) {
      if (!pair.reference || !pair.in_case) continue;
      auto &was = pair.reference->last(), &is = pair.in_case->last();
      if (was.begun < beside.last().told || is.begun < call.last().told || !trace::message::safe_method(is.method))
        continue;
      if (!asks_the_same(was.target, is.target) || asks_for_part(is.target) || !delivered(was) || !delivered(is))
        continue;
      if (!trace::carried_out(was) || read_again(*c.in_case, call, is)) continue;
      if (is_gone(is) && trace::message::path_of(was.target) == made_by(beside.last()))
        return fmt::format(", and {} does not find it, as it does else", is.operation);
      if (!trace::carried_out(is)) continue;
      if (is_look(is))
        if (auto less = less_in(was, is); !less.empty()) return fmt::format(", and {} shows {}", is.operation, less);
      bool tells = is_json(is.response_sample) || is.response_bytes == 0;  // nothing is there
      bool missing = holds(was, beside) && tells && !holds(is, call);
      bool unset = shows_as_set(was, beside.last()) && tells && !shows_as_set(is, call.first());
      if (unset) return fmt::format(", and {} does not show what it sets, as it does else", is.operation);
      if (missing) return fmt::format(", and {} does not show it, as it does else", is.operation);
    }
    return {};
  }
};

}  // namespace

const Oracle& lost_effect() {
  static const LostEffect oracle;
  return oracle;
}

}  // namespace retrial::oracles
