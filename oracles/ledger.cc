#include "oracles/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/repeat.h"
#include "oracles/rpc_name.h"
#include "trace/calls/content.h"
#include "trace/calls/operation.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/sift.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Exchange;
using trace::message::folder_of;
using trace::message::path_of;

bool had_effect(const Exchange& e) {
  if (!trace::carried_out(e) || e.method == "GET") return false;
  auto& profile = trace::profile_of(e);
  auto repeat = profile.repeat(e);
  if (repeat == trace::Repeat::unknown)
    return e.grpc.is ? rpc_named(e) == Named::write : profile.method_tells() && !reads_by_name(e);
  return repeat != trace::Repeat::safe;
}

std::string made_by(const Exchange& e) {
  if (!had_effect(e)) return {};
  auto path = path_of(e.target);
  if (e.method == "PUT") return std::string(path);
  if (e.method != "POST") return {};
  if (auto location = find(e.response_headers, "location"); !location.empty()) return std::string(path_of(location));
  auto id = trace::message::json_top(e.response_sample, "id");
  if (id.empty()) return {};
  return std::string(path) + (path.ends_with('/') ? "" : "/") + std::string(id);
}

namespace {
constexpr std::array<std::string_view, 14> kHeld{"upload", "uploads",     "multipart",    "session",     "sessions",
                                                 "tx",     "transaction", "transactions", "lock",        "locks",
                                                 "lease",  "leases",      "reservation",  "reservations"};
constexpr std::array<std::string_view, 16> kEnds{"complete", "completed", "commit", "finish",   "finalize", "close",
                                                 "end",      "seal",      "abort",  "cancel",   "rollback", "discard",
                                                 "release",  "unlock",    "logout", "terminate"};

// The path of what is ended: of "/uploads/u1/complete" that of the upload. Empty: it ends nothing that is held.
std::string_view ended_by(const Exchange& e) {
  auto path = path_of(e.target);
  auto end = path.find_last_of("/:");
  if (e.method == "GET" || end == path.npos || end == 0 || !among(kEnds, path.substr(end + 1))) return {};
  auto held = path.substr(0, end);
  auto parts = trace::message::segments(held);
  return std::ranges::any_of(parts, [](auto part) { return among(kHeld, part); }) ? held : std::string_view();
}
// "?uploadId=u1": something else than what lies at the path, which stays.
bool names_another(std::string_view target) {
  static constexpr std::array<std::string_view, 4> kInIt{"upload", "version", "snapshot", "revision"};
  for (auto part : split(trace::message::query_of(target), '&')) {
    auto words = words_of_name(part.substr(0, part.find('=')));
    if (words.size() > 1 && words.back() == "id" && among(kInIt, words.front())) return true;
  }
  return false;
}
// What it removes, or ends.
std::string_view removed_by(const Exchange& e) {
  if (e.method != "DELETE") return ended_by(e);
  return names_another(e.target) ? std::string_view() : path_of(e.target);
}
}  // namespace

bool removes(const Exchange& e) { return !removed_by(e).empty(); }

Removals::Removals(const trace::Run& run) {
  constexpr std::size_t kTelling = 3;                  // a shorter id is many things'
  std::map<std::string, std::string_view> operations;  // by the id that they gave
  for (auto& e : run.exchanges)
    if (auto path = removed_by(e); !path.empty() && trace::carried_out(e)) removed_.emplace(path);
  for (auto& e : run.exchanges) {
    learn_name(e);
    if (auto path = made_by(e); !path.empty()) made_.insert(std::move(path));
    auto id = trace::message::json_top(e.response_sample, "id");
    if (e.method == "POST" && id.size() >= kTelling) operations.emplace(id, e.operation);
  }
  for (auto& e : run.exchanges) {
    auto path = removed_by(e);
    if (path.empty() || !trace::carried_out(e)) continue;
    auto slash = path.rfind('/');
    if (slash == path.npos || made(path)) continue;  // it is known by where it was made
    if (auto of = operations.find(std::string(path.substr(slash + 1))); of != operations.end())
      folders_.emplace(of->second, path.substr(0, slash));
  }
}

