#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/parquet/parquet_writer.h"

namespace retrial::trace {

// The values of one column in one row group, and how they stand in a file: a page with their dictionary where texts
// repeat, and a page with all of them.
class ColumnChunk {
 public:
  // Numbers of Parquet's (parquet.thrift).
  enum Physical : std::int32_t { kBoolean = 0, kInt64 = 2, kDouble = 5, kByteArray = 6 };
  enum Encoding : std::int32_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };

  explicit ColumnChunk(ParquetWriter::Column column) : column_(column) {}
  const ParquetWriter::Column& column() const { return column_; }
  Physical physical() const;

  void add(std::int64_t value);
  void add(double value);
  void add(bool value);
  void add(std::string_view value);
  void end_row();  // which has a value already, or null
  std::size_t bytes() const { return plain_.size() + indices_.size() * sizeof(std::uint32_t); }

  struct Written {
    std::size_t dictionary = 0;  // bytes of its page; 0: there is none
    std::size_t data = 0;        // of the page with the values
    std::vector<Encoding> encodings;
    std::uint64_t nulls = 0;
    std::string least, most;  // of numbers and times, as they stand; empty: none
  };
  // Appends its pages, and is empty again.
  Written write(std::string& out);

 private:
  void defined();
  void give_up_dictionary();
  ParquetWriter::Column column_;
  std::string plain_;        // values as they stand; of texts with a dictionary: the dictionary
  std::vector<bool> bits_;   // of booleans
  std::vector<bool> there_;  // a row each: it is not null
  bool put_ = false;         // the row that is being made has a value
  std::uint64_t nulls_ = 0;
  std::int64_t least_ = 0, most_ = 0;
  bool any_ = false;
  // Of texts, for as long as they repeat.
  static constexpr std::size_t kMostWords = 1u << 14;
  bool by_dictionary_ = true;
  std::unordered_map<std::string, std::uint32_t> words_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace retrial::trace
