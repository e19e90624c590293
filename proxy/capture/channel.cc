#include "proxy/capture/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace retrial::proxy::capture {

bool make_channel(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0; }

bool send_message(int channel, Message::Kind kind, int value, const char* text, int descriptor) {
  Message message{kind, value, ""};
  strncpy(message.text, text, sizeof message.text - 1);
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)]{};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  if (descriptor >= 0) {
    packet.msg_control = control;
    packet.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent;
  while ((sent = sendmsg(channel, &packet, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == sizeof message;
}

bool receive_message(int channel, Message& message, int& descriptor) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)]{};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  descriptor = -1;
  ssize_t got;
  while ((got = recvmsg(channel, &packet, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (got != sizeof message) return false;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&packet)) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  message.text[sizeof message.text - 1] = 0;
  return true;
}

}  // namespace retrial::proxy::capture
