// What was read is settled, and its work was not done: a message that is acknowledged or removed, a cursor that is set
// behind it, a thing that is removed before it is written elsewhere. So it is gone for good: at-most-once where
// at-least-once was meant; Rainmaker (NSDI'23) 4.3 counts it among the effects that are lost.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/made_of.h"
#include "oracles/members.h"
#include "oracles/registry.h"
#include "oracles/rpc_name.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kSettledUndone{
    .name = "settled-undone",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "What was read is settled, and its work was not done",
    .why = "It was removed, acknowledged or passed over although the work on it failed: nobody will do it again.",
    .remedy = "Do the work first, and remove, acknowledge or move the cursor when that is done; or put it back.",
};

using trace::Call;
using trace::Comparison;
using trace::Confidence;
using trace::Exchange;
using trace::message::folder_of;

constexpr std::array<std::string_view, 4> kAcknowledging{"ack", "acked", "acknowledge", "settle"};
constexpr std::array<std::string_view, 4> kEnding{"complete", "commit", "done", "delete"};  // of what a queue gave
constexpr std::array<std::string_view, 9> kCursors{"cursor",   "offset", "checkpoint", "bookmark", "since",
                                                   "position", "pos",    "watermark",  "marker"};
// What lies there is taken once, and is no thing of its own.
constexpr std::array<std::string_view, 11> kQueues{"queue",  "message", "job",      "task",    "event",  "inbox",
                                                   "outbox", "item",    "waitlist", "backlog", "pending"};
// What lies there is held by its client itself, and given back whatever became of the work: of a cursor, what it is
// read by, where it is removed and not set.
constexpr std::array<std::string_view, 14> kHeld{"lock",     "locks",   "lease",     "leases",   "session",
                                                 "sessions", "mutex",   "semaphore", "scroll",   "scrolls",
                                                 "cursor",   "cursors", "iterator",  "iterators"};
constexpr std::size_t kFewFields = 2;  // of an RPC: one of them says what it is about
constexpr std::array<std::string_view, 12> kPlaces{"id",  "uuid", "key",  "tag", "handle",    "receipt",
                                                   "seq", "next", "last", "at",  "timestamp", "version"};

// What the last segment of its path names; empty: it removes nothing.
std::string removed_by(const Exchange& e) {
  auto path = trace::message::path_of(e.target);
  auto at = path.rfind('/');
  return e.method == "DELETE" && at != path.npos ? percent_decode(path.substr(at + 1)) : std::string();
}

// Of an RPC also where its name does not say that it writes.
bool may_have_effect(const Exchange& e) {
  return had_effect(e) || (e.grpc.is && trace::carried_out(e) && !rpc_reads(e));
}

enum class Settling : std::uint8_t { no, removes, acknowledges, passes_over };

// How this request settles what was read there, as far as it was handed on.
Settling settling_of(const Exchange& e, const Source& source) {
  if (!may_have_effect(e) || e.service != source.read->service || e.begun < source.read->told) return Settling::no;
  if (e.method == "DELETE" && trace::message::path_of(e.target) == trace::message::path_of(source.read->target))
    return Settling::removes;
  auto values = values_of(e);
  auto removed = removed_by(e);
  bool removes = e.method == "DELETE";
  if (removes && has_word(e.operation, kHeld) && !has_word(e.operation, kQueues)) return Settling::no;
  bool ends = has_word(e.operation, kEnding) && has_word(e.operation, kQueues);
  bool acknowledges = ends || has_word(e.operation, kAcknowledging);
  bool cursor = has_word(trace::message::path_of(e.target), kCursors);
  auto sent = members_sent(e);
  for (auto& m : sent) cursor |= has_word(m.name, kCursors);
  if (!removes && !acknowledges && !cursor) return Settling::no;
  auto same_entry = [&](const Member& named, const Member& handed) {
    auto a = place_of(named), b = place_of(handed);
    return !a || !b || *a == *b || (cursor && !removes && *a > *b);
  };
  for (auto& m : source.told) {
    bool a_place = e.grpc.is ? m.value.size() >= kTellingValue || sent.size() <= kFewFields
                             : has_word(m.name, kPlaces) || has_word(m.name, kCursors);
    // Whatever it is called: the last segment of a path is what it names. Others name what it lies in.
    bool named =
        a_place ? std::ranges::binary_search(values, m.value) : removed.size() >= kTellingValue && removed == m.value;
    if (named && std::ranges::all_of(source.handed_on, [&](auto& handed) { return same_entry(m, handed); }))
      return removes ? Settling::removes : acknowledges ? Settling::acknowledges : Settling::passes_over;
  }
  return Settling::no;
}

// What this run itself has made ("POST /certs", "DELETE /certs/cert-1") is taken back, where what it was made for
// failed. (A POST may ask a queue for its next, and is answered 200 then.)
bool takes_back(const Exchange& e, const Source& source) {
  auto& made = *source.read;
  auto path = trace::message::path_of(made.target);
  return e.method == "DELETE" && made.method == "POST" && folder_of(trace::message::path_of(e.target)) == path &&
         (made.service_status == 201 || !has_word(path, kQueues));
}

// "PUT /calibrations/c-7" with an offset is no cursor over what "POST /calibrations/c-7/close" does to the same thing.
bool is_of_the_thing(const Exchange& work, const Exchange& settles) {
  auto at = trace::message::path_of(work.target), thing = trace::message::path_of(settles.target);
  return at.size() > thing.size() && at.starts_with(thing) && at[thing.size()] == '/';
}

std::string_view in_words(Settling how) {
  return how == Settling::removes ? "removed" : how == Settling::acknowledges ? "acknowledged" : "passed over";
}

