#include "proxy/connections/tunnel.h"

#include <tuple>

#include "proxy/connections/connections.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kQuiet = kSecond;   // without a byte: a tunnel that nobody will miss
constexpr Nanos kAnswer = kSecond;  // for the other side's own goodbye
}  // namespace

Tunnel::Tunnel(Connections& context, Accepted accepted, bool websocket)
    : context_(context),
      accepted_(std::move(accepted)),
      client_{std::move(accepted_.client), {}},
      service_{std::move(accepted_.service), {}},
      websocket_(websocket) {
  client_.socket->hand_to(*this);
  service_.socket->hand_to(*this);
}
Tunnel::~Tunnel() = default;

void Tunnel::start() {
  since_ = context_.now;
  read(service_, client_);
  if (!dead_) read(client_, service_);
  if (!dead_) settle();
  if (!dead_ && context_.draining) drain();
}

void Tunnel::drain() {
  leaves_ = true;
  settle();
}

// What passes an end of a frame in each direction is closed there; bytes that nobody knows are cut off where they rest.
void Tunnel::leave() {
  bool quiet = context_.now - since_ >= kQuiet;
  for (auto [to, from, goodbye] :
       {std::tuple(&client_, &service_, kGoingAway), std::tuple(&service_, &client_, kGoingAwayMasked)}) {
    if (to->left || !(websocket_ ? from->frames.between() : quiet)) continue;
    to->left = true;
    since_ = context_.now;
    if (websocket_) to->socket->write(goodbye);
    to->socket->finish();
  }
}

void Tunnel::ready(Socket& socket) {
  if (dead_) return;
  context_.wake();
  if (&socket == client_.socket.get())
    read(client_, service_);
  else
    read(service_, client_);
  if (!dead_) settle();
}

void Tunnel::read(End& from, End& to) {
  if (to.socket->queued() >= context_.options.buffer_limit) return;
  auto [got, size] = from.socket->read(context_.scratch.data(), context_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      if (to.left) return;
      asked_ = &from == &client_;
      since_ = context_.now;
      if (websocket_) from.frames.take({context_.scratch.data(), size});
      return to.socket->write({context_.scratch.data(), size});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return to.socket->finish_as(*from.socket);
    case Socket::Got::rst:
    case Socket::Got::failed:
      to.socket->flush();
      to.socket->reset();
      return die();
  }
}

void Tunnel::settle() {
  if (leaves_) leave();
  for (auto [one, other] : {std::pair(&client_, &service_), std::pair(&service_, &client_)}) {
    one->socket->flush();
    // What a reset peer had said before may still be there to be read.
    if (one->socket->open() && one->socket->broken()) read(*one, *other);
    while (!dead_ && one->socket->has_back() && other->socket->queued() < context_.options.buffer_limit)
      read(*one, *other);
    if (dead_) return;
    if (one->socket->ended() && !one->socket->has_back())
      other->socket->finish_as(*one->socket);  // its FIN may have come before
  }
  auto over = [](End& end) { return end.socket->ended() && end.socket->finished() && end.socket->queued() == 0; };
  if (over(client_) && over(service_)) return die();
  auto limit = context_.options.buffer_limit;
  client_.socket->listen(service_.socket->queued() < limit);
  service_.socket->listen(client_.socket->queued() < limit);
}

// One side has said all that it will, and the other nothing for as long as a connection may be idle.
void Tunnel::check(Nanos now) {
  auto idle = context_.options.idle_timeout;
  bool half = client_.socket->ended() || service_.socket->ended();
  if (idle != 0 && half && now - since_ >= idle) return die();
  if (!leaves_) return;
  if (client_.left && service_.left && now - since_ >= kAnswer) return die();
  settle();
}

void Tunnel::shed(std::string_view) {
  client_.socket->reset();
  service_.socket->reset();
  die();
}

void Tunnel::die() {
  dead_ = true;
  if (websocket_) context_.counts.frames += client_.frames.frames() + service_.frames.frames();
  client_.socket->close();
  service_.socket->close();
  context_.ended(*this);
}

}  // namespace retrial::proxy