// By that name, or by whatever stands there where it was left out of the trace.
bool Removals::removes_below(std::string_view folder, std::string_view name) const {
  if (name != trace::kRedacted) return removed_.contains(fmt::format("{}/{}", folder, name));
  return std::ranges::any_of(removed_, [&](auto& path) { return folder_of(path) == folder; });
}

// An answer that names what it made by another word than "id": {"session": "m1"}, and then "DELETE /maintenance/m1".
void Removals::learn_name(const Exchange& e) {
  if (e.method != "POST" || !had_effect(e) || !oracles::made_by(e).empty()) return;
  for (auto& m : members_of(e.response_sample))
    if (m.path == "/" + m.name && removes_below(path_of(e.target), m.value)) names_.emplace(e.operation, m.name);
}

std::string Removals::made_by(const Exchange& e) const {
  if (auto name = names_.find(e.operation); name != names_.end() && e.method == "POST" && had_effect(e)) {
    auto value = trace::message::json_top(e.response_sample, name->second);
    return value.empty() ? std::string() : std::string(path_of(e.target)) + "/" + std::string(value);
  }
  if (e.method != "POST" || !had_effect(e)) return oracles::made_by(e);
  auto id = trace::message::json_top(e.response_sample, "id");
  if (auto folder = folders_.find(e.operation); folder != folders_.end() && !id.empty())
    return folder->second + "/" + std::string(id);
  auto path = path_of(e.target);
  auto named = oracles::made_by(e);
  return named.empty() && removed_.contains(path) ? std::string(path) : named;
}

namespace {
bool lies_in(std::string_view path, std::string_view folder) {
  if (folder.ends_with('/')) folder.remove_suffix(1);
  if (path.substr(path.rfind('/') + 1) == trace::kRedacted && folder_of(folder) == folder_of(path)) return true;
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}
bool names(const Exchange& e, std::string_view name) {
  if (name == trace::kRedacted) return false;
  auto parts = trace::message::segments(path_of(e.target));
  if (std::ranges::find(parts, name) != parts.end() || icontains(trace::message::query_of(e.target), name)) return true;
  if (!icontains(e.request_sample, name)) return e.request_bytes > trace::kSampleBytes;
  auto members = members_of(e.request_sample);
  return members.empty() || std::ranges::find(members, name, &Member::value) != members.end();
}
}  // namespace

Removed removal_of(const trace::Run& run, std::string_view path, Nanos from, const trace::Run* usual) {
  auto name = path.substr(path.rfind('/') + 1);
  Removed removed;
  for (auto& e : run.exchanges) {
    if (e.begun < from || trace::message::safe_method(e.method)) continue;
    if (removes(e) && lies_in(path, removed_by(e))) {
      if (is_success(e.service_status) || is_gone(e)) {
        removed = {Removal::done, &e};
        if (e.method == "DELETE") return removed;  // of "finish" and then DELETE
      }
      if (removed.how == Removal::done) continue;
      if (removed.how != Removal::perhaps) removed = {Removal::given_up, &e};
    } else if (!lies_in(path_of(e.target), path) && names(e, name)) {
      auto asks_too = [&](auto& u) {
        return u.operation == e.operation && (path_of(u.target) == path_of(e.target) || u.tag.site == e.tag.site);
      };
      if (!usual || std::ranges::none_of(usual->exchanges, asks_too)) removed = {Removal::perhaps, &e};
    }
  }
  return removed;
}

bool is_gone(const Exchange& e) {
  constexpr int kNotFound = 404, kGone = 410;
  return e.service_status == kNotFound || e.service_status == kGone ||
         e.service_status == trace::kGrpcStatus + trace::grpc_code::not_found;
}

bool same_request(const Exchange& a, const Exchange& b) {
  return a.operation == b.operation && a.request_digest == b.request_digest &&
         trace::service_name(a.service) == trace::service_name(b.service) &&
         trace::target_key(a.target) == trace::target_key(b.target);
}

std::size_t times_done(const trace::Run& run, const Exchange& request) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.exchanges, [&](auto& e) { return had_effect(e) && same_request(e, request); }));
}

