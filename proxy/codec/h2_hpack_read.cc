#include "proxy/codec/h2_hpack.h"

namespace retrial::proxy {

void HpackReader::limit(std::uint32_t bytes) {
  limit_ = bytes;
  if (table_.most() <= bytes) return;
  must_shrink_ = true;  // to no more than the least that we said
  table_.resize(bytes);
}

void HpackReader::begin(std::string_view block) {
  at_ = block.data();
  end_ = at_ + block.size();
  first_ = true;
  // Huffman's shortest code has 5 bits.
  if (auto most = block.size() * 8 / 5 + 8; most > scratch_room_) {
    scratch_room_ = std::max<std::size_t>(most, 1024);
    scratch_ = std::make_unique_for_overwrite<char[]>(scratch_room_);
  }
  free_ = scratch_.get();
}

HpackReader::Step HpackReader::next(HpackField& field) {
  for (;;) {
    if (at_ == end_) return must_shrink_ ? Step::broken : Step::end;
    auto form = static_cast<unsigned char>(*at_);
    if ((form & 0xe0) == 0x20) {
      if (!first_ || !size_update()) return Step::broken;
      continue;
    }
    if (must_shrink_) return Step::broken;
    first_ = false;
    std::uint32_t index = 0;
    if (form & 0x80) return number(7, index) && entry(index, field) ? Step::field : Step::broken;

    bool add = form & 0x40;
    if (!number(add ? 6 : 4, index)) return Step::broken;
    HpackField literal;
    if (index > 0 ? !entry(index, literal) : !text(literal.name)) return Step::broken;
    if (!text(literal.value)) return Step::broken;
    judge(literal);
    literal.line = {};
    literal.never_indexed = form & 0x10 && !add;
    if (add)
      if (auto n = table_.add(literal); n != UINT64_MAX) literal = table_.entry(n);
    field = literal;
    return Step::field;
  }
}

bool HpackReader::size_update() {
  std::uint32_t bytes = 0;
  if (!number(5, bytes) || bytes > limit_ || (must_shrink_ && bytes > table_.most())) return false;
  table_.resize(bytes);
  must_shrink_ = false;
  return true;
}

bool HpackReader::entry(std::uint32_t index, HpackField& field) const {
  if (index == 0) return false;
  if (index <= fixed_.size()) {
    field = fixed_[index - 1];
    return true;
  }
  index -= static_cast<std::uint32_t>(fixed_.size());
  if (index > table_.count()) return false;
  field = table_.entry(table_.inserted() - index);
  return true;
}

// RFC 7541 5.1. Nothing that is meant is larger than 2^28.
bool HpackReader::number(unsigned bits, std::uint32_t& n) {
  auto most = (1u << bits) - 1;
  n = static_cast<unsigned char>(*at_++) & most;
  if (n < most) return true;
  for (unsigned shift = 0; at_ < end_ && shift <= 21; shift += 7) {
    auto c = static_cast<unsigned char>(*at_++);
    n += (c & 0x7fu) << shift;
    if (c < 0x80) return true;
  }
  return false;
}

bool HpackReader::text(std::string_view& out) {
  if (at_ == end_) return false;
  bool huffman = *at_ & 0x80;
  std::uint32_t size = 0;
  if (!number(7, size) || size > static_cast<std::size_t>(end_ - at_)) return false;
  std::string_view bytes(at_, size);
  at_ += size;
  if (!huffman) {
    out = bytes;
    return true;
  }
  auto* past = huffman_decode(bytes, free_);
  if (!past) return false;
  out = {free_, past};
  free_ = past;
  return true;
}

}  // namespace retrial::proxy
