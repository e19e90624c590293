#include "oracles/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/service_words.h"
#include "oracles/time_of_fault.h"
#include "trace/fault_name.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Exchange;
using trace::FaultName;

namespace {
constexpr int kUnavailable = trace::kGrpcStatus + 14;  // google/rpc/code.proto
constexpr Nanos kLonger = 60;  // times: a wait that is that much longer than those before it is none
}  // namespace

bool follows(const Exchange& before, const Exchange& next) { return before.told != 0 && next.begun >= before.told; }

bool races(const trace::FaultSpec& fault) {
  using trace::Point;
  bool unread = fault.point == Point::before_request || fault.point == Point::after_head;
  return (fault.name == FaultName::reset && unread) ||
         ((fault.name == FaultName::reset || fault.name == FaultName::close) && fault.point == Point::idle);
}

const std::string& test_of(const ComparedCase& compared, const trace::Comparison& c) {
  auto& test = compared.row->test;
  return test.empty() && c.in_case->results.size() == 1 ? c.in_case->results.front().test : test;
}

bool delivered(const Exchange& e) {
  return e.ending == trace::Ending::answered && e.service_status != 0 && e.client_status == e.service_status &&
         (!e.fired || delivers(e.fault));
}

bool given_as_answer(const ComparedCase& compared, const Call& call) {
  return compared.row->hands_on_errors && call.last().fired && call.last().client_status >= 500;
}

bool errors_are_values(const trace::Run& run) { return std::ranges::count(run.agents, "go") > 0; }

bool read_between(const trace::Run& run, const Exchange& before, const Exchange& next,
                  const std::function<bool(const Exchange&)>& there) {
  return std::ranges::any_of(run.exchanges, [&](auto& e) {
    return e.pid == before.pid && e.service == before.service && e.begun >= before.told && e.told != 0 &&
           e.told <= next.begun && delivered(e) && is_success(e.client_status) &&
           trace::profile_of(e).repeat(e) == trace::Repeat::safe && (!there || there(e));
  });
}

bool went_to_another(const trace::Run& run, const trace::Exchange& before, const trace::Exchange& next) {
  auto alike = [](const trace::Exchange& a, const trace::Exchange& b) {
    return a.operation == b.operation && a.target == b.target && a.request_digest == b.request_digest;
  };
  if (before.busy.thread == 0) return false;
  // Exchanges stand in the order in which they began.
  auto from = std::ranges::lower_bound(run.exchanges, before.told, {}, &trace::Exchange::begun);
  for (auto e = from; e != run.exchanges.end() && e->begun < next.begun; ++e) {
    bool of_it = e->pid == before.pid && e->busy.thread == before.busy.thread && e->id != before.id && e->id != next.id;
    if (of_it && e->told && e->told <= next.begun &&
        std::none_of(run.exchanges.begin(), e, [&](auto& other) { return alike(other, *e); }))
      return true;
  }
  return false;
}

const Call* counterpart(const Comparison& c, const Call& call) {
  for (auto& pair : c.pairs)
    if (pair.in_case == &call) return pair.reference;
  return nullptr;
}

namespace {
bool fails_within(const Exchange& e) { return is_success(e.service_status) && trace::profile_of(e).fails(e); }
bool was_answered_so(const Call& call, const Exchange& error) {
  return std::any_of(call.attempts.begin(), call.attempts.end(), [&](auto* e) {
    return e->service_status == error.service_status && fails_within(*e) == fails_within(error);
  });
}
}  // namespace

std::vector<ServiceError> new_errors(const Comparison& c) {
  std::vector<const Exchange*> fired;
  for (auto* call : c.faulted)
    for (auto* e : call->attempts)
      if (e->fired) fired.push_back(e);
  if (fired.empty()) return {};
  auto first = (*std::min_element(fired.begin(), fired.end(), [](auto* a, auto* b) {
                 return a->fired_at < b->fired_at;
               }))->fired_at;

  std::vector<ServiceError> found;
  for (auto& call : c.case_calls) {
    auto* beside = counterpart(c, call);
    bool faulted = std::find(c.faulted.begin(), c.faulted.end(), &call) != c.faulted.end();
    if (!faulted && beside) continue;
    for (auto* e : call.attempts) {
      if (!delivered(*e) || (e->service_status < 400 && !fails_within(*e)) || e->begun < first) continue;
      bool around = std::any_of(fired.begin(), fired.end(),
                                [&](auto* f) { return f != e && f->begun >= e->begun && f->fired_at <= e->told; });
      bool injected = std::any_of(fired.begin(), fired.end(), [&](auto* f) {
        return is_status(f->fault) && f->client_status == e->service_status;
      });
      bool known = beside ? was_answered_so(*beside, *e)
                          : std::any_of(c.reference_calls.begin(), c.reference_calls.end(), [&](auto& r) {
                              return r.operation == call.operation && was_answered_so(r, *e);
                            });
      if (!around && !injected && !known) found.push_back({&call, e});
    }
  }
  return found;
}

