#include "checkers/deed.h"

#include <algorithm>

#include "base/text.h"
#include "trace/calls/service_name.h"
#include "trace/calls/services.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::checkers {
namespace {

constexpr std::string_view kNoName = "/?";  // predict::touch_of, of what was made and is not named

Fate fate_of(const trace::Exchange& e) {
  if (e.ending != trace::Ending::answered || (e.fired && !trace::delivers(e.fault))) return Fate::unknown;
  if (e.client_status != e.service_status || e.service_status == 202) return Fate::unknown;
  if (trace::carried_out(e)) return Fate::done;
  bool no = e.service_status >= 400 && e.service_status < 500 && e.service_status != 408 && e.service_status != 429;
  return no ? Fate::refused : Fate::unknown;
}

bool makes(const Deed& d) {
  return d.e->method == "POST" && d.kind == predict::Kind::create && d.e->service_status == 201;
}

// Of what lies in an envelope.
const Leaf* enveloped_id(const Body& answer) {
  auto is_id = [](auto& leaf) {
    return !leaf.in_array && leaf.path.ends_with(".id") && std::ranges::count(leaf.path, '.') == 1;
  };
  auto found = std::ranges::find_if(answer.leaves, is_id);
  return found != answer.leaves.end() && std::ranges::count_if(answer.leaves, is_id) == 1 ? &*found : nullptr;
}

// Of a POST that was answered 200 and may have made something: what its answer says that this is. Empty: it says none,
// or what was asked for itself.
std::string named_by(const Deed& d) {
  for (std::string_view name : {"selfLink", "self_link", "_links.self.href", "links.self"}) {
    auto* link = d.answer.at(name);
    if (!link || link->text.empty() || d.request.has(name)) continue;
    std::string path;
    for (auto part : trace::message::segments(trace::message::path_of(link->text)))
      path += "/" + percent_decode(std::string(part));
    return path == d.path ? "" : path;
  }
  auto* id = d.answer.at("id");
  if (!id) id = enveloped_id(d.answer);
  bool is_name = id && (id->kind == Leaf::Kind::text || id->kind == Leaf::Kind::number) && !id->text.empty() &&
                 id->text.find('/') == id->text.npos && id->text != d.last_segment();
  return is_name ? d.path + "/" + id->text : "";
}
bool may_have_made(const Deed& d) {
  return d.e->method == "POST" && d.kind == predict::Kind::write && d.e->service_status == 200;
}

}  // namespace

std::string service_of(const trace::Exchange& e) { return trace::one_for_all_ports(trace::service_name(e.service)); }

Deed deed_of(const trace::Exchange& e, Bodies bodies) {
  auto touch = predict::touch_of(e);
  Deed d{.e = &e, .kind = touch.kind, .path = std::move(touch.path), .fate = fate_of(e)};
  bool unnamed = makes(d) && d.path.ends_with(kNoName), maybe = may_have_made(d);
  if (d.fate != Fate::unknown && (bodies.answer || unnamed || maybe)) d.answer = answer_body(e);
  if (bodies.request || maybe) d.request = request_body(e);
  if (maybe)
    if (auto path = named_by(d); !path.empty()) {
      d.path = std::move(path);
      d.made = true;
    }
  if (unnamed)
    if (auto* id = enveloped_id(d.answer)) d.path.replace(d.path.size() - kNoName.size() + 1, kNoName.npos, id->text);
  d.spot = e.service + d.path;
  return d;
}

std::string Deed::asked() const {
  if (!makes(*this) && !made) return spot;
  std::string out = e->service;
  for (auto part : trace::message::segments(trace::message::path_of(e->target)))
    out += "/" + percent_decode(std::string(part));
  return out;
}

bool Deed::missing() const { return fate == Fate::refused && (e->service_status == 404 || e->service_status == 410); }

bool Deed::is_view() const { return e->target.contains('?'); }

bool may_come_late(const Deed& d) {
  return d.fate == Fate::unknown && d.e->service_status == 0 &&
         (d.e->ending == trace::Ending::client_left || d.e->ending == trace::Ending::open);
}

bool may_have_restarted(const trace::Exchange& e) {
  if (e.fired) return false;
  bool gone = e.service_status == 0 && (e.ending == trace::Ending::closed || e.ending == trace::Ending::reset);
  return gone || (e.service_status >= 502 && e.service_status <= 504);
}

}  // namespace retrial::checkers
