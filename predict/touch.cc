#include "predict/touch.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::predict {
namespace {
namespace message = trace::message;

constexpr std::array<std::string_view, 8> kKinds = {"read",   "wait",  "write",   "take",
                                                    "create", "lease", "release", "end"};

// Actions that a path, or a header, names.
constexpr std::pair<std::string_view, Kind> kActions[] = {
    {"complete", Kind::end},  {"finish", Kind::end},    {"close", Kind::end},       {"commit", Kind::end},
    {"ack", Kind::end},       {"cancel", Kind::end},    {"abort", Kind::end},       {"delete", Kind::end},
    {"remove", Kind::end},    {"seal", Kind::end},      {"end", Kind::end},         {"stop", Kind::end},
    {"publish", Kind::end},   {"done", Kind::end},      {"fail", Kind::end},        {"acknowledge", Kind::end},
    {"acquire", Kind::lease}, {"lease", Kind::lease},   {"lock", Kind::lease},      {"claim", Kind::lease},
    {"take", Kind::lease},    {"receive", Kind::take},  {"pop", Kind::take},        {"dequeue", Kind::take},
    {"consume", Kind::take},  {"reserve", Kind::lease}, {"release", Kind::release}, {"unlock", Kind::release},
    {"break", Kind::release}, {"create", Kind::create}, {"open", Kind::create},     {"start", Kind::create},
};

const Kind* action(std::string_view word) {
  auto* found = std::ranges::find_if(kActions, [&](auto& a) { return iequals(a.first, word); });
  return found == std::end(kActions) ? nullptr : &found->second;
}

// Of procedures, whose bodies say what they are about.
constexpr std::pair<std::string_view, Kind> kProcedures[] = {
    {"put", Kind::write},  {"set", Kind::write},       {"update", Kind::write}, {"get", Kind::read},
    {"range", Kind::read}, {"deleterange", Kind::end}, {"revoke", Kind::end},   {"grant", Kind::create},
};

std::string path_in(std::string_view target) {
  std::string path;
  for (auto part : message::segments(message::path_of(target))) path += "/" + percent_decode(std::string(part));
  return path;
}

bool waits(const trace::Exchange& e) {
  auto query = message::query_of(e.target);
  return message::value_of(query, "wait") || message::value_of(query, "watch") || message::value_of(query, "timeout");
}

// What a POST that was answered 201 has made: its path lies in that of the request, unless the service says otherwise.
std::string made_by(const trace::Exchange& e, const std::string& path) {
  if (auto location = trace::find(e.response_headers, "location"); !location.empty()) return path_in(location);
  auto id = message::json_top(e.response_sample, "id");
  if (id.size() > 2 && id.front() == '"') id = id.substr(1, id.size() - 2);
  return path + "/" + (id.empty() ? "?" : std::string(id));
}

// Where all that varies is in the body: what that is about. A slash in it is none of a path's.
std::string named_in_body(const trace::Exchange& e) {
  if (e.method != "POST" || e.operation.contains('{')) return {};
  for (std::string_view key : {"key", "name", "id", "ID"})
    if (auto value = message::json_top(e.request_sample, key); !value.empty()) {
      std::string name;
      for (char c : value)
        if (c != '"') name += c == '/' ? "%2F" : std::string(1, c);
      return name;
    }
  return {};
}

// Of a call of a procedure; false: it is none.
bool read_procedure(Touch& t) {
  auto slash = t.path.rfind('/');
  if (slash == t.path.npos || slash == 0) return false;
  auto name = named_in_body(*t.e);
  if (name.empty()) return false;
  auto word = std::string_view(t.path).substr(slash + 1);
  auto* procedure = std::ranges::find_if(kProcedures, [&](auto& p) { return iequals(p.first, word); });
  auto* kind = procedure == std::end(kProcedures) ? action(word) : &procedure->second;
  if (!kind) return false;
  t.kind = *kind;
  t.path.replace(slash + 1, t.path.npos, name);
  return true;
}

// Who leaves a good answer half read was told that it is one.
bool was_done(const trace::Exchange& e) {
  bool told = e.ending == trace::Ending::answered ||
              (e.ending == trace::Ending::client_left && e.client_status == e.service_status);
  return told && trace::carried_out(e);
}

}  // namespace

std::string_view show(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Touch touch_of(const trace::Exchange& e) {
  Touch t{&e, path_in(e.target)};
  auto slash = t.path.rfind('/');
  if (e.method == "DELETE") {
    t.kind = Kind::end;
  } else if (auto* leased = action(trace::find(e.request_headers, "x-ms-lease-action"))) {
    t.kind = *leased;
  } else if (read_procedure(t)) {
    return t;
  } else if (trace::profile_of(e).repeat(e) == trace::Repeat::safe) {
    t.kind = waits(e) ? Kind::wait : Kind::read;
  } else {
    t.kind = Kind::write;
    auto from = std::max(t.path.rfind(':') + 1, slash + 1);  // behind a colon of the last segment, else all of it
    auto* named = e.method == "PUT" || slash == t.path.npos ? nullptr : action(std::string_view(t.path).substr(from));
    if (named && from > 1) {
      t.kind = *named;
      t.path.resize(from - 1);
    } else if (e.service_status == 201) {
      t.kind = Kind::create;
      if (e.method == "POST") t.path = made_by(e, t.path);
    }
  }
  return t;
}

bool of_test(const trace::Exchange& e) {
  return e.tag.phase == trace::Phase::test || e.tag.phase == trace::Phase::none;
}

std::vector<Touch> touches_of(const trace::Run& run) {
  std::vector<const trace::Exchange*> order;
  for (auto& e : run.exchanges) order.push_back(&e);
  std::ranges::stable_sort(order, {}, &trace::Exchange::begun);
  std::vector<Touch> touches;
  std::set<std::pair<std::string_view, std::string>> there;  // paths that were found, or made
  for (auto* e : order) {
    auto t = touch_of(*e);
    if (!was_done(*e)) continue;
    bool puts = e->method == "PUT" || (t.kind == Kind::write && t.path != path_in(e->target));
    if (t.kind != Kind::create && puts && !there.contains({e->service, t.path})) t.kind = Kind::create;
    there.emplace(e->service, t.path);
    touches.push_back(std::move(t));
  }
  return touches;
}

bool concern(const Touch& a, const Touch& b) {
  if (a.e->service != b.e->service) return false;
  if (a.path == b.path) return decides(a.kind) || decides(b.kind);
  bool a_is_outer = a.path.size() < b.path.size();
  auto &outer = a_is_outer ? a : b, &inner = a_is_outer ? b : a;
  if (outer.path.empty() || !inner.path.starts_with(outer.path) || inner.path[outer.path.size()] != '/') return false;
  if (decides(outer.kind)) return true;
  bool right_in_it = inner.path.find('/', outer.path.size() + 1) == inner.path.npos;
  return decides(inner.kind) && (looks(outer.kind) || outer.kind == Kind::take) && right_in_it;
}

}  // namespace retrial::predict
