#include "oracles/taken_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oracles/compensations.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/time_of_fault.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Confidence;
using trace::Exchange;

namespace {

// Who somebody is, or what was done, is kept whatever becomes of the rest.
constexpr std::array<std::string_view, 10> kRecords = {"customer", "user",  "account", "profile", "contact",
                                                       "member",   "audit", "log",     "event",   "history"};

// The application removes what it made in this run, as it does not without the fault.
bool takes_back(const ComparedCase& compared, const Comparison& c, const Removals& here, const Exchange& e) {
  bool usual = std::ranges::any_of(c.reference->exchanges, [&](auto& u) { return u.operation == e.operation; });
  return e.method == "DELETE" && trace::carried_out(e) && !usual && by_application(compared, e) &&
         here.made(trace::message::path_of(e.target));
}

bool is_of_test(const ComparedCase& compared, const Exchange& e) {
  return e.tag.site && in_tests(e.tag.site->file, compared.row->test);
}

bool names_last(const Exchange& e, const std::string& path) {
  auto name = last_segment(path);
  return !name.empty() && (e.target.contains(name) || e.request_sample.contains(name));
}

// Somebody asks after it, or undoes it by another request that names it ("PUT /refunds/t-1").
bool is_asked_for(const trace::Run& run, const std::string& path, Nanos from) {
  return std::ranges::any_of(run.exchanges, [&](auto& e) {
    return e.begun >= from && !is_look(e) &&
           (trace::message::path_of(e.target).starts_with(path) || (undoes(e) && names_last(e, path)));
  });
}

// It reads, and is told of this thing: "{"id": "ch_1", ...}".
bool shows(const Exchange& e, const std::string& made) {
  auto name = last_segment(made);
  return trace::message::safe_method(e.method) && delivered(e) && !name.empty() &&
         std::ranges::any_of(members_of(e.response_sample), [&](auto& m) { return m.value == name; });
}

// Whoever asks so is not the function that has failed.
bool of_another_function(const Exchange& e, const Exchange& failed) {
  if (!e.tag.site || !failed.tag.site) return false;
  auto one = trace::frames_of(*e.tag.site).back(), other = trace::frames_of(*failed.tag.site).back();
  return one.file != other.file || one.function != other.function;
}

}  // namespace

