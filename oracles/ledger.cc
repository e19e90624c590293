#include "oracles/ledger.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/repeat.h"
#include "trace/calls/content.h"
#include "trace/calls/operation.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/sift.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Exchange;
using trace::message::path_of;

bool had_effect(const Exchange& e) {
  if (!trace::carried_out(e) || e.method == "GET") return false;
  auto& profile = trace::profile_of(e);
  auto repeat = profile.repeat(e);
  if (repeat == trace::Repeat::unknown) return profile.method_tells() && !reads_by_name(e);
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

Removals::Removals(const trace::Run& run) {
  constexpr std::size_t kTelling = 3;                  // a shorter id is many things'
  std::map<std::string, std::string_view> operations;  // by the id that they gave
  for (auto& e : run.exchanges) {
    if (auto path = oracles::made_by(e); !path.empty()) made_.insert(std::move(path));
    auto id = trace::message::json_top(e.response_sample, "id");
    if (e.method == "POST" && id.size() >= kTelling) operations.emplace(id, e.operation);
  }
  for (auto& e : run.exchanges) {
    if (e.method != "DELETE" || !trace::carried_out(e)) continue;
    auto path = path_of(e.target);
    removed_.emplace(path);
    auto slash = path.rfind('/');
    if (slash == path.npos || made(path)) continue;  // it is known by where it was made
    if (auto of = operations.find(std::string(path.substr(slash + 1))); of != operations.end())
      folders_.emplace(of->second, path.substr(0, slash));
  }
}

std::string Removals::made_by(const Exchange& e) const {
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
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}
bool names(const Exchange& e, std::string_view name) {
  auto parts = trace::message::segments(path_of(e.target));
  if (std::ranges::find(parts, name) != parts.end() || icontains(trace::message::query_of(e.target), name)) return true;
  if (!icontains(e.request_sample, name)) return e.request_bytes > trace::kSampleBytes;
  auto members = members_of(e.request_sample);
  return members.empty() || std::ranges::find(members, name, &Member::value) != members.end();
}
}  // namespace

Removed removal_of(const trace::Run& run, std::string_view path, Nanos from) {
  constexpr int kNotFound = 404, kGone = 410;
  auto name = path.substr(path.rfind('/') + 1);
  Removed removed;
  for (auto& e : run.exchanges) {
    if (e.begun < from || trace::message::safe_method(e.method)) continue;
    if (e.method == "DELETE" && lies_in(path, path_of(e.target))) {
      int status = e.service_status;
      if (is_success(status) || status == kNotFound || status == kGone) return {Removal::done, &e};
      removed = {Removal::given_up, &e};
    } else if (!lies_in(path_of(e.target), path) && names(e, name)) {
      return {Removal::perhaps, &e};
    }
  }
  return removed;
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

bool may_be_thinned(const trace::Run& run) {
  std::map<std::string_view, std::size_t> seen;
  return std::ranges::any_of(run.exchanges, [&](auto& e) { return ++seen[e.operation] >= trace::Sift::kAlike; });
}

bool came_to_its_end(const trace::Comparison& c, std::string_view test) {
  return c.in_case->stop == trace::Stop::exited && trace::result_of(*c.in_case, test) &&
         trace::result_of(*c.reference, test);
}

}  // namespace retrial::oracles
