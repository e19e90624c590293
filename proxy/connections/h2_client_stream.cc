#include "proxy/connections/h2_client_stream.h"

#include "proxy/connections/connections.h"
#include "proxy/connections/h2_client.h"
#include "proxy/connections/h2_fields.h"

namespace retrial::proxy {
namespace {
std::string_view three_digits(int status, char* room) {
  room[0] = static_cast<char>('0' + status / 100);
  room[1] = static_cast<char>('0' + status / 10 % 10);
  room[2] = static_cast<char>('0' + status % 10);
  return {room, 3};
}
}  // namespace

H2ClientStream::H2ClientStream(H2Client& connection, Connections& context, const Accepted& accepted)
    : connection_(connection), context_(context), exchange_(context, *this, accepted, true) {}
H2ClientStream::~H2ClientStream() = default;

void H2ClientStream::begin(std::uint32_t id, bool first) {
  id_ = id;
  dripping_.reset();
  exchange_.begin(context_.now, first, id);
}

// --- what goes to the client

void H2ClientStream::interim(const Head& head) { this->head(head, false); }

bool H2ClientStream::heads_pile_up() const { return connection_.queued() >= 2 * context_.options.buffer_limit; }

void H2ClientStream::invite() {
  const H2Field status{":status", "100"};
  connection_.codec().head(id_, {&status, 1}, false);
}

void H2ClientStream::head(const Head& head, bool end) {
  char digits[3];
  auto& fields = context_.no_fields();
  response_fields(three_digits(head.status, digits), head, !context_.options.pristine, context_.field_room, fields);
  connection_.codec().head(id_, fields, end);
}

void H2ClientStream::head(std::string_view text, bool end) {
  auto& fields = context_.no_fields();
  text_fields(text, context_.field_room, fields);
  connection_.codec().head(id_, fields, end);
}

void H2ClientStream::head(const trace::Answer& answer, bool end) {
  auto& fields = context_.no_fields();
  answer_fields(answer, false, context_.field_room, fields);
  connection_.codec().head(id_, fields, end);
}

bool H2ClientStream::head_cut_short(std::string_view text, bool) {
  head(text, false);
  return true;
}

void H2ClientStream::text_of(const Head& head, std::string& out) const {
  out.append("HTTP/1.1 ").append(std::to_string(head.status)).append(" \r\n");
  if (!head.text) {
    out.append(head.raw);
    return;
  }
  auto& fields = context_.no_fields();
  response_fields({}, head, !context_.options.pristine, context_.field_room, fields);
  for (auto& field : std::span<const H2Field>(fields))
    if (field.name != ":status") out.append(field.name).append(": ").append(field.value).append("\r\n");
  out.append("\r\n");
}

void H2ClientStream::status_in_trailers(const trace::Answer& answer) {
  auto& fields = context_.no_fields();
  answer_fields(answer, true, context_.field_room, fields);
  connection_.codec().trailers(id_, fields);
}

std::size_t H2ClientStream::room(std::size_t wanted) {
  auto may = connection_.room(std::min(wanted, connection_.codec().room(id_)));
  if (!dripping_) return may;
  auto drops = std::min<std::size_t>(may, dripping_->pace.may(context_.loop.client_now()));
  if (drops < may) dripping_->timer.set(dripping_->pace.wait(may), Time::client);  // else it is the window that is shut
  return drops;
}

void H2ClientStream::data(std::string_view bytes, bool end) {
  if (dripping_) dripping_->pace.spend(bytes.size());
  connection_.codec().data(id_, bytes, end);
}

void H2ClientStream::trailers(std::string_view lines) {
  auto& fields = context_.no_fields();
  line_fields(lines, context_.field_room, fields);
  connection_.codec().trailers(id_, fields);
}

void H2ClientStream::consumed(std::size_t bytes) {
  connection_.codec().consumed(id_, bytes, window_.goes_on(bytes, connection_.windows()));
}

// --- its end

void H2ClientStream::when_drained() { connection_.watch(*this); }
bool H2ClientStream::gone() const { return connection_.client_gone(); }
void H2ClientStream::settle() { connection_.settle(); }

bool H2ClientStream::can_tell(const Break& how) const {
  return how.how == Break::How::abort || connection_.ends_with_service();
}

void H2ClientStream::break_off(const Break& how) {
  switch (how.how) {
    case Break::How::abort:
      connection_.codec().reset(id_, how.code);
      return ended();
    case Break::How::goaway:
      return connection_.refuse_from(*this, how.code);
    case Break::How::reset:
    case Break::How::close:
      ended();
      return connection_.cut(how.how == Break::How::reset);
  }
}

void H2ClientStream::over(std::optional<std::uint32_t> rest) {
  if (rest) connection_.codec().reset(id_, *rest);  // RFC 9113 8.1
  ended();
}

void H2ClientStream::ended() {
  if (id_ == 0) return;
  connection_.ended(*this);
  window_.end(connection_.windows());
  dripping_.reset();
  id_ = 0;
}

// --- its pace

void H2ClientStream::pace(const Rate& rate) { connection_.pace(rate); }

bool H2ClientStream::drip(const Drip& drip, bool bodiless) {
  if (bodiless) return false;
  dripping_.reset(
      new Dripping{Pace::drip(drip.bytes, drip.every, context_.loop.client_now()), Timer(context_.loop, [this] {
                     context_.wake();
                     exchange_.client_room();
                     settle();
                   })});
  return true;
}

bool H2ClientStream::paced_out() const {
  return (dripping_ && dripping_->timer.in_client_time()) || connection_.paced_out();
}

}  // namespace retrial::proxy
