#include "trace/recording/segment_follower.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/recording/record.h"
#include "trace/recording/segment_file.h"

namespace retrial::trace {
namespace {
using record::RecordHead;
constexpr std::size_t kRead = 256u << 10;
constexpr std::size_t kSpare = 256;  // exchanges whose room is kept for others

// The record of this place at the beginning of `bytes`: its length, head included; nothing where there is none (yet).
std::optional<std::size_t> record_at(std::string_view bytes, std::uint32_t place) {
  RecordHead head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.length == 0 || head.place != place || head.length > bytes.size() - sizeof head) return {};
  auto checked = bytes.substr(record::kChecked, sizeof head - record::kChecked + head.length);
  if (crc32c(checked) != head.crc) return {};
  return sizeof head + head.length;
}
// What it says its length is, whether it is whole in `bytes` or not.
std::size_t length_said(std::string_view bytes, std::uint32_t place) {
  RecordHead head;
  if (bytes.size() < sizeof head) return 0;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head.length && head.place == place ? sizeof head + head.length : 0;
}

}  // namespace

struct SegmentFollower::Tail {
  int fd = -1;
  std::uint32_t number = 0;
  std::size_t at = 0;  // where the next record begins
  Nanos time = 0;      // of its last record; never goes back
  bool done = false;
  ~Tail() {
    if (fd >= 0) ::close(fd);
  }
  // Into `buffer` from `used` on, which only grows.
  std::string_view bytes(std::size_t offset, std::size_t size, std::vector<char>& buffer, std::size_t used) const {
    if (buffer.size() < used + size) buffer.resize(std::max(used + size, buffer.size() + buffer.size() / 2));
    auto got = ::pread(fd, buffer.data() + used, size, static_cast<off_t>(offset));
    return {buffer.data() + used, got > 0 ? static_cast<std::size_t>(got) : 0};
  }
  record::SegmentHead head() const {
    char bytes[sizeof(record::SegmentHead)];
    auto got = ::pread(fd, bytes, sizeof bytes, 0);
    return record::head_of({bytes, got > 0 ? static_cast<std::size_t>(got) : 0});
  }
};

struct SegmentFollower::Taken {
  Nanos time = 0;
  RecordKind kind{};
  std::size_t begin = 0, size = 0;  // of its payload, in buffer_
};

SegmentFollower::SegmentFollower(std::filesystem::path folder, Options options)
    : folder_(std::move(folder)), options_(options) {}
SegmentFollower::~SegmentFollower() = default;

// Numbers only grow: what is above the last that was found is new.
Result<void> SegmentFollower::find_segments() {
  std::error_code error;
  std::vector<std::uint32_t> found;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    auto number = static_cast<std::uint32_t>(to_int(it->path().stem().string()).value_or(0));
    if (number > newest_ && it->path().extension() == ".seg") found.push_back(number);
  }
  if (error) return fail_errno("cannot be followed", error.value(), folder_.string());
  std::ranges::sort(found);
  auto least = newest_ + 1;
  for (auto number : found) {
    if (looked_) lost_ += number - least;  // those between were there and are gone
    least = number + 1;
    auto tail = std::make_unique<Tail>();
    auto path = SegmentFile::named(folder_, number);
    tail->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    newest_ = number;
    if (tail->fd < 0) {
      lost_ += looked_;
      continue;
    }
    auto head = tail->head();
    if (!head.can_be_read() || head.number != number) {
      if (looked_ && !head.is_ours()) newest_ = number - 1;  // it is about to begin
      if (newest_ != number) break;
      continue;
    }
    if (!looked_ && !options_.from_the_first && head.window == 0) continue;
    tail->number = number;
    tail->at = head.size();
    tails_.push_back(std::move(tail));
  }
  looked_ = true;
  return {};
}

