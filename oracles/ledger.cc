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

namespace {
std::string id_given_by(const Exchange& e) { return std::string(trace::message::json_top(e.response_sample, "id")); }

// Where this run removes what its requests of this operation have made: "/leases" of "POST /devices/d1/lease", whose
// answer says {"id":"l101"}, and "DELETE /leases/l101". Empty: nowhere that their ids tell.
std::string removed_from(const Exchange& like, const trace::Run& run) {
  for (auto& e : run.exchanges) {
    auto id = e.operation == like.operation ? id_given_by(e) : std::string();
    if (id.empty()) continue;
    for (auto& r : run.exchanges) {
      auto path = path_of(r.target);
      if (r.method == "DELETE" && r.service == e.service && r.begun >= e.told && trace::carried_out(r) &&
          path.ends_with("/" + id))
        return std::string(path.substr(0, path.size() - id.size() - 1));
    }
  }
  return {};
}
}  // namespace

std::string made_by(const Exchange& e, const trace::Run& run) {
  if (auto id = id_given_by(e); e.method == "POST" && had_effect(e) && !id.empty())
    if (auto folder = removed_from(e, run); !folder.empty()) return folder + "/" + id;
  if (auto path = made_by(e); !path.empty() || e.method != "POST" || !had_effect(e)) return path;
  auto path = path_of(e.target);
  bool removed = std::ranges::any_of(run.exchanges, [&](auto& r) {
    return r.method == "DELETE" && r.service == e.service && path_of(r.target) == path && trace::carried_out(r);
  });
  return removed ? std::string(path) : std::string();
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

bool comes_as_often(const trace::Comparison& c, const Exchange& request) {
  auto content = trace::content_key(request);
  auto times = [&](const trace::Run& run) {
    return std::ranges::count_if(run.exchanges, [&](auto& e) {
      return e.operation == request.operation && trace::target_key(e.target) == trace::target_key(request.target) &&
             trace::content_key(e) == content;
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
