#include "proxy/capture/names.h"

#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace retrial::proxy::capture {
namespace {
constexpr std::uint32_t kMostNames = (1u << 24) - 2;

int listen_on(const Address& address) {
  const int fd = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  if (fd < 0) return -1;
  // All of 127/8 needs the wildcard address: keep the outside out.
  const bool ready = address.family() == AF_INET6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0
                                                  : setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) == 0;
  if (ready && bind(fd, address.get(), address.size()) == 0 && listen(fd, 4096) == 0) return fd;
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return -1;
}

Address own_address(int fd) {
  Address address;
  socklen_t size = sizeof address.storage_;
  getsockname(fd, address.get(), &size);
  return address;
}

int accept_one(int listener) { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

void refuse(int client) {
  const linger at_once{1, 0};
  setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(client);
}

std::string key(const Address& address) { return {reinterpret_cast<const char*>(address.get()), address.size()}; }
}  // namespace

struct Names::Port {
  int listener = -1;
  std::uint16_t number = 0;
  Address written;
  Claim claim;  // service < 0: none is on its way
  std::unique_ptr<Watch> watch;
};

Names::Names(Loop& loop, const Clock& clock, std::function<void(int, const Claim&)> arrived, Nanos life)
    : loop_(loop), clock_(clock), life_(life), arrived_(std::move(arrived)), claims_(1), expiry_(loop, [this] {
        expire();
      }) {}

Names::~Names() {
  watch_.reset();
  if (listener_ >= 0) close(listener_);
  for (const auto& claim : claims_)
    if (claim.service >= 0) close(claim.service);
  for (const auto& [number, port] : ports_) {
    port->watch.reset();
    close(port->listener);
    if (port->claim.service >= 0) close(port->claim.service);
  }
}

Result<void> Names::open() {
  listener_ = listen_on(Address::v4(INADDR_ANY, 0));
  if (listener_ < 0) return fail_errno("cannot listen on the device lo", errno, "127.0.0.0/8");
  listener_port_ = own_address(listener_).port();
  watch_ = std::make_unique<Watch>(loop_, listener_, EV_READ, [this](short) { accept_names(); });
  return {};
}

std::optional<Address> Names::give(Claim claim) {
  claim.until = clock_.now() + life_;
  std::optional<Address> name;
  if (claim.written.family() == AF_INET6 && !claim.written.mapped()) {
    name = give_port(claim);
  } else if (claims_.size() <= kMostNames) {
    const auto ip = 127u << 24 | static_cast<Index>(claims_.size());
    claims_.push_back(claim);
    name = Address::v4(ip, listener_port_);
    if (claim.written.family() == AF_INET6) {
      in6_addr mapped{};
      mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
      const std::uint32_t network_order = htonl(ip);
      std::memcpy(&mapped.s6_addr[12], &network_order, sizeof network_order);
      name = Address::v6(mapped, listener_port_);
    }
  }
  if (!name) return name;
  if (expiries_.empty()) expiry_.set(life_);
  expiries_.emplace_back(claim.until, *name);
  return name;
}

std::optional<Address> Names::give_port(const Claim& claim) {
  auto& free = free_ports_[key(claim.written)];
  if (free.empty()) {
    const int listener = listen_on(Address::v6(in6addr_loopback, 0));
    if (listener < 0) return std::nullopt;
    auto made = std::make_unique<Port>();
    made->listener = listener;
    made->number = own_address(listener).port();
    made->written = claim.written;
    made->watch =
        std::make_unique<Watch>(loop_, listener, EV_READ, [this, port = made.get()](short) { accept_port(*port); });
    free.push_back(made.get());
    ports_[made->number] = std::move(made);
  }
  Port* port = free.front();
  free.pop_front();
  port->claim = claim;
  ++ports_on_their_way_;
  return Address::v6(in6addr_loopback, port->number);
}

Names::Index Names::index(const Address& address) const {
  if (address.port() != listener_port_ || address.ip4() >> 24 != 127) return 0;
  const Index i = address.ip4() & 0xffffff;
  return i < claims_.size() ? i : 0;
}

Names::Port* Names::port(const Address& address) const {
  if (address.family() != AF_INET6 || !IN6_IS_ADDR_LOOPBACK(&address.ip6())) return nullptr;
  const auto found = ports_.find(address.port());
  return found == ports_.end() ? nullptr : found->second.get();
}

Claim* Names::claim(const Address& name) {
  if (const Index i = index(name)) return &claims_[i];
  Port* p = port(name);
  return p ? &p->claim : nullptr;
}

bool Names::on_its_way(const Address& name) const {
  const Claim* found = const_cast<Names*>(this)->claim(name);
  return found && found->service >= 0;
}

std::optional<Address> Names::written(const Address& name) const {
  if (const Index i = index(name)) return claims_[i].written;
  if (const Port* p = port(name)) return p->written;
  return std::nullopt;
}

void Names::withdraw(const Address& name) {
  Claim* found = claim(name);
  if (!found || found->service < 0) return;
  close(std::exchange(found->service, -1));
  if (Port* p = port(name)) {
    --ports_on_their_way_;
    free_ports_[key(p->written)].push_back(p);
  }
}

void Names::accept_waiting() {
  accept_names();
  if (ports_on_their_way_ == 0) return;
  std::vector<Port*> waiting;  // arrivals may add ports
  for (const auto& [number, port] : ports_)
    if (port->claim.service >= 0) waiting.push_back(port.get());
  for (Port* port : waiting) accept_port(*port);
}

void Names::accept_names() {
  for (int client; (client = accept_one(listener_)) >= 0;) {
    const Index i = index(own_address(client));
    if (i && claims_[i].service >= 0)
      arrive(client, claims_[i]);
    else
      refuse(client);
  }
}

void Names::accept_port(Port& port) {
  for (int client; (client = accept_one(port.listener)) >= 0;) {
    if (port.claim.service < 0) {
      refuse(client);
      continue;
    }
    --ports_on_their_way_;
    free_ports_[key(port.written)].push_back(&port);
    arrive(client, port.claim);
  }
}

void Names::arrive(int client, Claim& claim) {
  const Claim was = claim;
  claim.service = -1;
  arrived_(client, was);
}

void Names::expire() {
  const Nanos now = clock_.now();
  for (; !expiries_.empty() && expiries_.front().first <= now; expiries_.pop_front()) {
    const auto& [until, name] = expiries_.front();
    // A port may have been given again since.
    if (const Claim* found = claim(name); found && found->until == until) withdraw(name);
  }
  if (!expiries_.empty()) expiry_.set(expiries_.front().first - now);
}

}  // namespace retrial::proxy::capture
