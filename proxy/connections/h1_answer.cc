// A client connection in HTTP/1: what it is told.
#include "proxy/codec/intermediary.h"
#include "proxy/codec/websocket.h"
#include "proxy/connections/connections.h"
#include "proxy/connections/h1_client.h"
#include "proxy/connections/tunnel.h"
#include "proxy/exchange/answer.h"
#include "proxy/faults/head_text.h"

namespace retrial::proxy {

// Captured, a body in HTTP/1 passes as it was sent.
Form H1Client::form(const Head& head) const { return pristine() && head.text ? Form::wire : Form::content; }

bool H1Client::heads_pile_up() const { return socket_->queued() >= 2 * context_.options.buffer_limit; }

void H1Client::interim(const Head& head) {
  if (form(head) == Form::wire) return socket_->write(head.raw);
  if (codec_.head().minor == 0) return;  // RFC 9110 15.2
  context_.text.clear();
  pass_on(head, ResponseHead{}, context_.text);
  socket_->write(context_.text);
}

void H1Client::invite() { socket_->write("HTTP/1.1 100 Continue\r\n\r\n"); }

void H1Client::head(const Head& head, bool end) {
  if (form(head) == Form::wire) {
    writer_.begin(Framing::as_sent);
    if (!h1_->own()) leaves_ |= !head.keep_alive;  // else the end is the service's own to tell
    return socket_->write(head.raw);
  }
  // A request that the service does not want the rest of may never be whole, and no other is heard behind it.
  if (head.status >= 200) leaves_ |= !head.keep_alive && !codec_.at_start();
  auto how = framed(head, end);
  writer_.begin(how.chunked ? Framing::chunked : end || head.sized ? Framing::sized : Framing::until_close);
  leaves_ |= !how.keep_alive;
  context_.text.clear();
  pass_on(head, how, context_.text);
  socket_->write(context_.text);
}

// How a head goes on, and its body behind it.
ResponseHead H1Client::framed(const Head& head, bool end) const {
  int minor = codec_.head().minor;
  bool sized = end || head.sized || head.status == 101;
  bool chunked = minor > 0 && !sized && !head.until_close;
  bool empty = end && !head.text && !head.sized && exchange_.record().method != "HEAD";
  return {.chunked = chunked, .keep_alive = !leaves_ && (sized || chunked), .minor = minor, .empty = empty};
}

void H1Client::text_of(const Head& head, std::string& out) const {
  if (form(head) == Form::wire)
    out.append(head.raw);
  else
    pass_on(head, framed(head, head.bodiless), out);
}

// As a fault has changed it: what the body is framed in is said there.
void H1Client::head(std::string_view text, bool) {
  auto framing = framing_in(text);
  auto status = status_in(text);
  bool none = exchange_.record().method == "HEAD" || status == 204 || status == 304;
  writer_.begin(none || framing.length ? Framing::sized : framing.chunked ? Framing::chunked : Framing::until_close);
  leaves_ |= writer_.framing() == Framing::until_close;
  socket_->write(text);
}

bool H1Client::head_cut_short(std::string_view text, bool bodiless) {
  head(text.substr(0, bodiless ? fields_end(text) : text.size()), bodiless);
  return !bodiless;
}

void H1Client::head(const trace::Answer& answer, bool) {
  auto& request = codec_.head();
  // After a request that is not whole it could not be told where the next one begins; nor what a service that was not
  // heard to its end says next; and one whose last response this replaces hears no other request.
  leaves_ |= answer.closes || !request.keep_alive || !codec_.at_start() || (h1_ && (h1_->spoilt() || h1_->ended()));
  writer_.begin(Framing::sized);
  socket_->write(head_of(answer, {request.minor, !leaves_}));
}

void H1Client::consumed(std::size_t bytes) { owed_ -= std::min(owed_, bytes); }

// A FIN would look like the end of what ends with its connection.
bool H1Client::can_tell(const Break& how) const {
  bool looks_whole = exchange_.head_sent() && writer_.framing() == Framing::until_close;
  return how.how == Break::How::reset || (how.how == Break::How::close && !looks_whole);
}

// A client of TLS judges that as it would have judged the service: half of them take it for the end.
bool H1Client::ends_cut() {
  if (!socket_->tls() || (exchange_.head_sent() && writer_.framing() == Framing::chunked)) return false;
  socket_->cut_end();
  return true;
}

void H1Client::break_off(const Break& how) {
  if (how.how != Break::How::close) {
    socket_->flush();
    socket_->reset();
    return die(false);
  }
  // The service's own FIN is passed on, and nothing else ends: the client may go on to speak.
  auto* own = h1_ ? h1_->own() : nullptr;
  if (own && own->open() && own->socket().ended() && !refuses())
    become_tunnel({});
  else
    leave(false);
}

void H1Client::over(std::optional<std::uint32_t> rest) {
  if (!socket_->open()) return die(false);
  if (codec_.at_start()) codec_.keep_little();
  if (drips_) socket_->pace(0, 0);
  drips_ = false;
  since_ = context_.now;
  leaves_ |= rest.has_value();  // what follows of the request is no next one (RFC 9112 9.3)
  if (leaves_ || context_.drains_idle() || (h1_ && h1_->spoilt())) return leave(false);
  if (auto* own = h1_ ? h1_->own() : nullptr; own && own->open() && own->socket().has_back()) service_unasked();
}

// A FIN of ours would be the end of an answer to who has closed only its half. Who has closed all of it is found out by
// asking its kernel, which knows such a connection for a minute.
void H1Client::silence() {
  constexpr int kAsks = 15;  // seconds
  services_->end(false);
  socket_->watch_peer(kAsks);
  phase_ = Phase::silent;
}

// What cannot be read, or will never be whole. `head`: read, and not passed on.
void H1Client::pass_unread(std::string_view head) {
  if (!h1_ || !h1_->own()) return refuse(400, "the connection speaks no HTTP/1.1");
  exchange_.is_unread();
  context_.counts.tunnels++;
  become_tunnel(head);
}

void H1Client::tunnel() {
  context_.counts.tunnels++;
  become_tunnel({});
}

// Bytes pass both ways as they come, those first that were read and not passed on.
void H1Client::become_tunnel(std::string_view head) {
  auto tunnel = std::move(accepted_);
  bool websocket = exchange_.record().service_status == 101;
  exchange_.pour();
  tunnel.service = h1_ ? h1_->take_socket() : nullptr;
  exchange_.cut(trace::Ending::closed);
  if (!tunnel.service) return die(false);
  socket_->pace(0, 0);
  socket_->put_back(pending_);
  socket_->put_back(unread_.take_all());
  socket_->put_back(head.empty() ? codec_.unfinished() : head);
  tunnel.client = std::move(socket_);
  services_->end(false);
  phase_ = Phase::dead;
  context_.ended(*this);
  context_.begin(std::make_unique<Tunnel>(context_, std::move(tunnel), websocket));
}

void H1Client::pace(const Rate& rate) {
  socket_->pace(rate.bytes_per_second, rate.burst);
  services_->pace(rate);
}

bool H1Client::drip(const Drip& drip, bool) {
  drips_ = true;
  socket_->drip(drip.bytes, drip.every);
  return true;
}

}  // namespace retrial::proxy
