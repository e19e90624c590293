#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace retrial::trace {

// Writes a table as a Parquet file (https://parquet.apache.org/docs/file-format/): flat columns, row groups, texts that
// repeat by a dictionary, no compression (docs/decisions/0023). It holds one row group in memory, kRows rows or kBytes
// of values. The file is there, under its name, once end() has succeeded; before that it is PATH.part, which the
// destructor removes. One thread.
class ParquetWriter {
 public:
  static constexpr std::size_t kRows = 1u << 17, kBytes = 64u << 20;

  enum class Type : std::uint8_t {
    number,  // 64 bits, signed
    time,    // microseconds of Unix time, UTC: what all readers can reckon with
    real,    // a double
    yes,     // a boolean
    text,    // UTF-8: whoever puts it sees to that
  };
  struct Column {
    std::string_view name;
    Type type;
    bool always = false;  // every row has it; else it may be null
  };

  // `about`: keys and values of the file, for whoever reads it. Errors name the file.
  static Result<std::unique_ptr<ParquetWriter>> create(const std::filesystem::path& path,
                                                       std::span<const Column> columns,
                                                       std::vector<std::pair<std::string, std::string>> about);
  ~ParquetWriter();
  ParquetWriter(const ParquetWriter&) = delete;

  // Values of the row that is being made; by the column's place. What is not put is null, or 0 or "" where it is
  // always there. What does not fit the column's type is a mistake of ours.
  void put(std::size_t column, std::int64_t value);
  void put(std::size_t column, double value);
  void put(std::size_t column, bool value);
  void put(std::size_t column, std::string_view value);
  void put(std::size_t column, const char* value) = delete;  // which would be a boolean
  Result<void> end_row();
  Result<void> end();
  std::uint64_t rows() const;

 private:
  struct Impl;
  explicit ParquetWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::trace
