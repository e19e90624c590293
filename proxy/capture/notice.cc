#include "proxy/capture/notice.h"

#include <sys/ioctl.h>

namespace retrial::proxy::capture {

Notice::~Notice() {
  if (!answered_) pass();
}
bool Notice::alive() const {
  std::uint64_t id = request_.id;
  return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}
bool Notice::pass() { return send(0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE); }
bool Notice::answer(long value, int error_number) { return send(value, -error_number, 0); }
bool Notice::send(long value, int error, std::uint32_t flags) {
  answered_ = true;
  seccomp_notif_resp response{request_.id, value, error, flags};
  return ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

}  // namespace retrial::proxy::capture
