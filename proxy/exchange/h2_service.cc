#include "proxy/exchange/h2_service.h"

#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/stream.h"

namespace retrial::proxy {

H2Service::H2Service(House& house, ServiceSideEvents& events, Ends& ends, H2Codec::Limits limits)
    : house_(house),
      events_(events),
      ends_(ends),
      codec_(H2Codec::Role::client, *this, limits),
      socket_(std::move(ends.service)) {}
H2Service::~H2Service() = default;

void H2Service::start() {
  if (!socket_) return dial();
  socket_->hand_to(*this);
  begin();
  read();  // what has come before
  events_.service_event();
}

void H2Service::dial() {
  if (auto& address = ends_.pool->address()) return dialled(*address);
  auto& route = ends_.pool->route();
  query_ = house_.resolver().resolve(route.host, route.port, [this](Result<Address> found) {
    if (!over_) dialled(found);
  });
}

void H2Service::dialled(const Result<Address>& address) {
  auto socket = address ? ends_.pool->dial(*address, *this, house_.security_of(ends_.pool->route()), "h2")
                        : Result<std::unique_ptr<Socket>>(std::unexpected(address.error()));
  if (!socket) return events_.not_reached(socket.error().what);
  socket_ = std::move(*socket);
  begin();
  flush();
}

// Prior knowledge, or ALPN: either way the preface goes first.
void H2Service::begin() {
  began_ = true;
  H2Settings ours;
  ours.enable_push = false;
  ours.initial_window = static_cast<std::uint32_t>(house_.options.buffer_limit);
  ours.max_header_list = static_cast<std::uint32_t>(house_.options.head_limit);
  codec_.start(ours);
}

void H2Service::ready(Socket&) {
  if (over_) return;
  events_.service_woke();
  read();
  if (over_) return;
  events_.service_event();
}

void H2Service::read() {
  if (!socket_->failure().empty()) {
    over();
    return events_.not_reached(socket_->failure());
  }
  auto& scratch = house_.scratch;
  auto [got, size] = socket_->read(scratch.data(), scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      if (codec_.take({scratch.data(), size}, house_.clock.now())) return;
      if (!codec_.speaks_h2()) {
        over();
        socket_->close();
        return events_.speaks_http1();
      }
      flush();
      return events_.service_failed(codec_.failure());
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return events_.service_ended(trace::Ending::closed);
    case Socket::Got::rst:
      return events_.service_ended(trace::Ending::reset);
    case Socket::Got::failed:
      over();
      return events_.not_reached(socket_->failure());
  }
}

void H2Service::on_settings(const H2Settings& theirs) { events_.established(theirs); }

Stream* H2Service::find(std::uint32_t stream) {
  auto it = streams_.find(stream);
  return it == streams_.end() || over_ ? nullptr : it->second;
}

void H2Service::on_head(std::uint32_t id, const H2Head& head, bool end) {
  if (auto* stream = find(id)) stream->response_head(head, end);
}
void H2Service::on_data(std::uint32_t id, std::string_view data, bool end) {
  auto* stream = find(id);
  if (!stream) return codec_.consumed(id, data.size());
  stream->response_data(data, end);
}
void H2Service::on_trailers(std::uint32_t id, const H2Head& trailers) {
  if (auto* stream = find(id)) stream->response_trailers(trailers);
}
void H2Service::on_reset(std::uint32_t id, std::uint32_t code, bool ours) {
  if (ours) house_.say(ends_.service_name + ": " + codec_.last_fault() + ": the stream was reset");
  if (auto* stream = find(id)) stream->service_reset(code, false);
}
void H2Service::on_room(std::uint32_t id) {
  if (id != 0) {
    if (auto* stream = find(id)) stream->service_room();
    return;
  }
  for (auto it = streams_.begin(); it != streams_.end();) (it++)->second->service_room();
}
void H2Service::on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) {
  if (!over_) events_.going_away(last, code, debug);
}

// --- what goes to the service

void H2Service::request(Stream& stream, const H2Head& head, bool end) {
  auto id = codec_.open();
  if (over_ || id == 0) return stream.service_reset(code_of(H2Error::refused_stream), true);
  stream.service_id = id;
  streams_.emplace(id, &stream);
  auto& fields = house_.no_fields();
  request_fields(head, {house_.options.keep_tags, !house_.options.pristine}, fields);
  codec_.head(id, fields, end);
}

std::size_t H2Service::queued() const {
  return (socket_ ? socket_->queued() : 0) + const_cast<H2Codec&>(codec_).out().size();
}

std::size_t H2Service::room(const Stream& stream, std::size_t wanted) const {
  wanted = std::min(wanted, codec_.room(stream.service_id));
  auto limit = house_.options.buffer_limit;
  auto all = queued();
  auto left = all < limit ? limit - all : 0;
  blocked_ |= left < wanted;
  return std::min(left, wanted);
}
void H2Service::data(Stream& stream, std::string_view bytes, bool end) { codec_.data(stream.service_id, bytes, end); }
void H2Service::trailers(Stream& stream, std::string_view lines) {
  auto& fields = house_.no_fields();
  line_fields(lines, house_.field_room, fields);
  codec_.trailers(stream.service_id, fields);
}
void H2Service::consumed(Stream& stream, std::size_t bytes) { codec_.consumed(stream.service_id, bytes); }
void H2Service::abort(Stream& stream, std::uint32_t code) {
  codec_.reset(stream.service_id, code);
  forget(stream);
}
void H2Service::forget(Stream& stream) {
  streams_.erase(stream.service_id);
  stream.service_id = 0;
}

void H2Service::flush() {
  if (!socket_ || !socket_->open() || !began_) return;
  for (;;) {
    auto& out = codec_.out();
    if (!out.empty()) {
      socket_->write(out);
      out.clear();
    }
    socket_->flush();
    if (!blocked_ || over_ || queued() >= house_.options.buffer_limit) return;
    blocked_ = false;
    on_room(0);
  }
}

void H2Service::pace(std::uint64_t bytes_per_second, std::uint64_t burst) {
  if (socket_) socket_->pace(bytes_per_second, burst);
}

void H2Service::goaway(std::uint32_t code, std::string_view debug) { codec_.goaway(0, code, debug); }

void H2Service::end(bool reset) {
  over();
  streams_.clear();
  if (!socket_) return;
  flush();
  if (reset)
    socket_->reset();
  else
    socket_->close();
}

}  // namespace retrial::proxy
