#include "campaign/report/causes.h"

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/oracle.h"
#include "oracles/repeat.h"

namespace retrial::campaign::report {

bool Cause::accepted() const {
  return std::all_of(findings.begin(), findings.end(), [](const trace::Finding* f) { return f->accepted; });
}

const trace::Finding& Cause::surest() const {
  return **std::max_element(findings.begin(), findings.end(),
                            [](auto* a, auto* b) { return a->confidence < b->confidence; });
}

namespace {
std::string_view host_of(const trace::Finding& f) {
  return std::string_view(f.service).substr(0, f.service.rfind(':'));
}
// A service that each test starts anew has another port, and so another number, in each: "127.0.0.1:*3".
bool at_one_service(const trace::Finding& a, const trace::Finding& b) {
  bool both_move = a.service.contains(":*") && b.service.contains(":*");
  return a.service == b.service || (both_move && host_of(a) == host_of(b));
}
// It may have been started for each recording of a client.
bool started_anew(const trace::Finding& a, const trace::Finding& b) {
  return a.policy == trace::kObserved && b.policy == trace::kObserved && host_of(a) == host_of(b);
}

// Is what sends at the one a frame of the other, too? Below it is more of the same client.
bool goes_through(const trace::Finding& a, const trace::Finding& b) {
  auto of_b = trace::frames_of(*b.site);
  return std::ranges::find(of_b, trace::frames_of(*a.site).front()) != of_b.end();
}

// What a client does at both of these call sites is done in one place: by a vendor's client, by the function or library
// that sends again (which each service may have one of, set up in its own way), or where nothing was sent again, by the
// frame that sends.
bool done_in_one_place(const trace::Finding& a, const trace::Finding& b) {
  if (!a.sdk.empty() && a.sdk == b.sdk) return at_one_service(a, b);
  if (!a.retried_by.empty() || !b.retried_by.empty()) {
    bool own = a.retried_by.contains(':');  // a line, and not a library
    return a.retried_by == b.retried_by && (own ? at_one_service(a, b) : a.service == b.service);
  }
  return a.attempts <= 1 && (goes_through(a, b) || goes_through(b, a));
}

// They meet in a function that asks for this operation: one that is neither what sends for all nor what sends again.
bool meet(const trace::Finding& a, const trace::Finding& b) {
  auto of_a = trace::frames_of(*a.site), of_b = trace::frames_of(*b.site);
  if (of_a.front() != of_b.front()) return false;
  auto one = [](auto& x, auto& y) { return x.file == y.file && x.function == y.function; };
  for (std::size_t i = 1; i < std::min(of_a.size(), of_b.size()) && one(of_a[i], of_b[i]); i++)
    if (auto frame = trace::show(of_a[i]); frame != a.retried_by && frame != b.retried_by) return true;
  return false;
}
// The same line, called all the way from the same ones, asks for several things: "GET /stock/pen", "GET /stock/mug".
bool one_line(const trace::Finding& a, const trace::Finding& b) {
  auto method = [](auto& f) { return f.operation.substr(0, f.operation.find(' ')); };
  bool same = a.site && b.site && trace::frames_of(*a.site) == trace::frames_of(*b.site);
  return same && !a.site->callers.empty() && method(a) == method(b);
}
// One line sends both by a library, which sends both again: as it is set up there.
bool repeated_for_one_line(const trace::Finding& a, const trace::Finding& b) {
  bool library = !a.retried_by.empty() && !a.retried_by.contains(':');
  return library && a.retried_by == b.retried_by && at_one_service(a, b) && a.site && b.site &&
         trace::frames_of(*a.site).front() == trace::frames_of(*b.site).front();
}
// Nothing of the application sends it, but lines of tests: what that library does it does at all of them; and how it
// goes about it where nothing is sent again.
bool by_one_library(const trace::Finding& a, const trace::Finding& b, bool of_client) {
  auto of_test = [](auto& f) { return f.site && oracles::in_tests(f.site->file, f.test); };
  bool one = (!a.retried_by.empty() && a.retried_by == b.retried_by) || (!a.sdk.empty() && a.sdk == b.sdk) ||
             (of_client && a.retried_by.empty() && b.retried_by.empty() && a.sdk == b.sdk);
  return one && of_test(a) && of_test(b) && at_one_service(a, b);
}
// Whoever needs a token asks for it in one place, which a library may call for all of them.
bool asks_for_token(const trace::Finding& f) {
  return f.attempts <= 1 && oracles::is_entrance(std::string_view(f.operation).substr(f.operation.rfind('/') + 1));
}
}  // namespace

std::optional<trace::Frame> Cause::sends_again() const {
  if (!site || surest().retried_by.empty()) return {};
  auto frames = trace::frames_of(*site);
  auto it = std::ranges::find(frames, surest().retried_by, [](auto& frame) { return trace::show(frame); });
  return it == frames.begin() || it == frames.end() ? std::nullopt : std::optional(*it);
}

bool one_cause(const trace::Finding& a, const trace::Finding& b) {
  auto* verdict = oracles::verdict_named(a.verdict);
  if (a.verdict != b.verdict) return false;
  if (!a.raised_at.empty() && a.raised_at == b.raised_at) return true;
  bool of_client = b.site && verdict && !verdict->of_outcome && !verdict->of_caller;
  if (by_one_library(a, b, of_client)) return true;
  if (verdict && verdict->of_repeat && repeated_for_one_line(a, b)) return true;
  if (!of_client && a.service != b.service && !started_anew(a, b)) return false;
  if (a.site == b.site && (of_client || a.operation == b.operation)) return true;
  if (of_client && a.operation == b.operation && asks_for_token(a) && asks_for_token(b)) return true;
  if ((a.attempts > 1) != (b.attempts > 1)) return false;
  if (!of_client && a.operation != b.operation) return one_line(a, b);
  return a.site && b.site && (of_client ? done_in_one_place(a, b) : meet(a, b));
}

std::vector<Cause> causes(const std::vector<trace::Finding>& findings) {
  std::vector<Cause> out;
  for (const auto& finding : findings) {
    auto at = std::ranges::find_if(out, [&](auto& cause) { return one_cause(*cause.findings.front(), finding); });
    if (at == out.end()) at = out.insert(out.end(), Cause{finding.verdict, finding.site, {}});
    at->findings.push_back(&finding);
  }
  std::stable_partition(out.begin(), out.end(), [](const Cause& cause) { return !cause.accepted(); });
  return out;
}

}  // namespace retrial::campaign::report
