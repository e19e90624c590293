#include "trace/calls/correlator_state.h"

#include "trace/calls/content.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::trace {
namespace {

bool has_credentials(const Exchange& e) { return !find(e.request_headers, "authorization").empty(); }

bool lost(const Exchange& e) { return e.ending != Ending::answered; }
// A client that knows several addresses turns to the next.
bool sends_elsewhere(const Exchange& e) { return lost(e) || (e.client_status >= 502 && e.client_status <= 504); }

}  // namespace

bool sends_nothing(const Exchange& head) {
  auto length = find(head.request_headers, "content-length");
  return (length.empty() || length == "0") && find(head.request_headers, "transfer-encoding").empty() &&
         !head.grpc.is && !head.stream;
}

bool challenged(const Exchange& e) {
  return e.client_status == 401 || e.client_status == 407 ||
         e.client_status == kGrpcStatus + grpc_code::unauthenticated;
}

void Correlator::State::learn(const Waiting& before, const Head& head, bool one_library_call) {
  auto& now = head.ids;
  if (before.client != head.client) return;
  for (std::size_t i = 0; i < now.count; i++)
    for (std::size_t k = 0; k < before.ids.count; k++) {
      if (now.header[i] != before.ids.header[k]) continue;
      if (now.value[i] == before.ids.value[k])
        habit(head.client, now.header[i]).kept++;
      else if (one_library_call)
        habit(head.client, now.header[i]).changed++;
    }
}

Assignment Correlator::State::join(WaitingCalls::Found found, Confidence confidence, const Head& head,
                                   bool one_library_call) {
  auto before = waiting.take(found.serial);
  learn(before, head, one_library_call);
  return {before.call, before.attempt + 1, found.several ? Confidence::possible : confidence};
}
bool Correlator::State::met(const Waiting& w, const Exchange& head) const {
  if (!w.challenged) return false;
  if (!w.credentials && has_credentials(head)) return true;
  return std::ranges::any_of(successes, [&](auto& s) {
    return s.pid == w.pid && s.operation != w.operation && s.begun >= w.told && s.told <= head.begun;
  });
}

void Correlator::State::keep(const Exchange& e, int attempts, int previous) {
  bool settles = settled(e);
  Waiting w{.call = e.call,
            .attempt = attempts,
            .call_id = call_id_key(e),
            .place = settles ? 0 : place_key(e),
            .anywhere = settles ? 0 : anywhere_key(e),
            .client = client_key(e),
            .operation = mix(5, e.operation),
            .ids = id_reader.read(e),
            .length = std::string(find(e.request_headers, "content-length")),
            .part = part_of(e),
            .connection = e.stream ? 0 : e.connection,
            .rpc = is_rpc(e) ? rpc_key(e) : 0,
            .previous = previous,
            .count = count_of(e),
            .refused = e.refused,
            .lost = lost(e),
            .elsewhere = sends_elsewhere(e),
            .cut = e.answered != 0,
            .challenged = challenged(e),
            .credentials = has_credentials(e),
            .stack = e.tag.stack,
            .statement = e.tag.statement,
            .pid = e.pid,
            .told = e.told};
  if (auto courses = courses_of(e); !courses.empty() && !settles) w.course = courses.front();
  any_challenge |= w.challenged;
  if (auto leg = on_the_way.find(e.call); leg != on_the_way.end()) {
    w.first_place = settles ? 0 : leg->second.first_place;
    w.first_call_id = leg->second.first_call_id;
    w.first_content = settles ? 0 : leg->second.first_content;
  }
  bool by_content = hindsight && !unsent_body(e);
  bool by_what_it_holds = by_content && lessons.came(e);
  w.once = settles ? 0 : by_what_it_holds ? lessons.came_once(e) : lessons.came_once_whatever_it_holds(e);
  if (hindsight) {
    w.content = settles ? 0 : hindsight->key_of(e);
    w.last = &e;
  }
  waiting.put(std::move(w));
}

}  // namespace retrial::trace
