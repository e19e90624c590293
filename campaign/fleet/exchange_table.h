#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/parquet/parquet_writer.h"

namespace retrial::campaign {

// The columns of an export, in their order. docs/fleet.md has them with what they mean.
std::span<const trace::ParquetWriter::Column> exchange_columns();

struct Exported {
  std::uint64_t rows = 0, members = 0;
  std::vector<std::string> left;  // folders that could not be read, a line each
  std::string clocks;             // clocks_line
};
// Every exchange of recordings of `serve`, and of folders of `observe` and `run`, as a row of a Parquet file. Times of
// several recordings are those of the fleet's clock. An error is of the file, or says that nothing could be read.
Result<Exported> export_parquet(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file);

}  // namespace retrial::campaign
