#include "proxy/codec/h1.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "proxy/codec/head_parser.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kMostKept = 8u << 10;  // bytes of a head, for the next one
constexpr std::size_t kMostKeptFields = 128;
}  // namespace

H1Codec::H1Codec(Side side, Limits limits) : side_(side), limits_(limits), parser_(std::make_unique<HeadParser>()) {}
H1Codec::~H1Codec() = default;

H1Codec::Taken H1Codec::refuse(Refusal refusal, std::string why) {
  refusal_ = refusal;
  why_ = std::move(why);
  return {Step::refused, 0};
}

H1Codec::Taken H1Codec::take(std::string_view bytes) {
  if (in_head()) return take_head(bytes);
  if (head_.chunked) return take_chunks(bytes);
  if (head_.until_close) return {Step::body, bytes.size(), bytes};
  auto piece = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  left_ -= piece.size();
  return {left_ == 0 ? end() : Step::body, piece.size(), piece};
}

H1Codec::Taken H1Codec::take_chunks(std::string_view bytes) {
  auto [step, size, data] = chunks_.take(bytes);
  switch (step) {
    case ChunkReader::Step::data:
    case ChunkReader::Step::more:
      return {Step::body, size, data};
    case ChunkReader::Step::end:
      finish_trailers();
      return {end(), size};
    case ChunkReader::Step::bad:
      break;
  }
  return refuse(Refusal::unreadable, fmt::format("its chunked body: {}", chunks_.why()));
}

std::uint64_t H1Codec::plain_left() const {
  if (in_head() || head_.chunked) return 0;
  return head_.until_close ? UINT64_MAX : left_;
}

H1Codec::Step H1Codec::passed_by(std::uint64_t bytes) {
  if (head_.until_close) return Step::body;
  left_ -= bytes;
  return left_ == 0 ? end() : Step::body;
}

H1Codec::Step H1Codec::end() {
  body_ = false;
  fresh_ = true;
  return Step::end;
}

// A head that comes in one piece is read where it stands, and copied once.
H1Codec::Taken H1Codec::take_head(std::string_view bytes) {
  if (fresh_) {
    auto& before = raws_[turn_];
    auto& fields_before = fields_[turn_];
    bool known = std::exchange(whole_, false) && before.size() <= kMostKept && !head_.folded;
    if (!known) std::string().swap(before);
    parser_->begin(side_ == Side::request, limits_.fields, before,
                   known ? std::span<const Field>(fields_before) : std::span<const Field>());
    turn_ ^= 1;
    raws_[turn_].clear();
    fields_[turn_].clear();
    fresh_ = false;
  }
  auto& raw = raws_[turn_];
  auto before = raw.size();
  if (before) raw.append(bytes);
  auto step = parser_->take(before ? std::string_view(raw) : bytes, fields_[turn_]);
  bool whole = step == HeadParser::Step::whole;
  auto size = whole ? parser_->size() : before + bytes.size();
  if (step == HeadParser::Step::refused) {
    auto why = parser_->why(before ? std::string_view(raw) : bytes);
    raw.resize(before);
    return refuse(Refusal::unreadable, std::move(why));
  }
  if (step == HeadParser::Step::too_many_fields || size > limits_.head) {
    raw.resize(before);
    return refuse(Refusal::head_too_large, size > limits_.head ? fmt::format("{} bytes", limits_.head)
                                                               : fmt::format("{} fields", limits_.fields));
  }
  if (before)
    raw.resize(size);
  else
    raw.assign(bytes.substr(0, size));
  if (!whole) return {Step::more, bytes.size()};
  finish_head();
  return {Step::head, size - before};
}

void H1Codec::keep_little() {
  for (auto& raw : raws_) {
    if (raw.capacity() <= kMostKept) continue;
    std::string().swap(raw);
    whole_ = false;
  }
  for (auto& fields : fields_) {
    if (fields.capacity() <= kMostKeptFields) continue;
    std::vector<Field>().swap(fields);
    whole_ = false;
  }
}

std::size_t H1Codec::holds() const {
  return raws_[0].capacity() + raws_[1].capacity() + trailer_text_.capacity() +
         sizeof(Field) * (fields_[0].capacity() + fields_[1].capacity() + trailer_fields_.capacity());
}

void H1Codec::finish_trailers() {
  if (chunks_.trailers().empty()) return;
  trailer_text_.assign(chunks_.trailers()).append("\r\n");
  auto lines = std::string_view(chunks_.trailers());
  trailer_fields_.clear();
  for (std::size_t at = 0; at < lines.size();) {
    auto end = lines.find('\n', at);
    auto colon = lines.find(':', at);
    auto value = trim(lines.substr(colon + 1, end - 1 - colon));
    auto begin = value.empty() ? colon + 1 : static_cast<std::size_t>(value.data() - lines.data());
    auto offset = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    trailer_fields_.push_back({offset(at), offset(colon), offset(begin), offset(begin + value.size())});
    at = end + 1;
  }
  trailers_.raw = trailer_text_;
  trailers_.unknown = true;
  trailers_.fields = trailer_fields_;
}

void H1Codec::finish_head() {
  whole_ = true;
  parser_->bind(raws_[turn_], fields_[turn_], answers_head_, head_, valid_host_);
  if (head_.chunked) chunks_.begin();
  if (!trailers_.raw.empty()) trailers_.clear();  // of the message before
  left_ = head_.length;
  body_ = !head_.bodiless;
  fresh_ = head_.bodiless;
}

}  // namespace retrial::proxy
