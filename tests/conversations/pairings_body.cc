// What the client sees of a response, as far as the service has said it.
#include "base/text.h"
#include "tests/conversations/pairings_model.h"

namespace retrial::test::pairings {
using trace::FaultName;
using trace::Point;

// The client's view of all that the service has said so far.
void Model::render(bool last) {
  using enum FaultName;
  auto& client = out_.client;
  auto all = all_said();
  bool alone = shape_.answers_alone(), sized = shape_.response == Framing::sized;
  auto half = static_cast<std::int64_t>(sized ? told_length() / 2 : 1);
  auto said = is(corrupt) ? fault_.at : fault_.bytes;
  auto some = said == trace::kHalf ? half : said;
  auto size = static_cast<std::int64_t>(all.size());
  auto first = [&](std::int64_t n) { return all.substr(0, static_cast<std::size_t>(std::min(n, size))); };
  auto pass = [&] { client.body = all; };
  bool all_of_it = sized && some >= static_cast<std::int64_t>(told_length());

  if (strikes(Point::after_response_head)) {
    fire();
    if (alone && !h2_client_) {
      client.head = "cut";
      client.kept.clear();
      client.trailer.clear();
      client_status_ = 0;
    }
    return sign();
  }
  if (strikes(Point::in_body) && shape_.grpc() && !sized && fault_.bytes == trace::kHalf && !alone) {
    // The first message, whole; nothing of what follows it.
    std::int64_t message = 5;
    if (size >= message)
      for (std::size_t i = 1, length = 0; i < 5; i++) {
        length = length << 8 | static_cast<unsigned char>(all[i]);
        if (i == 4) message += static_cast<std::int64_t>(length);
      }
    client.body = first(message);
    if (size > message || (last && size > 0)) return fire(), sign();
    if (last) spare();
    return;
  }
  if (strikes(Point::in_body)) {
    if (alone || all_of_it || (last && size < some)) return spare(), pass();
    client.body = first(some);
    if (size >= some) return fire(), sign();
    return;
  }
  if (is(truncate)) {
    if (alone || all_of_it || (last && size <= some)) return fired_ ? void() : (spare(), pass());
    client.body = first(some);
    if (sized || size > some) fire();
    if (sized && !h2_client_ && size >= some) client.end = "whole";
    return;
  }
  if (is(corrupt)) {
    if (!sized && said == trace::kHalf) some = 0;
    if (alone || (last && size <= some)) return spare(), pass();
    pass();
    if (size > some) {
      client.body[static_cast<std::size_t>(some)] ^= 1;
      fire();
    }
    return;
  }
  if (is(wrong_length)) {
    bool of_none = shape_.response == Framing::none && shape_.grpc() && fault_.by > 0;
    bool tells_none = of_none && !(h2_client_ && h2_service_);  // in HTTP/1 there is a length of 0
    if (!tells_none && (alone || !sized)) return spare(), pass();
    fire();
    pass();
    auto told = static_cast<std::int64_t>(told_length()) + fault_.by;
    if (!h2_client_ && fault_.by < 0 && size > told) {
      client.body = first(told);
      client.odd = "again";
    }
    if (!h2_client_ && fault_.by < 0 && size >= told) client.end = "whole";
    if (last && fault_.by > 0) sign();
    return;
  }
  if (is(drop_header) || is(set_header) || is(double_header)) {
    bool kept = iequals(std::string_view(fault_.header).substr(0, 6), "x-kept");
    bool other = fault_.header.contains(": ");
    if (!kept && !other) return spare(), pass();
    if (kept) client.kept = is(drop_header) ? "" : is(set_header) ? "other" : other ? "said,other" : "said,said";
    fire();
  }
  if (is(malformed)) {
    if (fault_.part == trace::Malformed::chunk && alone) return spare(), pass();
    fire();
    client.odd = fault_.part == trace::Malformed::chunk    ? "a chunk"
                 : fault_.part == trace::Malformed::header ? "a field"
                                                           : "a status line";
    if (fault_.part != trace::Malformed::chunk) client.kept.clear();
    if (fault_.part != trace::Malformed::chunk) client.trailer.clear();
    if (fault_.part == trace::Malformed::status_line) {
      client.head.clear();
      client_status_ = 0;
    }
    if (last || fault_.part == trace::Malformed::chunk) sign();
    return;
  }
  if (is(grow) || is(another_page)) return spare(), pass();  // this is no JSON
  if (is(lengthen)) {                                        // all of it is kept back until its end
    if (alone) return spare(), pass();
    if (!last) return;
    if (all.empty()) return spare();
    fire();
    client.body = all + all;
    return;
  }
  if (is(stale)) {
    client.head = "200";
    client.kept = "said";
    client_status_ = 200;
    fire();
    if (last) client.body = kEarlier;
    return;
  }
  if (is(duplicate)) {
    if (shape_.response == Framing::until_close) spare();
    if (last && !spared_) {
      fire();
      client.odd = "again";
    }
  }
  if (is(late_status)) {
    if (alone) return spare(), pass();
    fire();
    return own_status(fault_.status);
  }
  if (is(message)) return alone ? (spare(), pass()) : of_message(last);
  if (is(slow_trailers)) {
    if (alone) spare();
    if (last && !spared_) fire();
  }
  if (is(drip)) alone&& h2_client_ ? spare() : fire();
  pass();
}

// Each piece is a message.
void Model::of_message(bool last) {
  auto& body = out_.client.body;
  body.clear();
  bool done = false;
  for (std::size_t i = 0; i < replied_; i++) {
    auto one = replied(shape_, i);
    bool ours = static_cast<std::int32_t>(i) + 1 == fault_.nth;
    done |= ours;
    auto middle = 5 + (one.size() - 5) / 2;
    if (ours && fault_.of_message == trace::OfMessage::drop) continue;
    if (ours && fault_.of_message == trace::OfMessage::corrupt) one[middle] ^= 1;
    if (ours && fault_.of_message == trace::OfMessage::truncate) one.resize(middle);
    body += one;
    if (ours && fault_.of_message == trace::OfMessage::truncate) break;
  }
  if (done) fire();
  if (last && !done) spare();
}

}  // namespace retrial::test::pairings
