#include "trace/recording/segment_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/private_files.h"
#include "base/text.h"

namespace retrial::trace {
namespace {

constexpr std::size_t kWindow = 64u << 10;        // at most
constexpr std::size_t kLeastSegment = 16u << 10;  // where there is a limit: each costs some system calls
constexpr std::uint64_t kSegments = 4;            // that a limit has for each writer

constexpr std::size_t pages(std::size_t bytes) {
  return (bytes + SegmentFile::kPage - 1) / SegmentFile::kPage * SegmentFile::kPage;
}

SegmentFile::Shape shape_of(std::size_t bytes) {
  bytes = std::max(pages(bytes), 2 * SegmentFile::kPage);
  auto window = std::clamp(pages(bytes / 8), SegmentFile::kPage, kWindow);
  return {bytes - window, window};
}

}  // namespace

std::uint64_t SegmentFolder::least_keep(int writers) {
  return kSegments * kLeastSegment * static_cast<std::uint64_t>(writers);
}

Result<std::shared_ptr<SegmentFolder>> SegmentFolder::open(const std::filesystem::path& folder, Limits limits) {
  auto bytes = limits.segment;
  if (limits.keep) {
    if (auto least = least_keep(limits.writers); limits.keep < least)
      return fail(fmt::format("{} bytes are too few for a trace with {} writers: at least {}", limits.keep,
                              limits.writers, least),
                  folder, Blame::user);
    auto share = limits.keep / kSegments / static_cast<std::uint64_t>(limits.writers);
    if (share < bytes) bytes = static_cast<std::size_t>(share / SegmentFile::kPage * SegmentFile::kPage);
  }
  if (auto made = private_folder(folder); !made) return std::unexpected(made.error());
  std::shared_ptr<SegmentFolder> made(new SegmentFolder(folder, std::move(limits), shape_of(bytes)));
  if (made->limits_.keep) {
    for (auto& earlier : made->limits_.earlier) made->find_earlier(earlier);
    made->find_earlier(folder);
  }
  return made;
}

void SegmentFolder::find_earlier(const std::filesystem::path& folder) {
  std::error_code error;
  std::map<std::uint32_t, std::uint64_t> found;  // bytes by number
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    auto number = static_cast<std::uint32_t>(to_int(at->path().stem().string()).value_or(0));
    std::error_code unseen;
    if (number && at->path() == SegmentFile::named(folder, number) && at->is_regular_file(unseen))
      found[number] = at->file_size(unseen);
  }
  for (auto& [number, bytes] : found) {
    auto path = SegmentFile::named(folder, number);
    if (folder == folder_) number_ = number;
    if (SegmentFile::in_use(path)) continue;
    finished_.push_back({path, bytes});
    bytes_ += bytes;
  }
}

Result<SegmentFile> SegmentFolder::next(std::size_t bytes, std::uint32_t previous) {
  auto shape = shape_;
  shape.records = std::max(shape.records, pages(bytes));
  std::lock_guard lock(mutex_);
  if (limits_.keep) {
    auto usual = shape_.bytes() * static_cast<std::uint64_t>(limits_.writers);
    if (shape.records > shape_.records && shape.bytes() > limits_.keep - usual)
      return fail(fmt::format("a record of the trace has {} bytes, more than are left of the {} that are kept", bytes,
                              limits_.keep),
                  folder_);
    // The oldest is written anew where its room is all that is missing.
    bool same = !finished_.empty() && finished_.front().bytes == shape.bytes() &&
                finished_.front().path.parent_path() == folder_;
    if (same && bytes_ <= limits_.keep && bytes_ + shape.bytes() > limits_.keep) {
      auto old = std::move(finished_.front());
      finished_.pop_front();
      if (auto again = SegmentFile::reuse(old.path, number_, previous, shape)) return again;
      finished_.push_front(std::move(old));
    }
    if (auto ok = make_room(shape.bytes()); !ok) return std::unexpected(ok.error());
  }
  auto made = SegmentFile::create(folder_, number_, previous, shape);
  if (made && limits_.keep) bytes_ += shape.bytes();
  return made;
}

Result<void> SegmentFolder::make_room(std::uint64_t bytes) {
  while (bytes_ + bytes > limits_.keep && !finished_.empty()) {
    std::error_code error;
    std::filesystem::remove(finished_.front().path, error);
    if (error)
      return fail_errno("cannot remove the oldest segment of the trace", error.value(), finished_.front().path);
    bytes_ -= finished_.front().bytes;
    finished_.pop_front();
  }
  return {};
}

// What is finished keeps its room where it may be written anew later.
Result<void> SegmentFolder::finish(SegmentFile& file) {
  auto ok = file.finish(!limits_.keep);
  leave(file);
  return ok;
}

void SegmentFolder::leave(SegmentFile& file) {
  file.leave();
  if (!limits_.keep || file.path().empty()) return;
  std::lock_guard lock(mutex_);
  finished_.push_back({file.path(), file.shape().bytes()});
  file = {};
}

}  // namespace retrial::trace
