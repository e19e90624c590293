#include "proxy/net/stub_resolver.h"

#include <ares.h>

#include "base/text.h"

namespace retrial::proxy {
namespace {

std::optional<Address> literal(std::string host, std::uint16_t port) {
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = "[" + host + "]";
  return Address::parse(host + ":" + std::to_string(port));
}

bool is_localhost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return iequals(host, "localhost") || lower(host).ends_with(".localhost");
}

// Another name of the search list may still have an address. As glibc has it: of these, a server's failure counts most.
bool goes_on(int status) { return status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_ESERVFAIL; }
int weight(int status) {
  return status == ARES_ENOTFOUND ? 0 : status == ARES_ENODATA ? 1 : status == ARES_ESERVFAIL ? 2 : 3;
}

}  // namespace

struct StubResolver::Query::Asked {
  Asked(Loop& loop, std::string host, std::uint16_t port, std::function<void()> changed)
      : host_(std::move(host)), port_(port), changed_(std::move(changed)), later_(loop, [this] { look(); }) {}
  ~Asked() { abandon(); }
  Asked(const Asked&) = delete;

  void know(const std::vector<Address>& addresses) {
    for (auto& address : addresses) (address.family() == AF_INET ? found_.ipv4 : found_.ipv6).push_back(address);
  }
  void ask(std::shared_ptr<AresChannel> channel) {
    channel_ = std::move(channel);
    names_ = channel_->search_list(host_);
    found_.ipv4_pending = found_.ipv6_pending = true;
    ask_next();
  }
  void ask_next() {
    abandon();
    const auto name = names_.front();
    names_.erase(names_.begin());
    // Out of c-ares before anything is done about an answer.
    ipv4_ = channel_->ask(name, AF_INET, port_, [this] { later_.set(0); });
    ipv6_ = channel_->ask(name, AF_INET6, port_, [this] { later_.set(0); });
  }
  void look() {
    if (ipv4_->found.empty() && ipv6_->found.empty()) {
      if (ipv4_->pending || ipv6_->pending) return;
      int worst = weight(ipv4_->status) > weight(ipv6_->status) ? ipv4_->status : ipv6_->status;
      if (worst_ == ARES_SUCCESS || weight(worst) > weight(worst_)) worst_ = worst;
      if (!names_.empty() && goes_on(worst)) return ask_next();
      found_.failure = channel_->error_of(worst_, host_);
    }
    found_.ipv4 = ipv4_->found;
    found_.ipv6 = ipv6_->found;
    found_.ipv4_pending = ipv4_->pending;
    found_.ipv6_pending = ipv6_->pending;
    auto changed = changed_;  // it may destroy this
    changed();
  }
  void abandon() {
    if (ipv4_) channel_->abandon(*ipv4_);
    if (ipv6_) channel_->abandon(*ipv6_);
  }

  Resolution found_;
  std::string host_;
  std::uint16_t port_;
  std::function<void()> changed_;
  Timer later_;
  std::shared_ptr<AresChannel> channel_;
  std::vector<std::string> names_;  // still to be asked for
  std::shared_ptr<Lookup> ipv4_, ipv6_;
  int worst_ = ARES_SUCCESS;
};

StubResolver::Query::Query(std::unique_ptr<Asked> asked) : asked_(std::move(asked)) {}
StubResolver::Query::~Query() = default;
const Resolution& StubResolver::Query::found() const { return asked_->found_; }

StubResolver::StubResolver(Loop& loop, ResolverSettings settings)
    : loop_(loop), settings_(std::move(settings)), hosts_(settings_.hosts) {}
StubResolver::~StubResolver() = default;

std::unique_ptr<StubResolver::Query> StubResolver::resolve(const std::string& host, std::uint16_t port,
                                                           std::function<void()> changed) {
  auto asked = std::make_unique<Query::Asked>(loop_, host, port, std::move(changed));
  auto query = std::unique_ptr<Query>(new Query(std::move(asked)));
  auto& known = *query->asked_;
  auto& failure = known.found_.failure;
  if (auto address = literal(host, port)) {
    known.know({*address});
  } else if (is_localhost(host)) {
    known.know({Address::v4(INADDR_LOOPBACK, port), Address::v6(in6addr_loopback, port)});
  } else if (host.empty() || host.find_first_of(":[]%/") != std::string::npos) {
    failure = Error{"neither a name nor an address", "\"" + host + "\"", Blame::network};
  } else if (auto listed = hosts_.find(host, port); !listed) {
    failure = listed.error();
  } else if (!listed->empty()) {
    known.know(*listed);
  } else if (auto servers = channel(); servers) {
    known.ask(std::move(*servers));
  } else {
    failure = servers.error();
  }
  return query;
}

std::uint64_t StubResolver::edition() {
  auto hosts = FileStamp::of(settings_.hosts), resolv_conf = FileStamp::of(settings_.resolv_conf);
  if (edition_ == 0 || !(hosts == seen_hosts_) || !(resolv_conf == seen_resolv_conf_)) edition_++;
  seen_hosts_ = hosts;
  seen_resolv_conf_ = resolv_conf;
  return edition_;
}

Result<std::shared_ptr<AresChannel>> StubResolver::channel() {
  auto now = FileStamp::of(settings_.resolv_conf);
  if (channel_ && now == read_) return channel_;
  auto opened = AresChannel::open(loop_, settings_);
  if (!opened) return opened;
  read_ = now;
  return channel_ = std::move(*opened);
}

}  // namespace retrial::proxy
