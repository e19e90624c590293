#include "trace/parquet/parquet_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "trace/parquet/column_chunk.h"
#include "trace/parquet/thrift.h"

namespace retrial::trace {
namespace {
constexpr std::string_view kMagic = "PAR1";
enum Converted : std::int32_t { kUtf8 = 0, kTimestampMicros = 10 };
enum Repetition : std::int32_t { kRequired = 0, kOptional = 1 };

struct Group {
  struct Chunk {
    std::uint64_t begin = 0;  // in the file
    ColumnChunk::Written written;
  };
  std::uint64_t rows = 0;
  std::vector<Chunk> chunks;
};

void write_schema(Thrift& to, std::span<const ColumnChunk> columns) {
  to.structs(2, columns.size() + 1);
  to.begin();
  to.text(4, "exchanges");
  to.i32(5, static_cast<std::int32_t>(columns.size()));
  to.end();
  for (auto& chunk : columns) {
    auto& column = chunk.column();
    to.begin();
    to.i32(1, chunk.physical());
    to.i32(3, column.always ? kRequired : kOptional);
    to.text(4, column.name);
    if (column.type == ParquetWriter::Type::text) {
      to.i32(6, kUtf8);
      to.begin(10);
      to.begin(1);  // a STRING
      to.end();
      to.end();
    } else if (column.type == ParquetWriter::Type::time) {
      to.i32(6, kTimestampMicros);
      to.begin(10);
      to.begin(8);  // a TIMESTAMP
      to.yes(1, true);
      to.begin(2);
      to.begin(2);  // in MICROS
      to.end();
      to.end();
      to.end();
      to.end();
    }
    to.end();
  }
}

void write_chunk(Thrift& to, const Group::Chunk& chunk, const ColumnChunk& column, std::uint64_t rows) {
  auto& written = chunk.written;
  auto size = static_cast<std::int64_t>(written.dictionary + written.data);
  to.begin();
  to.i64(2, static_cast<std::int64_t>(chunk.begin));
  to.begin(3);
  to.i32(1, column.physical());
  to.i32s(2, written.encodings.size());
  for (auto encoding : written.encodings) to.element(static_cast<std::int32_t>(encoding));
  to.texts(3, 1);
  to.element(column.column().name);
  to.i32(4, 0);  // UNCOMPRESSED
  to.i64(5, static_cast<std::int64_t>(rows));
  to.i64(6, size);
  to.i64(7, size);
  to.i64(9, static_cast<std::int64_t>(chunk.begin + written.dictionary));
  if (written.dictionary) to.i64(11, static_cast<std::int64_t>(chunk.begin));
  to.begin(12);
  to.i64(3, static_cast<std::int64_t>(written.nulls));
  if (!written.most.empty()) {
    to.text(5, written.most);
    to.text(6, written.least);
  }
  to.end();
  to.end();
  to.end();
}

}  // namespace

struct ParquetWriter::Impl {
  std::filesystem::path path, part;
  std::vector<std::pair<std::string, std::string>> about;
  std::vector<ColumnChunk> columns;
  std::vector<Group> groups;
  int fd = -1;
  std::uint64_t at = 0, rows = 0, in_group = 0;

  Result<void> write(std::string_view bytes) {
    at += bytes.size();
    while (!bytes.empty()) {
      auto put = ::write(fd, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return fail_errno("cannot be written", put < 0 ? errno : EIO, path.string(), Blame::user);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
  }
  Result<void> end_group() {
    if (in_group == 0) return {};
    Group group{.rows = in_group, .chunks = {}};
    std::string out;
    for (auto& column : columns) {
      group.chunks.push_back({.begin = at, .written = column.write(out)});
      if (auto ok = write(out); !ok) return ok;
      out.clear();
    }
    groups.push_back(std::move(group));
    in_group = 0;
    return {};
  }
  std::string footer() const {
    std::string out;
    Thrift to(out);
    to.begin();
    to.i32(1, 1);
    write_schema(to, columns);
    to.i64(3, static_cast<std::int64_t>(rows));
    to.structs(4, groups.size());
    for (auto& group : groups) {
      std::int64_t bytes = 0;
      to.begin();
      to.structs(1, group.chunks.size());
      for (std::size_t i = 0; i < columns.size(); i++) {
        write_chunk(to, group.chunks[i], columns[i], group.rows);
        bytes += static_cast<std::int64_t>(group.chunks[i].written.dictionary + group.chunks[i].written.data);
      }
      to.i64(2, bytes);
      to.i64(3, static_cast<std::int64_t>(group.rows));
      to.end();
    }
    to.structs(5, about.size());
    for (auto& [key, value] : about) {
      to.begin();
      to.text(1, key);
      to.text(2, value);
      to.end();
    }
    to.text(6, "retrial");
    to.end();
    auto size = static_cast<std::uint32_t>(out.size());
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(size >> shift);
    return out.append(kMagic);
  }
};

ParquetWriter::ParquetWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<ParquetWriter>> ParquetWriter::create(const std::filesystem::path& path,
                                                             std::span<const Column> columns,
                                                             std::vector<std::pair<std::string, std::string>> about) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->part = path.string() + ".part";
  impl->about = std::move(about);
  for (auto& column : columns) impl->columns.emplace_back(column);
  impl->fd = ::open(impl->part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (impl->fd < 0) return fail_errno("cannot be written", errno, impl->part.string(), Blame::user);
  std::unique_ptr<ParquetWriter> writer(new ParquetWriter(std::move(impl)));
  if (auto ok = writer->impl_->write(kMagic); !ok) return std::unexpected(ok.error());
  return writer;
}

ParquetWriter::~ParquetWriter() {
  if (impl_->fd < 0) return;
  ::close(impl_->fd);
  ::unlink(impl_->part.c_str());
}

void ParquetWriter::put(std::size_t column, std::int64_t value) { impl_->columns[column].add(value); }
void ParquetWriter::put(std::size_t column, double value) { impl_->columns[column].add(value); }
void ParquetWriter::put(std::size_t column, bool value) { impl_->columns[column].add(value); }
void ParquetWriter::put(std::size_t column, std::string_view value) { impl_->columns[column].add(value); }
std::uint64_t ParquetWriter::rows() const { return impl_->rows; }

Result<void> ParquetWriter::end_row() {
  auto& all = *impl_;
  std::size_t bytes = 0;
  for (auto& column : all.columns) {
    column.end_row();
    bytes += column.bytes();
  }
  all.rows++;
  all.in_group++;
  return all.in_group >= kRows || bytes >= kBytes ? all.end_group() : Result<void>();
}

Result<void> ParquetWriter::end() {
  auto& all = *impl_;
  if (auto ok = all.end_group(); !ok) return ok;
  if (auto ok = all.write(all.footer()); !ok) return ok;
  if (::close(std::exchange(all.fd, -1)) != 0 || ::rename(all.part.c_str(), all.path.c_str()) != 0) {
    auto error = errno;
    ::unlink(all.part.c_str());
    return fail_errno("cannot be written", error, all.path.string(), Blame::user);
  }
  return {};
}

}  // namespace retrial::trace
