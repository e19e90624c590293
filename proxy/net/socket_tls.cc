#include <array>
#include <cstring>

#include "proxy/net/paced.h"
#include "proxy/net/socket.h"
#include "proxy/net/tls.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kPiece = 19 << 10;                  // the longest piece of a record
constexpr std::size_t kAtOnce = 64 << 10;                 // made into records, or received
constexpr std::size_t kBigRecord = 8192;                  // from here on a copy costs more than a record of its own
thread_local std::array<char, kPiece + kAtOnce> scratch;  // of whichever socket is read

}  // namespace

void Socket::secure(std::unique_ptr<TlsEnd> tls) {
  tls_ = std::move(tls);
  records_ = std::exchange(back_, {});
  shaking_ = true;
  watch_read();
  if (connecting_) return;
  shake();
  if (!shaking_) tell_later();
}

void Socket::shake() {
  tls_->input_ = records_;
  for (;;) {
    tls_->shake(queue_.end());
    keep();
    if (tls_->through_ || tls_->failed_) break;
    auto [got, size] = gather();
    if (got == Got::nothing) return drain();
    if (got == Got::fin) tls_->cut("closed");
    if (got == Got::rst) tls_->cut("reset");
    if (got != Got::bytes) break;
  }
  shaking_ = false;
  drain();  // the alert
  if (tls_->failed_) return fail(tls_->failure_);
  watch_read();
}

// Makes ciphertext ready to be opened: whole records that were kept, or what one recv brings behind what was kept.
Socket::Read Socket::gather() {
  tls_->input_ = records_;
  if (TlsEnd::record(records_) > 0) return {Got::bytes};
  tls_->input_ = {};
  auto kept = records_.copy(scratch.data(), kPiece);
  auto read = take(scratch.data() + kept, kAtOnce);
  if (read.got == Got::bytes) {
    tls_->input_ = {scratch.data(), kept + read.bytes};
    records_.clear();
  }
  return read;
}

void Socket::keep() {
  auto rest = std::exchange(tls_->input_, {});
  if (!records_.empty())
    records_.erase(0, records_.size() - rest.size());
  else if (!rest.empty())
    records_ = rest;
  if (records_.empty() && records_.capacity() > 64) std::string().swap(records_);
}

Socket::Read Socket::read_inside(char* into, std::size_t size) {
  if (rst_told_) return {Got::nothing};
  if (!tls_->closed_ && !tls_->failed_) {
    if (!tls_->holds()) {
      auto read = gather();
      if (read.got != Got::bytes) return read;
    } else {
      tls_->input_ = records_;
    }
    auto n = tls_->open(into, size, queue_.end());
    keep();
    if (!queue_.empty() && !write_armed_) drain();  // an alert, or the answer to a KeyUpdate
    if (n > 0) return {Got::bytes, n};
  }
  if (tls_->failed_) {
    fail(tls_->failure_);
    failure_told_ = true;
    return {Got::failed};
  }
  if (!tls_->closed_) return {Got::nothing};
  if (ended_) return after_inside();
  ended_ = true;
  watch_edges();
  return {Got::fin};
}

// What follows a close_notify is nothing (RFC 8446 6.1), but an RST is still told. As much of it as there is room for
// at once; the rest is told of again.
Socket::Read Socket::after_inside() {
  auto read = take(scratch.data(), scratch.size());
  if (read.got != Got::bytes) return read;
  tell_later();
  return {Got::nothing};
}

void Socket::write_inside(std::string_view bytes) {
  bool direct = bytes.size() >= kBigRecord && tls_->through_ && !paced_ && inside_.empty();
  while (direct && !bytes.empty() && !write_armed_ && !broken_) {
    auto piece = bytes.substr(0, kAtOnce);
    bytes.remove_prefix(piece.size());
    tls_->seal(piece, queue_.end());
    drain_inside();
  }
  if (broken_) return;
  inside_.end().append(bytes);
  if (inside_.size() >= kAtOnce && !write_armed_ && !paced_) drain_inside();
}

void Socket::drain_inside() {
  bool full = false, stepped = false;  // one step of a pace is one record, however long sealing it takes
  while (!broken_ && !full) {
    if (!stepped && tls_->through_ && !tls_->failed_ && queue_.empty()) {
      auto size = allowed(std::min(inside_.size(), kAtOnce));
      if (size > 0) {
        tls_->seal(inside_.view().substr(0, size), queue_.end());
        inside_.drop(size);
        if (paced_) paced_->pace.spend(size);
        stepped = paced_ && !inside_.empty();
      } else if (finished_ && inside_.empty()) {
        tls_->notify(queue_.end());
      }
    }
    if (queue_.empty()) break;
    auto size = queue_.size();
    auto done = send(queue_.view(), {});
    if (!broken_) queue_.drop(done);
    full = done < size;
  }
  if (!broken_ && !shaking_) after_drain(full);
  if (!broken_ && shaking_) watch_write(full);
}

bool Socket::cut() const { return tls_ && ended_ && !tls_->closed_ && tls_->owes_notify_; }

void Socket::cut_end() {
  if (tls_) tls_->notified_ = true;
}

void Socket::finish_as(const Socket& other) {
  if (other.cut() && !finished_) cut_end();
  finish();
}

bool Socket::more_inside() const {
  if (!listens_ || ended_ || failed_ || shaking_ || rst_told_ || !open()) return false;
  return tls_->holds() || tls_->closed_ || tls_->failed_ || TlsEnd::record(records_) > 0;
}

// What OpenSSL has, or what was kept, no fd tells of.
void Socket::tell_later() {
  if (!later_)
    later_ = std::make_unique<Timer>(loop_, [this] {
      events_->ready(*this);
      if (more_inside()) tell_later();
    });
  later_->set(0);
}

}  // namespace retrial::proxy