bool comes_as_often(const trace::Comparison& c, const Exchange& request, bool (*counts)(const Exchange&)) {
  auto content = trace::content_key(request);
  auto times = [&](const trace::Run& run) {
    return std::ranges::count_if(run.exchanges, [&](auto& e) {
      return counts(e) && e.operation == request.operation &&
             trace::target_key(e.target) == trace::target_key(request.target) && trace::content_key(e) == content;
    });
  };
  auto usual = content ? times(*c.reference) : 0;
  return usual > 1 && times(*c.in_case) <= usual;
}

namespace {

// The same request, carried out as often as it was, by one statement of its test.
std::vector<const Exchange*> said_again(const trace::Run& run, const Exchange& request) {
  std::vector<const Exchange*> out;
  for (auto& e : run.exchanges)
    if (trace::carried_out(e) && same_request(e, request) && e.tag.statement == request.tag.statement)
      out.push_back(&e);
  return out;
}

}  // namespace

bool looks_until_changed(const trace::Comparison& c, const Exchange& request) {
  auto changed = [](auto& looks, const Exchange& since) {
    return !looks.empty() && looks.back()->response_sample != since.response_sample;
  };
  auto now = said_again(*c.in_case, request);
  if (!changed(now, request)) return false;
  return std::ranges::any_of(c.reference->exchanges, [&](auto& e) {
    if (e.operation != request.operation) return false;
    auto usual = said_again(*c.reference, e);
    return usual.size() > 1 && changed(usual, *usual.front());
  });
}

bool did_otherwise(const trace::Comparison& c, Nanos from) {
  auto known = [&](const Exchange& e) {
    return e.request_digest != 0 &&
           std::ranges::any_of(c.reference->exchanges, [&](auto& r) { return same_request(r, e); });
  };
  return std::ranges::any_of(c.pairs, [&](auto& pair) {
    return pair.in_case && !pair.reference && pair.in_case->first().begun >= from &&
           std::ranges::any_of(pair.in_case->attempts, [&](auto* e) { return had_effect(*e) && !known(*e); });
  });
}

bool kept_from_service(const trace::Call& call) {
  return std::ranges::all_of(call.attempts, [](auto* e) {
    bool heard = (is_loss(e->fault) && !comes_before_service(e->fault)) || is_slowness(e->fault);
    return e->fired && !heard && e->service_status == 0;
  });
}

bool done_otherwise(const trace::Comparison& c, const trace::Call& call, const trace::Call& beside) {
  if (did_otherwise(c, call.first().begun)) return true;
  auto& lost = call.first();
  auto elsewhere = [&](auto& e) {  // another replica
    return e.service != lost.service && e.begun >= lost.begun && e.operation == lost.operation && had_effect(e) &&
           e.request_digest == lost.request_digest && trace::target_key(e.target) == trace::target_key(lost.target);
  };
  if (std::ranges::any_of(c.in_case->exchanges, elsewhere)) return true;
  if (lost.request_digest != 0 && same_request(lost, beside.first()))
    return times_done(*c.in_case, lost) >= times_done(*c.reference, lost);
  auto times = [&](const trace::Run& run) {
    return std::ranges::count_if(run.exchanges, [&](auto& e) {
      return had_effect(e) && e.operation == call.operation &&
             trace::service_name(e.service) == trace::service_name(call.first().service);
    });
  };
  return times(*c.in_case) >= times(*c.reference);
}

bool may_be_thinned(const trace::Run& run) {
  std::map<std::string_view, std::size_t> seen;
  return std::ranges::any_of(run.exchanges, [&](auto& e) { return ++seen[e.operation] >= trace::Sift::kAlike; });
}

bool came_to_its_end(const trace::Comparison& c, std::string_view test) {
  return c.in_case->stop == trace::Stop::exited && trace::result_of(*c.in_case, test) &&
         trace::result_of(*c.reference, test);
}

bool is_put_aside(std::string_view target) {
  static constexpr std::array<std::string_view, 10> kAside{"held",   "dead",       "dlq",  "retry",   "retries",
                                                           "review", "quarantine", "hold", "pending", "manual"};
  return has_word(target, kAside);
}

}  // namespace retrial::oracles
