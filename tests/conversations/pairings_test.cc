// Every fault, in every situation, for every pairing of protocols, beside what a model of it says (pairings_model.cc).
#include <fmt/format.h>

#include "policies/fault_plan.h"
#include "tests/conversations/pairings_ends.h"
#include "tests/support/serving.h"
#include "trace/status.h"

namespace retrial::test {
namespace {
using namespace pairings;

class Pairings : public Serving, public testing::WithParamInterface<Pairing> {
 protected:
  static constexpr bool kClient = true, kService = false;

  // Until nothing is under way, and no client's time is to be waited for.
  void rest() {
    int turns = 0;
    for (int quiet = 0; quiet < 1 && turns < kMostTurns; turns++) {
      auto before = loop.callbacks();
      loop.round(false);
      bool some = accept();
      some |= client && !client_gone_ && client->listens();
      some |= service && service->listens();
      if (some || loop.callbacks() != before) {
        quiet = 0;
      } else if (auto due = loop.client_timer()) {
        loop.clock_moved(*due + 1);
        quiet = 0;
      } else {
        quiet++;
      }
    }
    spins_ |= turns == kMostTurns;
  }
  static constexpr int kMostTurns = 5000;
  bool accept() {
    auto peer = listener.accepts_if_any();
    if (!peer) return false;
    if (GetParam().service == Http::h2) {
      service = h2_end(std::move(peer), kService, false);
    } else if (GetParam().client == Http::h2 && !probed_) {  // asked in HTTP/2, it says that it does not know that
      probed_ = true;
      peer->hears_some(1);
      peer->say("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
      peer->finish();
      probe_ = std::move(peer);
    } else {
      service = h1_end(std::move(peer), kService);
    }
    return true;
  }

  void begin(const Situation& situation) {
    serve({});
    recorder = {};
    director = {};
    director.keeps = situation.shape.used;
    director.awaits = awaits_;
    client_gone_ = probed_ = spins_ = service_gone_ = said_all_ = given_up_ = false;
    asked_ = replied_ = 0;
    auto options = std::make_shared<proxy::ListenerOptions>();
    options->route.host = "127.0.0.1";
    options->route.port = listener.port();
    options->route.http2 = GetParam().service == Http::h2;
    auto peer = enter(std::move(options));
    client = GetParam().client == Http::h2 ? h2_end(std::move(peer), kClient, situation.shape.shut)
                                           : h1_end(std::move(peer), kClient);
    rest();
  }
  // As plain as can be: what goes before, and what comes after.
  std::string plain_exchange(std::string_view method, std::string_view body) {
    Shape shape{.method = std::string(method), .response = Framing::open};
    client->head(shape);
    rest();
    if (!service || !service->asked()) return "nobody was asked";
    service->head(shape);
    if (!shape.answers_alone()) {
      service->part(std::string(body), false);
      service->end(shape);
    }
    rest();
    auto heard = client->heard(shape.answers_alone());
    return heard.head == "200" && heard.end == "whole" && heard.odd.empty() ? "" : "it failed: " + heard.head;
  }
  // Where a whole answer leaves the connection open, it takes another request, and that is a record of its own.
  std::string goes_on(const Situation& situation, const Heard& heard, std::uint64_t id) {
    bool whole = heard.end == "whole" && heard.odd.empty() && !situation.shape.shut;
    auto asks_all = std::ranges::none_of(situation.moves, [](auto m) { return m == Move::client_fin; });
    if (!whole || !asks_all || client_gone_ || !client->goes_on()) return "";
    client->next();
    if (service) service->next();
    auto wrong = plain_exchange("GET", kEarlier);
    if (!wrong.empty()) return wrong;
    for (auto& e : recorder.exchanges)
      if (e.id == id + 1 && e.request_bytes == 0 && !e.fired && e.ending == trace::Ending::answered) return "";
    return "its record is wrong";
  }

  void take(Move move, const Shape& shape) {
    bool speaks = service && !service_gone_ && service->asked() && !service->gone();
    bool last = false;
    switch (move) {
      case Move::asks:
        return client_gone_ ? void() : client->head(shape);
      case Move::sends:
        last = shape.request == Framing::sized && asked_ == 1;
        if (!client_gone_) client->part(asked(shape, asked_), last);
        asked_++;
        return;
      case Move::ends_request:
        return client_gone_ ? void() : client->end(shape);
      case Move::hints:
        return speaks ? service->interim(103) : void();
      case Move::answers:
        if (speaks) service->head(shape);
        if (speaks) said_all_ = shape.answers_alone();
        return;
      case Move::replies:
        last = shape.response == Framing::sized && replied_ == 1;
        if (speaks) service->part(replied(shape, replied_), last);
        if (speaks) said_all_ = last;
        replied_++;
        return;
      case Move::ends_response:
        if (speaks) service->end(shape);
        if (speaks) said_all_ = true;
        return;
      case Move::window_opens:
        return client->open();
      case Move::client_fin:
      case Move::client_rst:
      case Move::client_abort:
        return client_leaves(move);
      case Move::service_fin:
      case Move::service_rst:
      case Move::service_abort:
        if (!service || service_gone_ || (move == Move::service_abort && !speaks)) return;
        given_up_ = gives_up();
        move == Move::service_fin   ? service->fin()
        : move == Move::service_rst ? service->rst()
                                    : service->abort("ENHANCE_YOUR_CALM");
        service_gone_ = true;
        return;
    }
  }
  void client_leaves(Move how) {
    if (client_gone_) return;
    left_ = client->heard(shape_->method == "HEAD");
    if (left_.end.empty()) left_.end = "left";
    if (how == Move::client_abort)
      client->abort("CANCEL");
    else
      how == Move::client_rst ? client->rst() : client->fin();
    client_gone_ = how != Move::client_fin || GetParam().client == Http::h2;
  }
  bool gives_up() { return service && service->gone() && !service->heard(false).head.empty() && !said_all_; }

  Outcome converse(const Situation& situation, const trace::FaultSpec& fault) {
    begin(situation);
    auto& shape = situation.shape;
    shape_ = &shape;
    if (shape.used) {
      plain_exchange(shape.method, kEarlier);
      client->next();
      if (service) service->next();
    }
    trace::Answer answer{.status = fault.status, .reason = "", .headers = {}, .body = std::string(kMarker)};
    if (trace::is_grpc(fault.status))
      answer = {.status = fault.status,
                .reason = "",
                .headers = {{"grpc-status", std::to_string(fault.status - trace::kGrpcStatus)}},
                .body = ""};
    auto id = shape.used ? 2u : 1u;
    director.plan(id, fault, std::move(answer));
    for (auto move : situation.moves) {
      take(move, shape);
      rest();
    }
    Outcome seen;
    seen.client = client_gone_ ? left_ : client->heard(shape.method == "HEAD");
    if (seen.client.body.starts_with("retrial: ")) seen.client.body = "ours";
    if (!seen.client.odd.empty() && seen.client.odd != "again") seen.client.body.clear();
    if (service) seen.service = service->heard(false);
    if (seen.service.end != "whole") seen.service.end.clear();
    seen.given_up = service_gone_ ? given_up_ : gives_up();
    seen.next = goes_on(situation, seen.client, id);
    client->leaves();
    rest();
    if (service) service->leaves();
    rest();
    seen.record = recorded(id);
    client.reset();
    service.reset();
    return seen;
  }
  std::string recorded(std::uint64_t id) {
    std::string all;
    for (auto& e : recorder.exchanges) {
      if (e.id != id) continue;
      bool spared = !e.fired && !e.evidence.empty();
      bool done =
          !e.evidence.empty() && !e.evidence.starts_with("not fired") && !e.evidence.starts_with("the service ");
      if (e.fired != done) all += "evidence: " + e.evidence + " ";
      all += fmt::format("{} {} {}/{}",
                         e.fired  ? "fired"
                         : spared ? "spared"
                                  : "-",
                         trace::show(e.ending), e.service_status, e.client_status);
      if (e.aborted != trace::Exchange::Aborted::no)
        all += e.aborted == trace::Exchange::Aborted::by_us       ? " by_us"
               : e.aborted == trace::Exchange::Aborted::by_client ? " by_client"
                                                                  : " by_service";
    }
    if (proxy->open_exchanges() != 0) all += " open";
    if (spins_) all += " without rest";
    return all.empty() ? "none" : all;
  }

  void check(const std::vector<Situation>& situations, std::size_t stride) {
    std::size_t cases = 0, wrong = 0, n = 0;
    auto faults = all_faults();
    for (auto& situation : situations) {
      if (!possible(GetParam(), situation)) continue;
      auto shift = n++;
      for (std::size_t i = shift % stride; i < faults.size(); i += stride) {
        auto plan = policies::parse_fault_plan(faults[i]);
        auto& fault = plan->steps[0].fault;
        auto must = expected(GetParam(), situation, fault);
        auto is = converse(situation, fault);
        cases++;
        if (is == must) continue;
        ADD_FAILURE() << show(GetParam()) << ", " << situation.name << ", " << faults[i] << "\n"
                      << show(must) << "  but it was\n"
                      << show(is);
        if (++wrong == kMostShown) return;
      }
    }
    RecordProperty("cases", static_cast<int>(cases));
    EXPECT_GT(cases, 1000u);
  }
  static constexpr std::size_t kMostShown = 12;

  std::unique_ptr<End> client, service;
  std::unique_ptr<Peer> probe_;
  const Shape* shape_ = nullptr;
  Heard left_;
  bool awaits_ = false;
  std::size_t asked_ = 0, replied_ = 0;
  bool client_gone_ = false, service_gone_ = false, probed_ = false, spins_ = false, said_all_ = false,
       given_up_ = false;
};
INSTANTIATE_TEST_SUITE_P(Of, Pairings,
                         testing::Values(Pairing{Http::h1, Http::h1}, Pairing{Http::h1, Http::h2},
                                         Pairing{Http::h2, Http::h1}, Pairing{Http::h2, Http::h2}),
                         [](auto& p) {
                           auto name = show(p.param);
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_P(Pairings, every_fault_in_every_plain_situation) { check(plain_situations(), 1); }
// All is as it is where the director needs no body, but that a service which answers early has heard nothing yet.
TEST_P(Pairings, every_fault_in_every_plain_situation_where_the_body_is_awaited) {
  awaits_ = true;
  auto situations = plain_situations();
  std::erase_if(situations, [](auto& situation) { return situation.name.starts_with("early"); });
  check(situations, 1);
}
// Each break meets every eighth fault, another eighth at each step; RETRIAL_PAIRINGS=all meets all of them.
TEST_P(Pairings, every_fault_and_every_break_at_every_step) {
  auto* all = std::getenv("RETRIAL_PAIRINGS");
  check(broken_situations(), all && std::string_view(all) == "all" ? 1 : 8);
}

}  // namespace
}  // namespace retrial::test
