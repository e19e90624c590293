#pragma once
#include <string_view>

namespace retrial::proxy {

// What of the bytes that were just read is not gone through yet. It is empty whenever no Scope is open: bytes that lie
// in a read buffer cannot be looked at later.
class Unread {
 public:
  class Scope {
   public:
    Scope(Unread& unread, std::string_view bytes) : unread_(unread) { unread_.bytes_ = bytes; }
    ~Scope() { unread_.bytes_ = {}; }
    Scope(const Scope&) = delete;

   private:
    Unread& unread_;
  };
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  char front() const { return bytes_.front(); }
  std::string_view view() const { return bytes_; }
  std::string_view take(std::size_t bytes) {
    auto taken = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return taken;
  }
  std::string_view take_all() { return take(bytes_.size()); }

 private:
  std::string_view bytes_;
};

}  // namespace retrial::proxy
