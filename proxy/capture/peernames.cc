#include "proxy/capture/peernames.h"

#include <algorithm>
#include <cerrno>

#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {
constexpr Nanos kPeernamePause = kMillisecond / 2;
constexpr int kLooks = 4;
}  // namespace

void Peernames::trapped(std::unique_ptr<Notice> notice) {
  const ino_t inode = inode_of(notice->thread(), static_cast<int>(notice->argument(0)));
  Asked asked{std::move(notice), inode, 0, nullptr};
  if (look(asked)) return;
  const auto at = waiting_.insert(waiting_.end(), std::move(asked));
  at->timer = std::make_unique<Timer>(loop_, [this, at] {
    if (look(*at))
      waiting_.erase(at);
    else
      at->timer->set(kPeernamePause);
  });
  at->timer->set(kPeernamePause);
}

bool Peernames::look(Asked& asked) {
  auto found = sockets_.redirected.find(asked.inode);
  if (found != sockets_.redirected.end() && !found->second.arrived) {
    names_.accept_waiting();
    found = sockets_.redirected.find(asked.inode);
  }
  if (found == sockets_.redirected.end()) return asked.notice->pass(), true;
  if (found->second.arrived) return answer(*asked.notice, found->second.original), true;
  // It may be on its way: ENOTCONN must come from the kernel, but only after a further look.
  if (++asked.looks < kLooks) return false;
  asked.notice->pass();
  return true;
}

void Peernames::answer(Notice& notice, const Address& original) const {
  const pid_t thread = notice.thread();
  const ClientMemory memory(thread);
  ClientSocket socket;
  if (way_ == Way::getfd) look_at(socket, way_, thread, process_of(thread), static_cast<int>(notice.argument(0)));
  if (!memory.readable() || !notice.alive()) {
    notice.pass();
    return;
  }
  if (socket.duplicate >= 0) {
    Address now;
    socklen_t size = sizeof now.storage_;
    if (getpeername(socket.duplicate, now.get(), &size) != 0) {  // not connected any more, say
      notice.answer(0, errno);
      return;
    }
  }
  socklen_t room = 0;
  const socklen_t full = original.size();
  if (memory.read(notice.argument(2), &room, sizeof room) != sizeof room || static_cast<int>(room) < 0) {
    notice.pass();  // EFAULT or EINVAL is due
    return;
  }
  const bool written = memory.write(notice.argument(1), original.get(), std::min(room, full)) &&
                       memory.write(notice.argument(2), &full, sizeof full);
  notice.answer(0, written ? 0 : EFAULT);
}

}  // namespace retrial::proxy::capture
