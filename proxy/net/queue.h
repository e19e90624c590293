#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace retrial::proxy {

// Bytes that wait to be sent. What has gone is taken away in big steps, and an empty queue keeps little room.
class Queue {
 public:
  std::string_view view() const { return std::string_view(bytes_).substr(gone_); }
  std::size_t size() const { return bytes_.size() - gone_; }
  bool empty() const { return size() == 0; }
  std::size_t holds() const { return bytes_.capacity(); }
  std::string& end() { return bytes_; }  // to append to
  void drop(std::size_t bytes);          // from the front
  void clear() { drop(size()); }

 private:
  std::string bytes_;
  std::size_t gone_ = 0;
};

}  // namespace retrial::proxy