std::string last_segment(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void judge_taken_back(const ComparedCase& compared, const Comparison& c, const Call& work, Judgement& judgement) {
  auto lost = std::ranges::find_if(
      work.attempts, [](auto* e) { return had_effect(*e) && trace::carried_out(*e) && trace::told_failed(*e); });
  if (lost == work.attempts.end() || trace::recovered(work) || (*lost)->method != "POST" || of_death(c)) return;
  auto path = trace::message::path_of((*lost)->target);
  auto made = made_by(**lost);
  const Exchange *back = nullptr, *read = nullptr;  // the latest that shows it
  Removals made_here(*c.in_case);
  for (auto& e : c.in_case->exchanges) {
    if (e.begun < work.last().told) continue;
    if (shows(e, made) && (is_look(e) || (of_another_function(e, **lost) && !names_last(e, made)))) read = &e;
    if (is_look(e) || read == &e) continue;
    if (trace::message::path_of(e.target).starts_with(path)) return;  // it asks after it, or undoes it
    if (!made.empty() && names_last(e, made)) return;
    if (takes_back(compared, c, made_here, e) && !back) back = &e;
  }
  if (!back) return;
  if (has_word(work.operation, kRecords)) read = nullptr;
  auto left = read ? fmt::format(" {}, read {}, shows it ({}).", read->operation,
                                 is_look(*read) ? "when the command had ended" : "afterwards", last_segment(made))
                   : "";
  judgement.findings.push_back(make_finding(
      compared, c, work, kMissingCompensation,
      std::min(read ? Confidence::likely : Confidence::possible, work.confidence),
      fmt::format("{}: {}, and it was done. What had been made before it was then taken back ({}), and nothing that "
                  "was sent afterwards asks whether it was done, or undoes it.{}",
                  work.operation, what_was_done(work, first_fired(work)), back->operation, left),
      "A right client looks what became of a step whose answer it has not got, or takes that back, too."));
}

void judge_half_taken_back(const ComparedCase& compared, const Comparison& c, const Call& work, Judgement& judgement) {
  if (trace::recovered(work) || of_death(c) || may_be_thinned(*c.in_case)) return;
  Removals here(*c.in_case);
  const Exchange* back = nullptr;
  for (auto& e : c.in_case->exchanges)
    if (!back && e.begun >= work.last().told && takes_back(compared, c, here, e)) back = &e;
  if (!back) return;
  std::string taken(trace::message::path_of(back->target));
  for (auto& step : c.case_calls) {
    auto& e = step.last();
    auto path = made_by(e);
    bool one_name = !path.empty() && path != taken && last_segment(path) == last_segment(taken);
    if (!one_name || !had_effect(e) || !delivered(e) || !counterpart(c, step)) continue;
    auto by = outermost_frame(step), failed = outermost_frame(work);
    if (by.function.empty() || by.file != failed.file || by.function != failed.function) continue;
    if (e.told > work.first().begun || is_asked_for(*c.in_case, path, e.told)) continue;
    // Steps of one loop belong together; a record of the same name may be meant to stay.
    bool one_loop = e.tag.site == work.first().tag.site && !has_word(path, kRecords);
    judgement.findings.push_back(make_finding(
        compared, c, work, kMissingCompensation,
        std::min(one_loop ? Confidence::likely : Confidence::possible, work.confidence),
        fmt::format(
            "{}: {}, and what had been made before it was taken back in part: {} was ({}), and {} ({}) was not, "
            "nor did anything that was sent afterwards ask for it.",
            work.operation, what_was_done(work, first_fired(work)), taken, back->operation, path, e.operation),
        "A right client takes back every step that it has made, the first as well as the last."));
    return;
  }
}

void judge_given_nowhere(const ComparedCase& compared, const Comparison& c, const Call& work, Judgement& judgement) {
  static constexpr std::array<std::string_view, 5> kTaking = {"debit", "withdraw", "withdrawal", "withdrawals",
                                                              "deduct"};
  static constexpr std::array<std::string_view, 4> kGiving = {"credit", "deposit", "deposits", "refund"};
  auto& giving = work.first();
  auto* beside = counterpart(c, work);
  if (!has_word(giving.operation, kGiving) || trace::recovered(work) || !kept_from_service(work) || of_death(c)) return;
  if (!beside || !had_effect(beside->last()) || is_of_test(compared, giving)) return;
  auto amounts = members_of(beside->first().request_sample);
  std::erase_if(amounts, [](auto& m) { return m.kind != Member::Kind::number || !may_count(m); });
  for (auto& step : c.case_calls) {
    auto& taking = step.last();
    if (!has_word(taking.operation, kTaking) || taking.pid != giving.pid || !had_effect(taking) || !delivered(taking))
      continue;
    auto taken = members_of(taking.request_sample);
    bool same_amount = std::ranges::any_of(amounts, [&](auto& amount) {
      return std::ranges::any_of(taken, [&](auto& m) { return m.name == amount.name && m.value == amount.value; });
    });
    if (!same_amount || taking.told > giving.begun || !counterpart(c, step)) continue;
    bool went_on = std::ranges::any_of(
        c.in_case->exchanges, [&](auto& e) { return e.begun >= work.last().told && !is_look(e) && e.method != "GET"; });
    if (went_on) continue;
    // Somebody may come back to what was written down before.
    bool noted = std::ranges::any_of(
        c.in_case->exchanges, [&](auto& e) { return e.begun < taking.begun && e.pid == taking.pid && had_effect(e); });
    judgement.findings.push_back(make_finding(
        compared, c, work, kMissingCompensation,
        std::min(noted ? Confidence::possible : Confidence::likely, work.confidence),
        fmt::format(
            "{}: {}, and it was not done. The same amount had been taken before ({}), and nothing that was sent "
            "afterwards gives it back, or tries again: it is in neither place.",
            work.operation, what_was_done(work, first_fired(work)), taking.operation),
        "A right client gives back what it has taken, or writes down what is still to be done before it begins."));
    return;
  }
}

}  // namespace retrial::oracles
