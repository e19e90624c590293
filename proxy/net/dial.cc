#include "proxy/net/dial.h"

#include <event2/dns.h>
#include <event2/event.h>
#include <event2/util.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace retrial::proxy {
namespace {

std::optional<Address> literal(std::string host, std::uint16_t port) {
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = "[" + host + "]";
  return Address::parse(host + ":" + std::to_string(port));
}

// RFC 6761 6.3; a container's /etc/hosts need not have it.
bool is_localhost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return evutil_ascii_strcasecmp(std::string(host).c_str(), "localhost") == 0 || host.ends_with(".localhost");
}

}  // namespace

struct Resolver::State {
  Loop& loop;
  evdns_base* base = nullptr;
  ~State() {
    if (base) evdns_base_free(base, 0);
  }
  // The files are read with the first name that needs them.
  evdns_base* names() {
    if (base) return base;
    base = evdns_base_new(loop.base(), EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    if (!base) return nullptr;
    evdns_base_resolv_conf_parse(base, DNS_OPTIONS_ALL, "/etc/resolv.conf");
    if (evdns_base_count_nameservers(base) == 0) evdns_base_nameserver_ip_add(base, "127.0.0.1");
    evdns_base_set_option(base, "randomize-case:", "0");  // some small servers answer in lower case alone
    return base;
  }
};

// What evdns calls back outlives a query that was given up: it then finds no query.
struct Resolver::Query::Asked {
  struct Link {
    Asked* query;
  };
  Asked(Loop& loop, Done done) : done_(std::move(done)), later_(loop, [this] { tell(); }) {}
  ~Asked() {
    if (link_) link_->query = nullptr;
    if (request_) evdns_getaddrinfo_cancel(request_);
  }
  Asked(const Asked&) = delete;

  void answer(Result<Address> result) {
    result_ = std::move(result);
    later_.set(0);
  }
  void ask(evdns_base* base, const std::string& host, std::uint16_t port) {
    evutil_addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    host_ = host;
    link_ = new Link{this};
    asking_ = true;
    auto* request = evdns_getaddrinfo(base, host.c_str(), std::to_string(port).c_str(), &hints, on_answer, link_);
    asking_ = false;
    if (link_) request_ = request;
  }

  static void on_answer(int error, evutil_addrinfo* found, void* arg) {
    std::unique_ptr<Link> link(static_cast<Link*>(arg));
    if (auto* query = link->query) query->heard(error, found);
    if (found) evutil_freeaddrinfo(found);
  }
  void heard(int error, const evutil_addrinfo* found) {
    link_ = nullptr;
    request_ = nullptr;
    const evutil_addrinfo* best = nullptr;
    for (auto* a = found; a; a = a->ai_next)
      if (!best || (a->ai_family == AF_INET && best->ai_family != AF_INET)) best = a;
    if (error || !best || best->ai_addrlen > sizeof(sockaddr_storage)) {
      result_ = fail(error ? evutil_gai_strerror(error) : "the name has no address", host_, Blame::network);
    } else {
      Address address;
      std::memcpy(address.get(), best->ai_addr, best->ai_addrlen);
      result_ = address;
    }
    if (asking_)
      later_.set(0);
    else
      tell();
  }
  void tell() {
    auto done = std::move(done_);  // it may destroy this
    auto result = std::move(result_);
    done(std::move(result));
  }

  Done done_;
  Result<Address> result_ = Address();
  std::string host_;
  Timer later_;
  Link* link_ = nullptr;
  evdns_getaddrinfo_request* request_ = nullptr;
  bool asking_ = false;
};

Resolver::Query::Query(std::unique_ptr<Asked> asked) : asked_(std::move(asked)) {}
Resolver::Query::~Query() = default;

Resolver::Resolver(Loop& loop) : state_(new State{loop}) {}
Resolver::~Resolver() = default;

std::unique_ptr<Resolver::Query> Resolver::resolve(const std::string& host, std::uint16_t port, Done done) {
  auto asked = std::make_unique<Query::Asked>(state_->loop, std::move(done));
  if (auto address = literal(host, port))
    asked->answer(*address);
  else if (is_localhost(host))
    asked->answer(Address::v4(INADDR_LOOPBACK, port));
  else if (auto* names = state_->names())
    asked->ask(names, host, port);
  else
    asked->answer(fail("the resolver cannot be set up", host));
  return std::unique_ptr<Query>(new Query(std::move(asked)));
}

Result<int> begin_connect(const Address& to) {
  int fd = ::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail_errno("socket", errno, to.show());
  if (::connect(fd, to.get(), to.size()) == 0 || errno == EINPROGRESS) return fd;
  int error = errno;
  ::close(fd);
  return fail_errno("connect", error, to.show(), Blame::network);
}

}  // namespace retrial::proxy
