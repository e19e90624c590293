#include "trace/parquet/column_chunk.h"

#include <bit>
#include <cstring>
#include <utility>

#include "trace/parquet/thrift.h"

namespace retrial::trace {
namespace {
static_assert(std::endian::native == std::endian::little);

template <class T>
void append(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof bytes);
}
void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

// Runs of equal values in the RLE/bit-packing hybrid, runs alone: what repeats is what these columns have.
template <class Values>
void append_runs(std::string& out, const Values& values, int width) {
  for (std::size_t at = 0; at < values.size();) {
    auto value = static_cast<std::uint32_t>(values[at]);
    auto end = at + 1;
    while (end < values.size() && static_cast<std::uint32_t>(values[end]) == value) end++;
    auto header = std::uint64_t{end - at} << 1;
    for (; header >= 0x80; header >>= 7) out += static_cast<char>(header | 0x80);
    out += static_cast<char>(header);
    for (int i = 0; i < (width + 7) / 8; i++) out += static_cast<char>(value >> (8 * i));
    at = end;
  }
}

enum PageType : std::int32_t { kDataPage = 0, kDictionaryPage = 2 };
// A page, its header before it; its size with that.
std::size_t append_page(std::string& out, PageType type, std::size_t values, ColumnChunk::Encoding encoding,
                        std::string_view page) {
  auto before = out.size();
  Thrift header(out);
  header.begin();
  header.i32(1, type);
  header.i32(2, static_cast<std::int32_t>(page.size()));
  header.i32(3, static_cast<std::int32_t>(page.size()));
  header.begin(type == kDataPage ? 5 : 7);
  header.i32(1, static_cast<std::int32_t>(values));
  header.i32(2, encoding);
  if (type == kDataPage) {
    header.i32(3, ColumnChunk::kRle);  // definition levels
    header.i32(4, ColumnChunk::kRle);  // repetition levels, of which there are none
  }
  header.end();
  header.end();
  out += page;
  return out.size() - before;
}

}  // namespace

ColumnChunk::Physical ColumnChunk::physical() const {
  switch (column_.type) {
    case ParquetWriter::Type::number:
    case ParquetWriter::Type::time:
      return kInt64;
    case ParquetWriter::Type::real:
      return kDouble;
    case ParquetWriter::Type::yes:
      return kBoolean;
    case ParquetWriter::Type::text:
      return kByteArray;
  }
  return kByteArray;
}

void ColumnChunk::defined() {
  put_ = true;
  there_.push_back(true);
}
void ColumnChunk::add(std::int64_t value) {
  if (column_.type == ParquetWriter::Type::real) return add(static_cast<double>(value));
  defined();
  append(plain_, value);
  least_ = any_ ? std::min(least_, value) : value;
  most_ = any_ ? std::max(most_, value) : value;
  any_ = true;
}
void ColumnChunk::add(double value) {
  defined();
  append(plain_, value);
}
void ColumnChunk::add(bool value) {
  defined();
  bits_.push_back(value);
}
void ColumnChunk::add(std::string_view value) {
  defined();
  if (!by_dictionary_) return append_text(plain_, value);
  auto [at, fresh] = words_.try_emplace(std::string(value), static_cast<std::uint32_t>(words_.size()));
  if (fresh) append_text(plain_, value);
  indices_.push_back(at->second);
  // Most of them are different: a dictionary would be one more copy.
  if (words_.size() >= kMostWords || (words_.size() > 1000 && words_.size() > indices_.size() / 2))
    give_up_dictionary();
}
void ColumnChunk::give_up_dictionary() {
  std::vector<const std::string*> by_index(words_.size());
  for (auto& [word, index] : words_) by_index[index] = &word;
  plain_.clear();
  for (auto index : indices_) append_text(plain_, *by_index[index]);
  by_dictionary_ = false;
  words_.clear();
  indices_.clear();
}

void ColumnChunk::end_row() {
  if (std::exchange(put_, false)) return;
  if (!column_.always) {
    there_.push_back(false);
    nulls_++;
    return;
  }
  if (column_.type == ParquetWriter::Type::text)
    add(std::string_view());
  else if (column_.type == ParquetWriter::Type::yes)
    add(false);
  else
    add(std::int64_t{0});
  put_ = false;
}

ColumnChunk::Written ColumnChunk::write(std::string& out) {
  Written written{.encodings = {kPlain, kRle}, .nulls = nulls_};
  std::string page;
  if (!column_.always) {
    std::string levels;
    append_runs(levels, there_, 1);
    append_text(page, levels);  // its length, and then they
  }
  auto encoding = kPlain;
  if (column_.type == ParquetWriter::Type::text && by_dictionary_) {
    encoding = kRleDictionary;
    written.encodings.push_back(encoding);
    written.dictionary = append_page(out, kDictionaryPage, words_.size(), kPlain, plain_);
    auto width = std::bit_width(words_.empty() ? 0u : static_cast<unsigned>(words_.size() - 1));
    page += static_cast<char>(width);
    append_runs(page, indices_, static_cast<int>(width));
  } else if (column_.type == ParquetWriter::Type::yes) {
    std::string packed((bits_.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < bits_.size(); i++)
      if (bits_[i]) packed[i / 8] = static_cast<char>(packed[i / 8] | 1 << (i % 8));
    page += packed;
  } else {
    page += plain_;
  }
  written.data = append_page(out, kDataPage, there_.size(), encoding, page);
  if (any_) {
    append(written.least, least_);
    append(written.most, most_);
  }
  *this = ColumnChunk(column_);
  return written;
}

}  // namespace retrial::trace
