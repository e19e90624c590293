#pragma once
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

namespace retrial::proxy {

// Bytes on their way from one socket to another that stay in the kernel (splice(2)). One thread's; what is let go of is
// used again by that thread.
class Pipe {
 public:
  static constexpr std::size_t kRoom = 256u << 10;  // asked for; the kernel may give less

  static std::unique_ptr<Pipe> take();  // null: there are no descriptors left
  static void let_go(std::unique_ptr<Pipe> pipe);
  ~Pipe();
  Pipe(const Pipe&) = delete;

  std::size_t size() const { return size_; }  // bytes in it
  // As recv(2) and send(2): how many, 0 for the end of input, or -1 and errno. EAGAIN: there is nothing, or no room.
  ssize_t fill(int from, std::size_t most);
  ssize_t empty(int into);
  void read_into(std::string& out);  // all of them, appended

 private:
  Pipe(int out, int in) : out_(out), in_(in) {}
  int out_, in_;
  std::size_t size_ = 0;
};

}  // namespace retrial::proxy
