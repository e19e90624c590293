#include "proxy/codec/h1.h"

#include <algorithm>
#include <charconv>

#include "proxy/codec/head_parser.h"
#include "trace/exchange.h"

namespace retrial::proxy {

std::string_view H1Head::line(std::size_t n) const {
  std::size_t end = raw.size() - (raw.ends_with("\r\n") ? 2 : 1);
  if (n + 1 < fields.size()) end = fields[n + 1].name;
  return raw.substr(fields[n].name, end - fields[n].name);
}

H1Codec::H1Codec(Side side, BodyTap& tap, Limits limits)
    : side_(side), tap_(tap), limits_(limits), parser_(std::make_unique<HeadParser>()) {}
H1Codec::~H1Codec() = default;

void H1Codec::restart() {
  fresh_ = true;
  body_ = false;
}

H1Codec::Taken H1Codec::refuse(Refusal why) {
  refusal_ = why;
  return {Step::refused, 0};
}

H1Codec::Taken H1Codec::take(std::string_view bytes) {
  if (in_head()) return take_head(bytes);
  framed_.clear();
  if (head_.chunked) return take_chunks(bytes);
  if (head_.until_close) {
    content(bytes);
    return {Step::body, bytes.size()};
  }
  auto piece = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  left_ -= piece.size();
  content(piece);
  return {left_ == 0 ? end() : Step::body, piece.size()};
}

H1Codec::Taken H1Codec::take_chunks(std::string_view bytes) {
  for (std::size_t done = 0;;) {
    auto [step, size, data] = chunks_.take(bytes.substr(done));
    done += size;
    switch (step) {
      case ChunkReader::Step::data:
        content(data);
        if (done == bytes.size()) return {Step::body, done};
        break;
      case ChunkReader::Step::more:
        return {Step::body, done};
      case ChunkReader::Step::end:
        if (framing_ == Framing::chunked) framed_.append("0\r\n").append(chunks_.trailers()).append("\r\n");
        return {end(), done};
      case ChunkReader::Step::bad:
        return refuse(Refusal::unreadable);
    }
  }
}

void H1Codec::content(std::string_view piece) {
  if (piece.empty()) return;
  tap_.take(piece);
  if (framing_ == Framing::chunked) {
    char length[20];
    auto end = std::to_chars(length, length + sizeof length, piece.size(), 16).ptr;
    framed_.append(length, end).append("\r\n").append(piece).append("\r\n");
  } else if (framing_ == Framing::plain) {
    framed_.append(piece);
  }
}

H1Codec::Step H1Codec::end() {
  body_ = false;
  fresh_ = true;
  return Step::end;
}

// A head that comes in one piece is read where it stands, and copied once.
H1Codec::Taken H1Codec::take_head(std::string_view bytes) {
  if (fresh_) {
    parser_->begin(side_ == Side::request, limits_.fields);
    raw_.clear();
    fields_.clear();
    framing_ = Framing::as_sent;
    fresh_ = false;
  }
  auto before = raw_.size();
  if (before) raw_.append(bytes);
  auto step = parser_->take(before ? std::string_view(raw_) : bytes, fields_);
  bool whole = step == HeadParser::Step::whole;
  auto size = whole ? parser_->size() : before + bytes.size();
  if (step == HeadParser::Step::refused || step == HeadParser::Step::too_many_fields || size > limits_.head) {
    raw_.resize(before);
    return refuse(step == HeadParser::Step::refused ? Refusal::unreadable : Refusal::head_too_large);
  }
  if (before)
    raw_.resize(size);
  else
    raw_.assign(bytes.substr(0, size));
  if (!whole) return {Step::more, bytes.size()};
  finish_head();
  return {Step::head, size - before};
}

void H1Codec::finish_head() {
  parser_->bind(raw_, fields_, answers_head_, head_, valid_host_);
  tap_.reset(head_.structured ? trace::kSampleBytes : kUnreadSample);
  if (head_.chunked) chunks_.begin();
  left_ = head_.length;
  body_ = !head_.bodiless;
  fresh_ = head_.bodiless;
}

}  // namespace retrial::proxy
