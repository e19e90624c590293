#pragma once
#include <list>
#include <memory>

#include "proxy/capture/connect.h"
#include "proxy/capture/names.h"

namespace retrial::proxy::capture {

// getpeername: on a socket that was redirected it answers the original address, once its connection has arrived;
// everywhere else, and before, the kernel answers.
class Peernames {
 public:
  Peernames(Loop& loop, Way way, Names& names, const Sockets& sockets)
      : loop_(loop), way_(way), names_(names), sockets_(sockets) {}
  Peernames(const Peernames&) = delete;
  void trapped(std::unique_ptr<Notice> notice);

 private:
  struct Asked {
    std::unique_ptr<Notice> notice;
    ino_t inode = 0;
    int looks = 0;
    std::unique_ptr<Timer> timer;
  };
  bool look(Asked& asked);  // false: look again
  void answer(Notice& notice, const Address& original) const;

  Loop& loop_;
  Way way_;
  Names& names_;
  const Sockets& sockets_;
  std::list<Asked> waiting_;
};

}  // namespace retrial::proxy::capture