// Records stand in their place, the newest in the window alone. What is read while it is written shows by its crc, and
// is read again. True: there is more than it may take at once.
bool SegmentFollower::read(Tail& tail, std::vector<Taken>& taken) {
  std::size_t took = 0;
  auto take = [&](std::string_view bytes) {  // the last that were read
    std::size_t at = 0;
    auto begins = static_cast<std::size_t>(bytes.data() - buffer_.data());
    while (auto size = record_at(bytes.substr(std::min(at, bytes.size())), record::place_of(tail.number, tail.at))) {
      RecordHead head;
      std::memcpy(&head, bytes.data() + at, sizeof head);
      auto payload = bytes.substr(at + sizeof head, head.length);
      auto kind = static_cast<RecordKind>(head.kind);
      if (head.run == options_.run && kind != RecordKind::run && kind != RecordKind::end) {
        tail.time = std::max(tail.time, record::time_of(kind, payload));
        taken.push_back({tail.time, kind, begins + at + sizeof head, payload.size()});
        still_to_end_ += kind == RecordKind::over;
      }
      at += record::padded(*size);
      tail.at += record::padded(*size);
    }
    used_ = begins + std::min(at, bytes.size());
    took += at;
    return at;
  };
  for (int missed = 0; took < options_.most_bytes;) {
    auto head = tail.head();
    if (head.number != tail.number || !head.can_be_read()) {  // written anew as another
      lost_++;
      tail.done = true;
      return false;
    }
    auto bytes = tail.bytes(tail.at, kRead, buffer_, used_);
    if (auto said = length_said(bytes, record::place_of(tail.number, tail.at)); said > bytes.size())
      bytes = tail.bytes(tail.at, said, buffer_, used_);
    if (take(bytes)) continue;
    if (head.window == 0) {
      tail.done = true;
      return false;
    }
    auto window = tail.bytes(head.window, SegmentFile::kPage * 16 + 64, buffer_, used_);
    RecordHead first{};
    if (window.size() >= sizeof first) std::memcpy(&first, window.data(), sizeof first);
    if (first.length == 0) return false;
    auto begins = record::offset_of(tail.number, first.place);
    if (begins > tail.at) {  // it was emptied meanwhile: what it held stands in its place now, or is damaged
      if (++missed < 3) continue;
      lost_++;
      tail.done = true;
      return false;
    }
    if (tail.at - begins >= window.size() || !take(window.substr(tail.at - begins))) return false;
  }
  return true;
}

SegmentFollower::Open::node_type SegmentFollower::fresh() {
  if (spare_.empty()) {
    Open one;
    one.try_emplace(0, std::make_unique<Exchange>());
    return one.extract(one.begin());
  }
  auto node = std::move(spare_.back());
  spare_.pop_back();
  if (node.mapped())
    record::begin_anew(*node.mapped());
  else
    node.mapped() = std::make_unique<Exchange>();
  return node;
}
void SegmentFollower::keep(Open::node_type node) {
  if (spare_.size() == kSpare) return;
  if (auto& e = node.mapped(); e && !e->response_headers.empty() && spare_headers_.size() < kSpare)
    spare_headers_.push_back(std::exchange(e->response_headers, {}));
  spare_.push_back(std::move(node));
}

void SegmentFollower::tell(const Taken& taken, const Told& told) {
  auto payload = std::string_view(buffer_.data() + taken.begin, taken.size);
  if (taken.kind == RecordKind::head) {
    auto node = fresh();
    if (!record::decode_head(payload, *node.mapped())) return;
    node.key() = node.mapped()->id;
    auto at = open_.insert(open_.end(), std::move(node));
    if (node) return keep(std::move(node));  // another has that id
    if (told.head) told.head(*at->second);
    if (open_.size() <= options_.most_open) return;
    lost_++;
    open_.erase(open_.begin());
    return;
  }
  still_to_end_ -= taken.kind == RecordKind::over;
  auto at = open_.find(record::exchange_of(payload));
  if (at == open_.end()) return;
  auto& e = *at->second;
  if (taken.kind == RecordKind::answer) {
    if (!spare_headers_.empty()) {  // they are written over
      e.response_headers = std::move(spare_headers_.back());
      spare_headers_.pop_back();
    }
    if (!record::decode_answer(payload, e)) e.response_headers.clear();
  } else if (taken.kind == RecordKind::fired) {
    record::decode_fired(payload, e);
  } else if (record::decode_over(payload, e)) {
    auto ended = open_.extract(at);
    if (told.over) told.over(ended.mapped());
    keep(std::move(ended));
  }
}

Result<bool> SegmentFollower::look(const Told& told) {
  if (auto ok = find_segments(); !ok) return std::unexpected(ok.error());
  auto& taken = taken_;
  taken.clear();
  used_ = 0;
  still_to_end_ = 0;
  bool more = false;
  for (auto& tail : tails_) more |= read(*tail, taken);
  std::erase_if(tails_, [](auto& tail) { return tail->done; });
  // Those of one writer are.
  if (!std::ranges::is_sorted(taken, {}, &Taken::time)) std::ranges::stable_sort(taken, {}, &Taken::time);
  for (auto& one : taken) tell(one, told);
  return more;
}

}  // namespace retrial::trace
