#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "proxy/capture/redirect.h"

namespace retrial::proxy::capture {
namespace {
class ByRewrite final : public Redirect {
 public:
  explicit ByRewrite(const RedirectParts& parts) : parts_(parts) {}

  void redirect(ConnectPtr connect, int service) override {
    enter(connect, [this, connect, service] { return redirect_now(*connect, service); });
  }
  // Another thread that shares the address may have had it replaced meanwhile: the kernel must not read that one's
  // name.
  void pass(ConnectPtr connect) override {
    if (!connect->memory.readable() || connect->written.size() == 0) {
      connect->notice->pass();
      return;
    }
    enter(connect, [this, connect] { return pass_now(*connect); });
  }
  void mislead(ConnectPtr connect, const Address& dead_end, Done done) override {
    enter(connect, [this, connect, dead_end, done = std::move(done)] { return mislead_now(*connect, dead_end, done); });
  }

 private:
  void enter(const ConnectPtr& connect, std::function<bool()> answer) {
    const Places::Place place{connect->process, connect->place()};
    parts_.places.enter(place, {connect->notice->thread(), connect->socket.inode}, std::move(answer));
  }

  bool redirect_now(Connect& connect, int service) {
    auto& notice = *connect.notice;
    if (!notice.alive()) {
      close(service);
      return gone(notice);
    }
    // A name that was put here for another process (shared memory): its reader may not have come yet.
    if (const auto there = present(connect); there && still_on_its_way(*there)) {
      close(service);
      return unable(connect, "its address is shared between processes");
    }
    const auto name = parts_.names.give(
        {service, connect.written, connect.socket.inode, connect.process, connect.notice->thread(), 0, connect.fault});
    if (!name || !write(connect, *name)) {
      if (name)
        parts_.names.withdraw(*name);
      else
        close(service);
      return unable(connect, "its address could not be replaced");
    }
    parts_.sockets.redirected[connect.socket.inode] = {reached(connect.written)};
    if (!notice.pass()) {
      parts_.names.withdraw(*name);
      parts_.sockets.redirected.erase(connect.socket.inode);
      return gone(notice);
    }
    ++parts_.ledger.counts().seen;
    return true;
  }

  bool mislead_now(Connect& connect, const Address& dead_end, const Done& done) {
    auto& notice = *connect.notice;
    if (!notice.alive()) {
      done(connect, "its client was gone");
      return gone(notice);
    }
    const auto there = present(connect);
    if ((there && still_on_its_way(*there)) || !write(connect, dead_end)) {
      done(connect, "its address could not be replaced");
      return unable(connect, "its address could not be replaced");
    }
    parts_.sockets.native.insert(connect.socket.inode);
    done(connect, {});
    return notice.pass() || gone(notice);
  }

  bool unable(Connect& connect, std::string_view why) {
    parts_.ledger.unreadable(connect.written, why);
    parts_.sockets.native.insert(connect.socket.inode);
    return pass_now(connect);
  }

  bool pass_now(Connect& connect) {
    if (const auto there = present(connect); there && written_for(parts_, *there)) write(connect, connect.written);
    return connect.notice->pass() || gone(*connect.notice);
  }

  bool still_on_its_way(const Address& name) {
    if (parts_.names.on_its_way(name)) parts_.names.accept_waiting();
    return parts_.names.on_its_way(name);
  }

  std::optional<Address> present(const Connect& connect) const {
    Address there;
    const auto size = static_cast<ssize_t>(connect.written.size());
    if (connect.memory.read(connect.place(), there.get(), static_cast<std::size_t>(size)) < size) return std::nullopt;
    if (there.family() != AF_INET && there.family() != AF_INET6) return std::nullopt;
    return there;
  }

  // Port and address only; flow and scope stay.
  static bool write(const Connect& connect, const Address& address) {
    constexpr std::size_t from = offsetof(sockaddr_in, sin_port);
    if (address.family() == AF_INET)
      return connect.memory.write(connect.place() + from, reinterpret_cast<const char*>(address.get()) + from, 6);
    Address whole = address;
    reinterpret_cast<sockaddr_in6&>(whole.storage_).sin6_flowinfo =
        reinterpret_cast<const sockaddr_in6&>(connect.written.storage_).sin6_flowinfo;
    return connect.memory.write(connect.place() + from, reinterpret_cast<const char*>(whole.get()) + from, 22);
  }

  bool gone(const Notice& notice) {
    if (!parts_.killable && kill(notice.thread(), 0) == 0) ++parts_.ledger.counts().interrupted;
    return false;
  }

  RedirectParts parts_;
};
}  // namespace

std::unique_ptr<Redirect> redirect_by_rewrite(const RedirectParts& parts) { return std::make_unique<ByRewrite>(parts); }

}  // namespace retrial::proxy::capture
