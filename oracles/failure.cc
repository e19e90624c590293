#include "oracles/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/programming_errors.h"
#include "oracles/service_words.h"
#include "trace/profiles/fault_answer.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Comparison;
using trace::Exchange;
using trace::Thrown;

namespace {

constexpr std::string_view kMarker = "retrial-";

// An exception hangs on the one before it. Who raises an error of his own while he handles another tells of that one; a
// programming error there is an accident, and an assertion looks at something else. What follows hangs on that, until a
// member of a group opens a branch of its own.
std::vector<const Thrown*> told_part(const std::vector<Thrown>& chain) {
  std::vector<const Thrown*> told;
  const Thrown* above = nullptr;
  bool aside = false;
  for (auto& thrown : chain) {
    if (trace::stands_behind(thrown)) break;
    if (thrown.link == "context")
      aside = aside || !above || is_programming_error(*above) || is_assertion(*above);
    else if (thrown.link == "member")
      aside = false;
    if (!aside) told.push_back(&thrown);
    above = &thrown;
  }
  // node:test's wrapping of what the test threw
  if (told.size() > 1 && told[0]->code == "ERR_TEST_FAILURE" && told[1]->link == "cause") told.erase(told.begin());
  return told;
}

std::string short_type(std::string_view type) {
  auto at = type.find_last_of(".:\\");  // Python's and Java's, Ruby's, PHP's
  return std::string(at == type.npos ? type : type.substr(at + 1));
}

// An exchange of the application that was open while the fault fired, and that it answered itself with a status 5xx:
// the fault, handed on by one hop of HTTP or gRPC.
std::vector<int> handed_on(const Comparison& c, const Exchange& fired) {
  std::vector<int> statuses;
  for (auto& e : c.in_case->exchanges)
    if (&e != &fired && !e.fired && trace::says_service_failed(e.service_status) && e.begun <= fired.begun &&
        (e.told == 0 || e.told >= fired.fired_at))
      statuses.push_back(e.service_status);
  return statuses;
}

// Of one command without tests, an exception that ended it; its status alone says too little, and an assertion is how
// it says that something is wrong.
const trace::TestResult* ended_by_exception(const trace::Run& run) {
  auto it = std::ranges::find_if(run.results, [](auto& r) {
    return bad(r) && !r.chain.empty() && !trace::stands_behind(r.chain.front()) && !is_assertion(r.chain.front());
  });
  return it == run.results.end() ? nullptr : &*it;
}

}  // namespace

static std::optional<Failure> failure_between(const trace::TestResult* before, const trace::TestResult* result) {
  if (!result || !bad(*result) || (before && bad(*before))) return {};
  return Failure{result, told_part(result->chain)};
}

std::optional<Failure> failure_of(const ComparedCase& compared, const Comparison& c) {
  bool ended = c.in_case->stop == trace::Stop::exited || failed_and_was_over(*c.in_case, compared.row->test);
  if (!ended) return {};
  auto* result = result_of(*c.in_case, compared.row->test);
  auto* before = result_of(*c.reference, compared.row->test);
  if (compared.row->test.empty()) result = ended_by_exception(*c.in_case), before = ended_by_exception(*c.reference);
  return failure_between(before, result);
}

std::optional<Failure> failure_of_next(const Comparison& c) {
  auto &was = c.reference->followed_by, &is = c.in_case->followed_by;
  if (!was || !is || is->tests.empty()) return {};
  return failure_between(result_of(*was, is->tests.front()), result_of(*is, is->tests.front()));
}

bool failed_and_was_over(const trace::Run& run, const std::string& test) {
  auto* result = test.empty() ? nullptr : result_of(run, test);
  if (run.stop != trace::Stop::hung || !result || !bad(*result)) return false;
  auto open = 0;
  for (auto& stage : run.stages) open += stage.starts ? 1 : -1;
  return open == 0;
}

bool is_assertion(const Thrown& thrown) {
  auto type = short_type(thrown.type);
  return type.starts_with("AssertionError") || type == "Assertion" || type == "JestAssertionError" ||
         type == "AssertionFailedError" || type == "ExpectationNotMetError" || type == "ExpectationFailedException" ||
         type == "ComparisonFailure" || thrown.code == "ERR_ASSERTION" || thrown.type == "_pytest.outcomes.Failed" ||
         thrown.type == "Failed";
}

bool is_about_exception(const Thrown& assertion) {
  // pytest, unittest, Jest, Vitest and Chai, node:assert, Hamcrest and AssertJ, in this order.
  static constexpr std::string_view kWords[] = {
      "Regex pattern did not match",          "\" does not match \"", "Received message:", "to throw error ",
      "did not match the regular expression", "exception message",    "Expecting message"};
  return std::ranges::any_of(kWords, [&](auto words) { return icontains(assertion.message, words); });
}

bool in_test_phase(const trace::TestResult& result) {
  return result.phase == trace::Phase::test || result.phase == trace::Phase::none;
}