namespace {
// A client that does not hold what came against its length is left with the first part.
bool garbles(const trace::FaultSpec& fault) {
  using enum trace::FaultName;
  return fault.point == trace::Point::in_body || fault.name == truncate || fault.name == corrupt ||
         fault.name == wrong_length || fault.name == malformed || fault.name == message;
}
}  // namespace

unsigned told_of(const Comparison& c) {
  unsigned told = 0;
  for (auto* call : c.faulted)
    for (auto* e : call->attempts) {
      if (!e->fired) continue;
      if (is_status(e->fault))  // UNAVAILABLE is what gRPC's clients say of a broken connection too
        told |= e->client_status == kUnavailable ? kStatus | kBroken : kStatus;
      else if (is_silence(e->fault) || is_slowness(e->fault))
        told |= kSilent;
      else if (garbles(e->fault))
        told |= kBroken | kGarbled;
      else
        told |= kBroken;
    }
  return told;
}

std::string show_answer(int status) {
  if (trace::is_grpc(status)) return trace::show_status(status);
  return fmt::format("{} {}", status, trace::message::reason_of(status));
}

std::string show_error(const Exchange& error) {
  auto status = show_answer(error.service_status);
  return fails_within(error) ? fmt::format("{} with an error in its body", status.substr(0, status.find(' '))) : status;
}

std::string ordinal(std::size_t n) {
  static constexpr std::array<std::string_view, 10> kWords = {"first", "second",  "third",  "fourth", "fifth",
                                                              "sixth", "seventh", "eighth", "ninth",  "tenth"};
  if (n >= 1 && n <= kWords.size()) return std::string(kWords[n - 1]);
  auto teen = n % 100 >= 11 && n % 100 <= 13;
  return fmt::format("{}{}", n,
                     !teen && n % 10 == 1   ? "st"
                     : !teen && n % 10 == 2 ? "nd"
                     : !teen && n % 10 == 3 ? "rd"
                                            : "th");
}

std::string show_gap(Nanos gap) {
  auto ms = static_cast<double>(gap) / 1e6;
  return gap >= kSecond ? show_duration(gap) : fmt::format("{:.{}f} ms", ms, ms < 10 ? 1 : 0);
}

