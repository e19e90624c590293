#include "oracles/held_by_rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "trace/profiles/grpc_message.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {
using trace::Exchange;
using trace::RpcField;

constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kCounterparts = {{
    {"acquire", "release"},
    {"lock", "unlock"},
    {"lock", "release"},
    {"open", "close"},
    {"begin", "commit"},
    {"begin", "rollback"},
    {"begin", "abort"},
    {"begin", "end"},
    {"begin", "finish"},
    {"create", "delete"},
    {"create", "stop"},
    {"create", "finish"},
    {"create", "cancel"},
    {"create", "end"},
    {"create", "remove"},
    {"create", "destroy"},
    {"create", "close"},
    {"start", "delete"},
    {"start", "stop"},
    {"start", "finish"},
    {"start", "cancel"},
    {"start", "end"},
    {"start", "complete"},
    {"start", "abort"},
    {"subscribe", "unsubscribe"},
    {"grant", "revoke"},
    {"lease", "revoke"},
    {"lease", "release"},
    {"reserve", "release"},
    {"reserve", "cancel"},
    {"claim", "release"},
    {"checkout", "checkin"},
    {"register", "unregister"},
    {"register", "deregister"},
    {"attach", "detach"},
    {"connect", "disconnect"},
    {"join", "leave"},
    {"allocate", "free"},
    {"allocate", "release"},
    {"mount", "unmount"},
}};

std::string_view rpc_service(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

std::vector<RpcField> held_fields(const Exchange& e, const std::string& sample) {
  auto fields = e.grpc.is ? trace::fields_of(e, sample) : std::nullopt;
  return fields ? std::move(*fields) : std::vector<RpcField>();
}
// Short texts and small numbers are many things'.
bool may_name(const RpcField& f) {
  constexpr std::size_t kTellingText = 3;
  return f.value.size() >= kTellingText;
}
const RpcField* named_in(const std::vector<RpcField>& giving, const std::vector<RpcField>& taken) {
  for (auto& f : giving)
    if (may_name(f) && std::ranges::any_of(taken, [&](auto& t) { return t.kind == f.kind && t.value == f.value; }))
      return &f;
  return nullptr;
}
}  // namespace

bool gives_up(std::string_view taking, std::string_view giving) {
  if (rpc_service(taking).empty() || rpc_service(taking) != rpc_service(giving)) return false;
  auto takes = words_of_name(taking.substr(rpc_service(taking).size()));
  auto gives = words_of_name(giving.substr(rpc_service(giving).size()));
  if (takes.size() != gives.size()) return false;
  bool found = false;
  for (std::size_t i = 0; i < takes.size(); i++) {
    if (takes[i] == gives[i]) continue;
    bool counterparts = std::ranges::any_of(
        kCounterparts, [&](auto& pair) { return pair.first == takes[i] && pair.second == gives[i]; });
    if (found || !counterparts) return false;
    found = true;
  }
  return found;
}

const Exchange* given_up_by(const trace::Run& run, const Exchange& taking) {
  auto answered = held_fields(taking, taking.response_sample), asked = held_fields(taking, taking.request_sample);
  const Exchange* sent = nullptr;
  for (auto& e : run.exchanges) {
    if (e.begun < taking.told || e.service != taking.service || !gives_up(taking.operation, e.operation)) continue;
    auto giving = held_fields(e, e.request_sample);
    // What cannot be read may be it.
    bool names = giving.empty() || named_in(giving, answered) || named_in(giving, asked);
    if (!names) continue;
    if (trace::carried_out(e) || is_gone(e)) return &e;
    if (!sent) sent = &e;
  }
  return sent;
}

std::string name_of_held(const Exchange& taken_usually, const Exchange& giving, const Exchange& taking) {
  auto gives = held_fields(giving, giving.request_sample);
  for (auto sample : {&Exchange::response_sample, &Exchange::request_sample}) {
    auto usual = held_fields(taken_usually, taken_usually.*sample), now = held_fields(taking, taking.*sample);
    for (std::size_t i = 0; i < std::min(usual.size(), now.size()); i++)
      if (named_in(gives, {usual[i]}) && usual[i].path == now[i].path && now[i].kind == RpcField::Kind::text)
        return fmt::format("\"{}\"", shorten(now[i].value, 60));
  }
  return {};
}

}  // namespace retrial::oracles
