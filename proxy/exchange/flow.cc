#include "proxy/exchange/flow.h"

#include <algorithm>

#include "proxy/net/socket.h"

namespace retrial::proxy {

void Flow::begin(Side* from, Form form) {
  from_ = from;
  to_ = nullptr;
  bytes_.clear();
  trailers_.clear();
  owed_ = beside_ = moved_ = 0;
  passed_ = 0;
  form_ = form;
  ends_ = gone_ = false;
}

void Flow::put(std::string_view bytes, bool end) {
  if (gone_) return;
  ends_ |= end;
  if (to_ && bytes_.empty()) {
    auto size = bytes.empty() ? 0 : to_->room(bytes.size());
    bool last = ends_ && size == bytes.size() && trailers_.empty();
    if (size > 0 || last) to_->data(bytes.substr(0, size), last);
    gone_ = last;
    passed_ += size;
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) bytes_.end().append(bytes);
  give_back();
}

void Flow::finish(const Body& last, std::string_view trailers) {
  if (ends_) return;
  if (trailers.empty() || (form_ == Form::wire && !last.wire.empty())) return take(last, true);
  trailers_.assign(trailers);
  ends_ = true;
  drain();
}

void Flow::moved(std::size_t bytes) {
  owed_ += bytes;
  moved_ += bytes;
  passed_ += bytes;
  to_->room(SIZE_MAX);  // drain() is called once there is some again
}

void Flow::drain() {
  if (!to_ || gone_) return;
  if (moved_ > 0) {
    auto* there = to_->takes_moved();
    moved_ = there ? std::min(moved_, there->queued()) : 0;
    give_back();
  }
  if (!bytes_.empty()) {
    auto size = to_->room(bytes_.size());
    if (size == 0) return;
    bool last = ends_ && size == bytes_.size() && trailers_.empty();
    to_->data(bytes_.view().substr(0, size), last);
    bytes_.drop(size);
    gone_ = last;
    passed_ += size;
    give_back();
  }
  if (!ends_ || gone_ || !bytes_.empty()) return;
  gone_ = true;
  if (trailers_.empty())
    to_->data({}, true);
  else
    to_->trailers(trailers_);
}

void Flow::pour() {
  if (!to_ || bytes_.empty()) return;
  to_->data(bytes_.view(), false);
  passed_ += bytes_.size();
  bytes_.clear();
  drain();
}

void Flow::drop(std::size_t bytes) {
  if (from_ && bytes > 0) from_->consumed(bytes);
}

void Flow::give_back() {
  auto held = bytes_.size() + beside_ + moved_;
  if (owed_ <= held) return;
  auto back = owed_ - held;
  owed_ = held;
  if (from_) from_->consumed(back);
}

void Flow::close() {
  drop(owed_);
  begin(nullptr, Form::content);
  gone_ = true;
}

}  // namespace retrial::proxy
