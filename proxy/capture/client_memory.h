#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace retrial::proxy::capture {

// The memory of a thread of the tree, through /proc/TID/mem: bound to that very process for as long as it is open, and
// able to write what the program itself cannot (constant addresses), as long as it is private to the process.
class ClientMemory {
 public:
  explicit ClientMemory(pid_t thread);
  ~ClientMemory();
  ClientMemory(const ClientMemory&) = delete;

  bool readable() const { return fd_ >= 0; }
  int error_number() const { return error_number_; }  // why it is not
  // Bytes read, fewer at the end of a mapping; -1 with errno if none.
  ssize_t read(std::uint64_t at, void* to, std::size_t size) const;
  bool write(std::uint64_t at, const void* from, std::size_t size) const;  // all of it or false

 private:
  int fd_;
  int error_number_;
};

}  // namespace retrial::proxy::capture