class SettledUndone final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kSettledUndone, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_call(compared, c, call, judgement); });
  }

 private:
  static void judge_call(const ComparedCase& compared, const Comparison& c, const Call& work, Judgement& judgement) {
    auto* beside = counterpart(c, work);
    if (!beside || !came_to_its_end(c, test_of(compared, c)) || may_be_thinned(*c.in_case)) return;
    bool usual = std::ranges::any_of(beside->attempts, [](auto* e) { return may_have_effect(*e); });
    if (!usual || !kept_from_service(work) || done_otherwise(c, work, *beside)) return;
    if (of_the_tests(compared, work.first())) return;
    auto content = work.first();  // what the fault has kept us from reading is as in the reference
    if (content.request_sample.empty()) content.request_sample = beside->first().request_sample;
    auto source = source_of(*c.in_case, content);
    for (auto& pair : c.pairs) {
      if (!pair.in_case || !pair.reference) continue;
      auto &settles = pair.in_case->last(), &always = pair.reference->last();
      if (of_the_tests(compared, settles) || cleans_up(settles)) continue;
      bool before = settles.told && settles.told <= work.first().begun && always.told <= beside->first().begun;
      if (before && makes_room(compared, c, settles, work.first()))
        return add_replaced(compared, c, work, settles, judgement);
      bool after = settles.begun >= work.last().told && may_pass(work.last());
      auto how = source && (before || after) ? settling_of(settles, *source) : Settling::no;
      if (how == Settling::no || (after && takes_back(settles, *source))) continue;
      if (how == Settling::passes_over && is_of_the_thing(work.first(), settles)) continue;
      bool other = worked_on(*c.in_case, *source, settles);
      if (other && after) continue;
      bool copy =
          source->is_copied() || how != Settling::removes || has_word(trace::message::path_of(settles.target), kQueues);
      judgement.findings.push_back(make_finding(
          compared, c, work, kSettledUndone,
          std::min(copy && !other ? Confidence::likely : Confidence::possible, work.confidence),
          fmt::format("{}: {}, and it was not done. What it hands on was {} {} ({}), so that nobody finds it again.",
                      work.operation, what_was_done(work, first_fired(work)), in_words(how),
                      before ? "before" : "all the same", settles.operation),
          "A right client settles what it has read when the work on it is done."));
      return;
    }
  }

  // Was something else done of all that? Then what failed may be one that it can do without.
  static bool worked_on(const trace::Run& run, const Source& source, const Exchange& settles) {
    return std::ranges::any_of(run.exchanges, [&](auto& e) {
      if (&e == &settles || e.begun < source.read->told || !may_have_effect(e)) return false;
      if (source.whole) return e.request_sample == source.read->response_sample;
      auto values = values_of(e);
      return std::ranges::all_of(source.handed_on,
                                 [&](auto& m) { return std::ranges::binary_search(values, m.value); });
    });
  }

  // A thing is removed, and made anew at the same place by the same function; or another where things like it are made
  // ("DELETE /holds/h-7", "POST /holds"); or an entry is taken off a list that was read, and handed on by its name.
  static bool makes_room(const ComparedCase& compared, const Comparison& c, const Exchange& removal,
                         const Exchange& work) {
    if (removal.method != "DELETE" || !had_effect(removal) || removal.service != work.service) return false;
    if (!removal.tag.site || !work.tag.site || !in_one_function(*removal.tag.site, *work.tag.site, compared.row->test))
      return false;
    auto from = trace::message::path_of(removal.target), to = trace::message::path_of(work.target);
    if (has_word(removal.operation, kHeld) && !has_word(removal.operation, kQueues)) return false;
    if (work.method == "PUT") return from == to;
    return work.method == "POST" &&
           (folder_of(from) == to || (names(work, removed_by(removal)) && listed(*c.in_case, removal)));
  }
  static bool names(const Exchange& work, const std::string& entry) {
    return std::ranges::binary_search(values_of(work), entry);
  }
  static bool listed(const trace::Run& run, const Exchange& removal) {
    auto entry = removed_by(removal);
    auto folder = folder_of(trace::message::path_of(removal.target));
    return std::ranges::any_of(run.exchanges, [&](auto& e) {
      if (e.told == 0 || e.told > removal.begun || trace::message::path_of(e.target) != folder) return false;
      auto told = members_of(e.response_sample);
      return std::ranges::any_of(told, [&](auto& m) { return m.listed && m.value == entry; });
    });
  }
  static void add_replaced(const ComparedCase& compared, const Comparison& c, const Call& work, const Exchange& removal,
                           Judgement& judgement) {
    judgement.findings.push_back(make_finding(
        compared, c, work, kSettledUndone,
        std::min(work.first().method == "PUT" ? Confidence::likely : Confidence::possible, work.confidence),
        fmt::format(
            "{}: {}, and it was not done. What it takes the place of was removed before ({}), so that neither is "
            "there.",
            work.operation, what_was_done(work, first_fired(work)), removal.operation),
        "A right client writes over what it replaces, or removes it when the new one is there."));
  }

  // A fixture takes away what its test has left, whatever became of it.
  static bool cleans_up(const Exchange& e) {
    return e.tag.phase == trace::Phase::teardown || e.tag.phase == trace::Phase::shared;
  }
  static bool of_the_tests(const ComparedCase& compared, const Exchange& e) {
    return e.tag.site && in_tests(e.tag.site->file, compared.row->test);
  }
};

}  // namespace

const Oracle& settled_undone() {
  static const SettledUndone oracle;
  return oracle;
}

}  // namespace retrial::oracles
