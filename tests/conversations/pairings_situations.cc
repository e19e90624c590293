#include <algorithm>

#include "tests/conversations/pairings_script.h"

namespace retrial::test::pairings {
namespace {
using enum Move;

// Everything in order.
std::vector<Move> moves_of(const Shape& shape, bool hinted = false) {
  std::vector<Move> moves{asks};
  if (shape.request != Framing::none) moves.insert(moves.end(), {sends, sends});
  if (shape.request == Framing::open) moves.push_back(ends_request);
  if (hinted) moves.push_back(hints);
  moves.push_back(answers);
  if (!shape.answers_alone()) {
    moves.insert(moves.end(), {replies, replies});
    if (shape.response != Framing::sized) moves.push_back(ends_response);
  }
  if (shape.shut) moves.push_back(window_opens);
  return moves;
}
constexpr Framing kNone = Framing::none, kSized = Framing::sized, kOpen = Framing::open;
const Shape kGet;
const Shape kPost{.method = "POST", .request = kSized};
const Shape kTrailing{.method = "POST", .request = kOpen, .response = kOpen, .trailers = true};
const Shape kCall{.method = "POST", .request = kOpen, .response = kOpen, .call_status = 0};

// Those whose two bodies overlap.
std::vector<Move> early(const Shape& shape) {
  std::vector<Move> moves{asks, sends, answers, replies, replies};
  if (shape.response != Framing::sized) moves.push_back(ends_response);
  moves.push_back(sends);
  if (shape.request == Framing::open) moves.push_back(ends_request);
  return moves;
}

bool of_client(Move move) { return move == client_fin || move == client_rst || move == client_abort; }
}  // namespace

std::vector<Situation> plain_situations() {
  std::vector<Situation> all;
  auto add = [&](const char* name, const Shape& shape) { all.push_back({name, shape, moves_of(shape)}); };
  add("get", kGet);
  add("post", kPost);
  add("of unknown length", {.response = kOpen});
  add("until close", {.response = Framing::until_close});
  add("trailers", kTrailing);
  add("head", {.method = "HEAD"});
  add("no content", {.response = kNone, .status = 204});
  add("post, no content", {.method = "POST", .request = kSized, .response = kNone, .status = 204});
  add("failure", {.method = "POST", .request = kSized, .status = 500});
  add("expects", {.method = "POST", .request = kSized, .expects = true});
  add("used", {.used = true});
  add("post, used", {.method = "POST", .request = kSized, .used = true});
  add("shut", {.method = "POST", .request = kSized, .shut = true});
  add("trailers, shut", {.method = "POST", .request = kOpen, .response = kOpen, .trailers = true, .shut = true});
  add("call", kCall);
  add("failed call", {.method = "POST", .request = kOpen, .response = kOpen, .call_status = 5});
  add("call, trailers only", {.method = "POST", .request = kOpen, .response = kNone, .call_status = 14});
  add("call, shut", {.method = "POST", .request = kOpen, .response = kOpen, .call_status = 0, .shut = true});
  all.push_back({"interim", kGet, moves_of(kGet, true)});
  all.push_back({"interim, post", kPost, moves_of(kPost, true)});
  all.push_back({"early", kPost, early(kPost)});
  all.push_back({"early, trailers", kTrailing, early(kTrailing)});
  all.push_back({"early, call", kCall, early(kCall)});
  return all;
}

// Somebody leaves at each step.
std::vector<Situation> broken_situations() {
  std::vector<Situation> all;
  auto breaks = [&](const std::string& name, const Shape& shape, const std::vector<Move>& moves) {
    for (auto [move, word] : {std::pair{client_fin, "FIN of the client"},
                              {client_rst, "RST of the client"},
                              {client_abort, "RST_STREAM of the client"},
                              {service_fin, "FIN of the service"},
                              {service_rst, "RST of the service"},
                              {service_abort, "RST_STREAM of the service"}})
      for (std::size_t at = 1; at <= moves.size(); at++) {
        Situation one{name + ", " + word + " at " + std::to_string(at), shape, moves};
        one.moves.insert(one.moves.begin() + static_cast<std::ptrdiff_t>(at), move);
        all.push_back(std::move(one));
      }
  };
  breaks("get", kGet, moves_of(kGet));
  breaks("post", kPost, moves_of(kPost));
  breaks("trailers", kTrailing, moves_of(kTrailing));
  breaks("early", kPost, early(kPost));
  breaks("call", kCall, moves_of(kCall));
  return all;
}

bool possible(const Pairing& pairing, const Situation& situation) {
  auto has = [&](Move move) { return std::ranges::count(situation.moves, move) > 0; };
  auto& shape = situation.shape;
  if (pairing.client == Http::h1 && (has(client_abort) || shape.shut)) return false;
  if (pairing.service == Http::h1 && has(service_abort)) return false;
  if (pairing.service == Http::h2 && shape.response == Framing::until_close) return false;
  return !shape.shut || std::ranges::none_of(situation.moves, of_client);
}

}  // namespace retrial::test::pairings
