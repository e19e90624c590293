#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "proxy/capture/supervisor.h"
#include "proxy/capture/tree.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kPatience = 5 * kSecond;
constexpr int kWrongPeer = 200;  // beyond every errno

// In the child: connects once, as a client would. Its exit status is what went wrong.
int connect_once(void* to) {
  const auto& address = *static_cast<const Address*>(to);
  Address mine = address;  // by rewrite it is replaced
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, mine.get(), mine.size()) != 0) return errno;
  Address peer;
  socklen_t size = sizeof peer.storage_;
  if (getpeername(fd, peer.get(), &size) != 0) return errno;
  return peer == address ? 0 : kWrongPeer;
}

class Seen final : public TreeEvents {
 public:
  Seen(Loop& loop, Address wanted) : loop_(loop), wanted_(wanted) {}
  void connected(Captured connection) override {
    right = connection.original == wanted_;
    close(connection.client);
    close(connection.service);
  }
  void ended(int status) override {
    wait_status = status;
    has_ended = true;
    loop_.stop();
  }
  bool right = false;
  bool has_ended = false;
  int wait_status = 0;

 private:
  Loop& loop_;
  Address wanted_;
};

Result<void> capture_one(Way way, int listener) {
  Address service;
  socklen_t size = sizeof service.storage_;
  getsockname(listener, service.get(), &size);
  Loop loop;
  const SystemClock clock;
  Seen seen(loop, service);
  Timer patience(loop, [&] { loop.stop(); });
  capture::Launch launch;
  launch.probe = connect_once;
  launch.probe_context = &service;
  auto tree = capture::Supervisor::start(loop, clock, launch, way, seen);
  if (!tree) return std::unexpected(tree.error());
  patience.set(kPatience);
  loop.run();
  const std::string on = fmt::format("capture by {}", show(way));
  if (!seen.has_ended) return fail("a child's connect was not answered", on);
  const auto& not_seen = (*tree)->counts().not_seen;
  if (!seen.right)
    return fail("a child's connect was not seen: " + (not_seen.empty() ? "no reason known" : not_seen.front()), on);
  const int status = WIFEXITED(seen.wait_status) ? WEXITSTATUS(seen.wait_status) : -1;
  if (status == kWrongPeer) return fail("a child's connect was seen, but getpeername tells another address", on);
  if (status != 0)
    return fail(fmt::format("a child's connect failed: {}", status < 0 ? "killed" : std::strerror(status)), on);
  return {};
}
}  // namespace

Result<void> try_way(Way way) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Address any_port = Address::v4(INADDR_LOOPBACK, 0);
  if (listener < 0 || bind(listener, any_port.get(), any_port.size()) != 0 || listen(listener, 8) != 0) {
    const int error_number = errno;
    if (listener >= 0) close(listener);
    return fail_errno("cannot listen on loopback", error_number, "127.0.0.1");
  }
  auto well = capture_one(way, listener);
  close(listener);
  return well;
}

Result<Way> choose_way() {
  const char* forced = std::getenv("RETRIAL_CAPTURE");
  const std::string_view wanted = forced ? forced : "";
  if (!wanted.empty() && wanted != show(Way::getfd) && wanted != show(Way::rewrite))
    return fail(fmt::format("unknown way of capture \"{}\"; expected getfd or rewrite", wanted), "RETRIAL_CAPTURE",
                Blame::user);
  Result<void> well;
  for (const Way way : {Way::getfd, Way::rewrite}) {
    if (!wanted.empty() && wanted != show(way)) continue;
    if ((well = try_way(way))) return way;
    if (well.error().on == "seccomp") break;  // then no way works
  }
  return std::unexpected(well.error());
}

}  // namespace retrial::proxy
