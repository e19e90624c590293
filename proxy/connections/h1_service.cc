#include "proxy/connections/h1_service.h"

#include <algorithm>

#include "proxy/codec/intermediary.h"
#include "proxy/connections/connections.h"
#include "proxy/exchange/exchange.h"

namespace retrial::proxy {

H1Service::H1Service(Connections& context, std::unique_ptr<Socket> socket, std::string authority)
    : context_(context),
      socket_(std::move(socket)),
      authority_(std::move(authority)),
      codec_(H1Codec::Side::response, {context.options.head_limit, context.options.field_limit}),
      writer_(*socket_, context.options.buffer_limit) {
  socket_->hand_to(*this);
}
H1Service::~H1Service() = default;

Form H1Service::form_of(const Connections& context, const Head& head) {
  return context.options.pristine && head.text ? Form::wire : Form::content;
}

void H1Service::serve(Exchange& exchange) {
  exchange_ = &exchange;
  owed_ = 0;
  pauses_ = done_ = false;
  socket_->listen(true);
}

// --- what goes to the service

void H1Service::head(const Head& head, bool end, bool cut_short) {
  auto& out = context_.text;
  out.clear();
  if (form_of(context_, head) == Form::wire) {
    writer_.begin(H1Writer::Framing::as_sent);
    context_.options.keep_tags ? void(out.append(head.raw)) : without_tags(head, out);
  } else {
    bool chunked = !end && !head.sized;
    writer_.begin(chunked ? H1Writer::Framing::chunked : H1Writer::Framing::sized);
    pass_on(head, RequestHead{context_.options.keep_tags, chunked, authority_}, out);
  }
  if (cut_short && end) out.resize(out.size() - 2);  // with its empty line it would be whole
  offers_upgrade_ = head.upgrades && (context_.options.pristine || passes_upgrade(head));
  codec_.answers_head(head.method == "HEAD");
  socket_->write(out);
}

void H1Service::flush_socket() {
  for (;;) {
    socket_->flush();
    if (!exchange_ || !writer_.has_room_again()) return;
    exchange_->service_room();
  }
}

// --- what comes from it

void H1Service::ready(Socket&) {
  bool may_read = context_.may_read();
  if (!exchange_) return owner_->unasked(*this);
  auto& client = exchange_->client();
  if (may_read) done_ ? read_on() : read();
  client.settle();
}

void H1Service::consumed(std::size_t bytes) {
  owed_ -= std::min(owed_, bytes);
  if (!pauses_ || owed_ >= context_.options.buffer_limit || !socket_) return;
  pauses_ = false;
  socket_->listen(true);
}

void H1Service::read() {
  auto* to = codec_.plain_left() >= kWorthMoving ? exchange_->response_moves_to() : nullptr;
  auto most = std::min<std::uint64_t>(context_.options.buffer_limit - owed_, codec_.plain_left());
  auto read = to ? socket_->move_to(*to, most) : Socket::Read{Socket::Got::nothing};
  if (read.got == Socket::Got::bytes) {
    done_ = codec_.passed_by(read.bytes) == H1Codec::Step::end;
    owed_ += read.bytes;
    exchange_->response_moved(read.bytes, done_);
    return pause_if_full();
  }
  auto& scratch = context_.scratch;
  if (read.got == Socket::Got::nothing) read = socket_->read(scratch.data(), scratch.size());
  switch (read.got) {
    case Socket::Got::bytes:
      return take({scratch.data(), read.bytes});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      if (!codec_.at_start() && codec_.plain_left() == UINT64_MAX)
        return socket_->cut() ? exchange_->response_is_cut() : read_body({}, true);
      return exchange_->broken_off({Break::How::close});
    case Socket::Got::rst:
      return exchange_->broken_off({Break::How::reset});
    case Socket::Got::failed:
      return exchange_->unreached(socket_->failure());
  }
}

// Behind the response, while its exchange goes on.
void H1Service::read_on() {
  auto [got, size] = socket_->read(context_.scratch.data(), context_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:  // it will be seen whose they are
      socket_->put_back({context_.scratch.data(), size});
      return socket_->listen(false);
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return exchange_->broken_off({Break::How::close});
    case Socket::Got::rst:
    case Socket::Got::failed:
      return exchange_->broken_off({Break::How::reset});
  }
}

void H1Service::take(std::string_view bytes) {
  Unread::Scope scope(unread_, bytes);
  while (!unread_.empty() && exchange_ && !done_) {
    if (codec_.at_start()) came_ = context_.now;
    auto [step, size, content] = codec_.take(unread_.view());
    Body body{content, unread_.take(size)};
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        read_head();
        break;
      case H1Codec::Step::body:
      case H1Codec::Step::end:
        read_body(body, step == H1Codec::Step::end);
        break;
      case H1Codec::Step::refused:
        unreadable(codec_.why());
        break;
    }
  }
  if (!unread_.empty() && socket_) socket_->put_back(unread_.view());  // it is not what was asked for
}

void H1Service::read_head() {
  auto& head = codec_.head();
  // A switch that was not asked for, or that comes before the request is whole (RFC 9110 7.8).
  bool odd = head.status == 101 && (!offers_upgrade_ || !exchange_->request_has_gone());
  if (!context_.options.tunnel_unreadable && (!head.ambiguous.empty() || odd))
    return unreadable(odd ? "a 101 that was not asked for" : head.ambiguous);
  bool end = head.bodiless && head.status >= 200;
  done_ = end;
  exchange_->response(head, end, came_);
}

void H1Service::read_body(const Body& body, bool end) {
  done_ = end;
  owed_ += body.content.size();
  if (end && !codec_.trailers().raw.empty())
    exchange_->response_trailers(codec_.trailers(), body);
  else
    exchange_->response_data(body, end);
  pause_if_full();
}

void H1Service::pause_if_full() {
  if (!exchange_ || pauses_ || owed_ < context_.options.buffer_limit) return;
  pauses_ = true;
  socket_->listen(false);
}

// What cannot be read, or could be read two ways.
void H1Service::unreadable(std::string_view why) {
  done_ = true;
  if (!exchange_->unreadable_response(why)) unread_.take_all();  // else they are in the tunnel
}

void H1Service::release(bool whole, const Break& how) {
  exchange_ = nullptr;
  auto& h = codec_.head();
  bool both = whole && done_ && codec_.at_start();
  bool said_more = socket_ && socket_->has_back();
  bool stays = socket_ && socket_->open() && socket_->queued() == 0 && !socket_->ended() && !socket_->finished() &&
               !socket_->broken() && !said_more && h.keep_alive && !h.until_close;
  owner_->released(*this,
                   both && stays ? After::reusable
                   : both        ? After::whole
                                 : After::broken,
                   said_more || how.how == Break::How::reset);
}

std::unique_ptr<Socket> H1Service::take_socket() {
  socket_->put_back(unread_.take_all());
  socket_->put_back(codec_.unfinished());
  return std::move(socket_);
}

}  // namespace retrial::proxy