std::string text_of(const Thrown& thrown) {
  auto text = fmt::format("{}: {}", thrown.type, thrown.message);
  if (!thrown.code.empty()) text += fmt::format(" [{}]", thrown.code);
  return text;
}
std::string text_of(const Failure& failure) {
  std::string text;
  for (auto* thrown : failure.told) text += text_of(*thrown) + '\n';
  return text;
}

std::string text_of_causes(const Failure& failure) {
  std::string text;
  for (auto* thrown : failure.told)
    if (!is_programming_error(*thrown)) text += text_of(*thrown) + '\n';
  return text;
}

std::string named(const Thrown& thrown) {
  std::string said;
  for (auto line : split(thrown.message, '\n'))  // what changes with each request says nothing to a reader
    if (!line.starts_with("RequestId:") && !line.starts_with("Time:") && !line.starts_with(" + "))  // pytest's "where"
      said.append(line).append(" ");
  auto text = short_type(thrown.type);
  if (auto message = shorten(said, 160); !message.empty()) text += ": " + message;
  if (!thrown.code.empty() && !icontains(text, thrown.code)) text += fmt::format(" [{}]", thrown.code);
  return text;
}

bool shows_injected(const Comparison& c, std::string_view text) {
  if (icontains(text, kMarker)) return true;
  for (auto* call : c.faulted)
    for (auto* e : call->attempts) {
      if (!e->fired) continue;
      if (is_status(e->fault)) {
        auto answer = trace::error_told(*e);
        auto words = service_words(e->client_status, answer.headers, answer.body);
        if (names(text, e->client_status, words) || says_status(text, e->client_status)) return true;
      }
      for (auto status : handed_on(c, *e))
        if (names(text, status, service_words(status, {}, {}))) return true;
    }
  return false;
}
bool shows_fault(const Comparison& c, std::string_view text) {
  return shows_injected(c, text) || !client_word_in(text, told_of(c), c.in_case->agents).empty();
}

bool told_of_each(const Comparison& c, std::string_view test, const trace::Call& call) {
  constexpr std::size_t kLeast = 3;  // of fewer two checks of one error may speak
  auto* result = trace::result_of(*c.in_case, test);
  if (!result || call.attempts.size() < kLeast || !errors_are_values(*c.in_case)) return false;
  auto told = std::ranges::count_if(result->chain, [&](auto& t) { return shows_injected(c, text_of(t)); });
  return static_cast<std::size_t>(told) + 1 >= call.attempts.size();
}

// Of the chains that stand behind what failed it, by how they hang there.
static std::string text_behind(const trace::TestResult& result, std::string_view link) {
  std::string text;
  bool of_it = false;
  for (auto& thrown : result.chain) {
    if (trace::stands_behind(thrown)) of_it = thrown.link == link;
    if (of_it) text += text_of(thrown) + "\n";
  }
  return text;
}

bool expected_by_test(const ComparedCase& compared, const Comparison& c) {
  for (auto& result : c.in_case->results) {
    if (result.test != test_of(compared, c)) continue;
    auto text = text_behind(result, trace::kExpected);
    if (!text.empty() && shows_fault(c, text)) return true;
  }
  return false;
}

const Thrown* unheard(const Comparison& c, const Failure& failure) {
  auto& chain = failure.result->chain;
  auto it = std::ranges::find(chain, trace::kUnheard, &Thrown::link);
  return it != chain.end() && shows_fault(c, text_behind(*failure.result, trace::kUnheard)) ? &*it : nullptr;
}

bool told_over_http(const Comparison& c) {
  return std::ranges::any_of(c.faulted, [&](auto* call) {
    return std::ranges::any_of(call->attempts, [&](auto* e) { return e->fired && !handed_on(c, *e).empty(); });
  });
}

bool told_by_exit_status(const Comparison& c, const trace::Call& call, const Failure& failure) {
  auto& stages = c.in_case->stages;
  auto pid = call.first().pid;
  if (stages.empty() || std::ranges::any_of(stages, [&](auto& stage) { return stage.pid == pid; })) return false;
  // Python's subprocess, Node's child_process, Go's os/exec, Rust's ExitStatus, what people write.
  static constexpr std::string_view kEnded[] = {"exit status", "exit code", "exited with", "Command failed"};
  auto text = text_of(*failure.outermost());
  return std::ranges::any_of(kEnded, [&](auto words) { return icontains(text, words); });
}

bool may_be_caused_by_capture(const Comparison& c, const Failure& failure) {
  if (c.in_case->capture.interrupted == 0) return false;
  auto text = text_of(failure);
  static constexpr std::string_view kOurs[] = {"EINTR", "InterruptedError", "Interrupted system call",
                                               "EPIPE", "BrokenPipeError",  "Broken pipe"};
  return std::any_of(std::begin(kOurs), std::end(kOurs), [&](auto word) { return holds_word(text, word); });
}

}  // namespace retrial::oracles
