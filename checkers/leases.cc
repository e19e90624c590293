#include "checkers/leases.h"

#include "trace/calls/service_name.h"

namespace retrial::checkers {
namespace {

bool is_at(const std::string& spot, const std::string& lease) {
  return spot.starts_with(lease) && (spot.size() == lease.size() || spot[lease.size()] == '/');
}

}  // namespace

bool refused_as_held(const Deed& d) {
  return d.fate == Fate::refused && (d.e->service_status == 409 || d.e->service_status == 423);
}

void Leases::saw(const Deed& d) {
  if (d.looks()) return;
  auto& operation = d.e->operation;
  auto asked = d.asked();
  if (d.kind == predict::Kind::lease) known_.emplace(trace::service_name(d.e->service), operation);
  if (d.fate == Fate::done)
    for (auto& [spot, held] : held_)
      if (held.operation != operation && is_at(asked, spot)) held.given_back = true;
  auto it = held_.find(asked);
  bool same = it != held_.end() && it->second.operation == operation;
  if (same && refused_as_held(d) && !it->second.given_back) it->second.refused = true;
  if (d.fate != Fate::done) return;
  if (same && it->second.refused && it->second.given_back) known_.emplace(trace::service_name(d.e->service), operation);
  if (it == held_.end() || same) held_[asked] = {operation};
}

std::string Leases::why_not(const Checker& c) const {
  if (known_.contains({c.service, c.after})) return {};
  return "never seen to be given back and granted again";
}

}  // namespace retrial::checkers
