#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace retrial::proxy {

// A stream that is not closed.
struct H2Stream {
  std::uint32_t id = 0;
  bool we_ended = false, they_ended = false;
  bool told = false;       // on_head was called
  bool answered = false;   // their head was read, and it was no interim one
  bool to_head = false;    // client role: the request is HEAD
  bool connect = false;    // the request is CONNECT
  bool tunnel = false;     // nothing but DATA may follow
  bool sized = false;      // their content-length holds
  std::uint64_t left = 0;  // of it
  std::int64_t send_window = 0;
  std::int64_t receive_window = 0;
  std::uint32_t owed = 0;   // bytes that were consumed and not yet given back
  std::uint32_t wider = 0;  // than at first: their window
};

// The streams that are not closed, by number. A stream keeps its place in memory until it is removed.
class H2Streams {
 public:
  H2Streams() : slots_(16) {}
  std::size_t size() const { return size_; }

  H2Stream* find(std::uint32_t id) const {
    for (auto i = home(id);; i = next(i)) {
      if (!slots_[i]) return nullptr;
      if (slots_[i]->id == id) return slots_[i];
    }
  }
  H2Stream& add(std::uint32_t id) {
    if (size_ * 2 >= slots_.size()) grow();
    H2Stream* s;
    if (free_.empty()) {
      s = &pool_.emplace_back();
    } else {
      s = free_.back();
      free_.pop_back();
      *s = {};
    }
    s->id = id;
    place(s);
    size_++;
    return *s;
  }
  void remove(std::uint32_t id) {
    auto i = home(id);
    while (slots_[i] && slots_[i]->id != id) i = next(i);
    if (!slots_[i]) return;
    free_.push_back(slots_[i]);
    size_--;
    // Those behind it move up, unless that were before their own home.
    for (auto j = next(i); slots_[j]; j = next(j)) {
      if (((j - home(slots_[j]->id)) & mask()) < ((j - i) & mask())) continue;
      slots_[i] = slots_[j];
      i = j;
    }
    slots_[i] = nullptr;
  }
  // `each` must not add or remove.
  template <class Each>
  void for_each(Each each) {
    for (auto* s : slots_)
      if (s) each(*s);
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint32_t id) const { return (id >> 1) & mask(); }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  void place(H2Stream* s) {
    auto i = home(s->id);
    while (slots_[i]) i = next(i);
    slots_[i] = s;
  }
  void grow() {
    std::vector<H2Stream*> old(slots_.size() * 2);
    old.swap(slots_);
    for (auto* s : old)
      if (s) place(s);
  }

  std::vector<H2Stream*> slots_;  // a power of two of them
  std::deque<H2Stream> pool_;
  std::vector<H2Stream*> free_;
  std::size_t size_ = 0;
};

// How streams that are closed came to be so, of the last 1024 numbers.
class H2Past {
 public:
  enum How : std::uint8_t {
    skipped,    // a higher one was opened (RFC 9113 5.1.1)
    live,       // not closed
    ended,      // END_STREAM of both
    by_them,    // RST_STREAM
    by_us,      // RST_STREAM, or above GOAWAY's last
    forgotten,  // one of those
    idle,
  };
  std::uint32_t highest() const { return highest_; }
  void open(std::uint32_t id) {  // above highest()
    auto from = std::max((highest_ + 1) | 1, id > 2 * kKept ? id - 2 * kKept : 1);
    for (auto between = from; between < id; between += 2) at(between) = skipped;
    highest_ = id;
    at(id) = live;
  }
  void close(std::uint32_t id, How how) {
    if (kept(id)) at(id) = how;
  }
  How how(std::uint32_t id) const {
    if (id > highest_) return idle;
    return kept(id) ? hows_[(id >> 1) % kKept] : forgotten;
  }

 private:
  static constexpr std::uint32_t kKept = 1024;
  bool kept(std::uint32_t id) const { return id <= highest_ && highest_ - id < 2 * kKept; }
  How& at(std::uint32_t id) { return hows_[(id >> 1) % kKept]; }

  std::array<How, kKept> hows_{};
  std::uint32_t highest_ = 0;
};

}  // namespace retrial::proxy
