#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "deploy/nft/messages.h"

namespace retrial::deploy {
namespace {

std::unexpected<Error> refused(int error_number) {
  if (error_number == EPERM || error_number == EACCES)
    return fail("the right CAP_NET_ADMIN is needed, in the network namespace that is meant", "nf_tables", Blame::user);
  if (error_number == EOPNOTSUPP || error_number == ENOENT || error_number == EAFNOSUPPORT ||
      error_number == EPROTONOSUPPORT)
    return fail_errno("this kernel has no NAT in tables of the family inet (Linux 5.2, nft_chain_nat, nft_redir)",
                      error_number, "nf_tables", Blame::user);
  return fail_errno("the kernel refuses these rules", error_number, "nf_tables");
}

// Reads what the kernel has against it: each message that fails is answered, and nothing else is.
Result<void> answers(int fd) {
  alignas(nlmsghdr) std::array<char, 8192> buffer;
  while (true) {
    auto got = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);  // a batch is over when send() returns
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    auto left = static_cast<unsigned>(got);
    for (auto* head = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type != NLMSG_ERROR) continue;
      auto error_number = -static_cast<nlmsgerr*>(NLMSG_DATA(head))->error;
      if (error_number != 0) return refused(error_number);
    }
  }
}

}  // namespace

Result<void> commit(NftBatch batch) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
  if (fd < 0) return refused(errno);
  auto bytes = batch.finish();
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  auto sent = sendto(fd, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&kernel), sizeof kernel);
  auto done = sent < 0 ? Result<void>(refused(errno)) : answers(fd);
  close(fd);
  return done;
}

}  // namespace retrial::deploy