std::string counted(std::size_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string shorten(std::string_view text, std::size_t longest) {
  std::string out;
  for (char c : trim(text)) {
    bool space = static_cast<unsigned char>(c) <= ' ';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  if (out.size() <= longest) return out;
  // An error's subject stands at its beginning, its reason often at its end. No half of a UTF-8 character at either
  // cut.
  auto inside = [&](std::size_t at) { return at < out.size() && (static_cast<unsigned char>(out[at]) & 0xC0) == 0x80; };
  auto head = longest * 3 / 5, tail = out.size() - longest * 2 / 5;
  while (head > 0 && inside(head)) head--;
  while (inside(tail)) tail++;
  return out.substr(0, head) + " ... " + out.substr(tail);
}

std::string short_path(std::string_view file) {
  for (std::string_view folder : {"site-packages/", "dist-packages/", "node_modules/"})
    if (auto at = file.rfind(folder); at != file.npos) return std::string(file.substr(at + folder.size()));
  return std::string(file);
}

bool may_pass(const trace::Exchange& e) {
  if (!e.fired || !is_status(e.fault)) return true;
  auto told = e;
  told.response_sample = trace::error_told(e).body;
  return trace::profile_of(e).asks_again(told);
}

Nanos test_over(const trace::Run& run, Nanos since) {
  auto over = run.ended;
  for (auto& stage : run.stages)
    if (!stage.starts && stage.phase == trace::Phase::test && stage.at > since) over = std::min(over, stage.at);
  return over;
}

bool may_be_unseen(const trace::Comparison& c, const trace::Exchange& failed) {
  auto& run = *c.in_case;
  return of_death(c) || !run.connection_faults.empty() ||
         std::ranges::any_of(run.capture.not_seen, [&](auto& name) { return name.starts_with(failed.service); });
}

bool met_own_effect(const Call& call) {
  namespace code = trace::grpc_code;
  static constexpr std::array kMet{404,
                                   409,
                                   410,
                                   412,
                                   422,
                                   423,
                                   trace::kGrpcStatus + code::not_found,
                                   trace::kGrpcStatus + code::already_exists,
                                   trace::kGrpcStatus + code::failed_precondition,
                                   trace::kGrpcStatus + code::aborted};
  auto& last = call.last();
  if (last.fired || !delivered(last) || std::ranges::find(kMet, last.service_status) == kMet.end()) return false;
  return std::ranges::any_of(call.attempts,
                             [](auto* a) { return a->fired && trace::told_failed(*a) && trace::carried_out(*a); });
}

bool goes_on(const trace::Run& run, const Call& call) {
  if (trace::recovered(call)) return false;
  auto waits = trace::gaps(call);
  if (waits.empty() || call.last().told == 0) return true;
  return run.ended - call.last().told <= kLonger * std::max(std::ranges::max(waits), kSecond);
}

bool by_application(const ComparedCase& compared, const trace::Exchange& e) {
  if (!e.tag.site) return compared.row->test.empty();
  return !is_look(e) && !in_tests(e.tag.site->file, compared.row->test);
}

bool in_tests(std::string_view file, std::string_view test) {
  if (test.starts_with(file)) return true;
  auto parts = split(file, '/');
  auto name = parts.back();
  return std::ranges::any_of(parts,
                             [](auto p) { return p == "test" || p == "tests" || p == "spec" || p == "__tests__"; }) ||
         name.starts_with("test_") || name.find("_test.") != name.npos || name.find(".test.") != name.npos ||
         name.find(".spec.") != name.npos;
}

trace::Frame outermost_frame(const Call& call) {
  auto& site = call.first().tag.site;
  return site ? trace::frames_of(*site).back() : trace::Frame{};
}

// Two of that name in one file are no more one than any other two.
static bool has_name(std::string_view function) { return function.find("<anonymous>") == function.npos; }

bool in_one_function(const trace::CallSite& a, const trace::CallSite& b, std::string_view test) {
  auto others = trace::frames_of(b);
  return std::ranges::any_of(trace::frames_of(a), [&](auto& one) {
    return !in_tests(one.file, test) && std::ranges::any_of(others, [&](auto& other) {
      return one.file == other.file && one.function == other.function && one.line != other.line &&
             has_name(one.function);
    });
  });
}

bool cut_in_answer(const trace::Exchange& e) {
  return e.fired && (e.fault.point == trace::Point::in_body || e.fault.point == trace::Point::after_response_head);
}

std::size_t first_fired(const Call& call) {
  return static_cast<std::size_t>(
      std::find_if(call.attempts.begin(), call.attempts.end(), [](auto* e) { return e->fired; }) -
      call.attempts.begin());
}

namespace {
bool after_request(const trace::FaultSpec& fault) { return fault.point == trace::Point::after_request; }
}  // namespace

std::string what_was_done(const Call& call, std::size_t attempt) {
  auto& e = *call.attempts[attempt];
  auto how = e.evidence.empty() ? trace::show(e.fault) : e.evidence;
  auto nth = ordinal(attempt + 1);
  switch (e.fault.name) {
    case FaultName::lost_response:
      return fmt::format("the {} response was lost ({})", nth, how);
    case FaultName::error:
      return fmt::format("the {} attempt was answered {} by the fault, before the service heard of it", nth,
                         trace::show_status(e.client_status));
    case FaultName::reset:
      return fmt::format("the {} attempt was {}reset ({})", nth, after_request(e.fault) ? "read and then " : "", how);
    case FaultName::close:
      return fmt::format("the {} attempt{} connection {} ({})", nth,
                         after_request(e.fault) ? " was read and its" : "'s",
                         after_request(e.fault) ? "closed" : "was closed", how);
    case FaultName::stall:
      return fmt::format("the {} attempt was {} answered ({})", nth,
                         e.fault.point == trace::Point::in_body ? "not wholly" : "never", how);
    case FaultName::rst_stream:
      return fmt::format("the {} attempt's stream was {}reset ({})", nth,
                         after_request(e.fault) ? "read and then " : "", how);
    case FaultName::goaway:
      return fmt::format("the {} attempt was turned away, and never executed ({})", nth, how);
    case FaultName::late_status:
      return fmt::format("the {} response had begun, and ended with {} by the fault ({})", nth,
                         trace::show_status(e.client_status), how);
    case FaultName::redirect_loop:
      return fmt::format("the {} attempt was redirected to where it had come ({})", nth, how);
    case FaultName::crash:
      return how;
    case FaultName::message:
      return fmt::format("the {} response was altered ({})", nth, how);
    default:
      break;
  }
  // What has no words of its own: by its nature.
  if (is_pass(e.fault)) return fmt::format("the {} attempt was let through", nth);
  if (is_of_connection(e.fault)) return fmt::format("a connection failed before the {} attempt ({})", nth, how);
  if (is_slowness(e.fault)) return fmt::format("the {} attempt was delayed ({})", nth, how);
  return fmt::format("the {} response was altered ({})", nth, how);
}

}  // namespace retrial::oracles
