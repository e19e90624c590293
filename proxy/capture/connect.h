#pragma once
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "proxy/capture/client_memory.h"
#include "proxy/capture/client_socket.h"
#include "proxy/capture/notice.h"
#include "proxy/net/address.h"
#include "trace/fault_spec.h"

namespace retrial::proxy::capture {

// One connect() of the tree that waits for our answer.
struct Connect {
  explicit Connect(std::unique_ptr<Notice> trapped) : notice(std::move(trapped)), memory(notice->thread()) {}

  std::unique_ptr<Notice> notice;
  ClientMemory memory;
  ClientSocket socket;
  Address written;  // by the client: the original, also where a name of ours has replaced it
  pid_t process = 0;
  trace::FaultSpec fault;  // that it meets

  int fd() const { return static_cast<int>(notice->argument(0)); }
  std::uint64_t place() const { return notice->argument(1); }  // of the address, in the client's memory
};
using ConnectPtr = std::shared_ptr<Connect>;

// What is known of the tree's TCP sockets, by inode, which dup, fork and passing keep.
struct Sockets {
  struct Redirected {
    Address original;
    bool arrived = false;  // we have accepted it
  };
  std::unordered_map<ino_t, Redirected> redirected;
  std::unordered_set<ino_t> native;  // may have begun to connect without us
  // By us, while their connect did not wait: the next one only hears of it, from the kernel.
  std::unordered_set<ino_t> refused;
};

// What the kernel makes of an address: 0.0.0.0 and :: are this host.
Address reached(const Address& written);

}  // namespace retrial::proxy::capture
