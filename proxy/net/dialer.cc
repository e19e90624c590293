#include "proxy/net/dialer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "proxy/net/connect_attempt.h"

namespace retrial::proxy {
namespace {

bool is_ours(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

// How much an attempt's errno tells of why the service cannot be reached: nothing where the address was out of reach
// from the start, as IPv6 is on many machines.
int weight(int error, const Address& to) {
  if (is_ours(error)) return 4;
  if (error == EADDRNOTAVAIL && to.family() == AF_INET) return 4;  // no port of ours is left towards it
  if (error == ECONNREFUSED) return 3;
  return error == ENETUNREACH || error == EADDRNOTAVAIL || error == EAFNOSUPPORT ? 1 : 2;
}

}  // namespace

std::optional<Address> next_destination(const Resolution& known, std::span<const Address> tried) {
  bool six = !tried.empty() && tried.back().family() == AF_INET;
  for (bool of_six : {six, !six})
    for (auto& address : of_six ? known.ipv6 : known.ipv4)
      if (std::ranges::find(tried, address) == tried.end()) return address;
  return {};
}

struct Dialer::Dial::Race {
  enum class State { resolving, waiting, racing, failed };

  Race(Loop& loop, const DialerSettings& settings, std::string host, std::uint16_t port, Done done)
      : loop_(loop),
        settings_(settings),
        host_(std::move(host)),
        port_(port),
        done_(std::move(done)),
        timer_(loop, [this] { time_is_up(); }) {}
  Race(const Race&) = delete;

  void begin(StubResolver& resolver) {
    query_ = resolver.resolve(host_, port_, [this] { step(); });
    step();
  }

  void step() {
    auto& known = query_->found();
    if (state_ == State::resolving && known.ipv4.empty() && known.ipv4_pending && !known.ipv6.empty()) {
      state_ = State::waiting;
      timer_.set(settings_.resolution_delay);
    } else if (state_ == State::racing || !known.ipv4.empty() || !known.ipv4_pending) {
      race();
    }
  }

  void time_is_up() {
    if (state_ == State::failed) return tell(std::unexpected(error()));
    may_start_ = true;
    race();
  }

  void race() {
    auto& known = query_->found();
    for (; may_start_ && tried_.size() < settings_.most_attempts; state_ = State::racing) {
      auto to = next_destination(known, tried_);
      if (!to) break;
      start(*to);
    }
    bool all_tried = tried_.size() >= settings_.most_attempts || (!known.ipv4_pending && !known.ipv6_pending);
    if (!may_start_ || !attempts_.empty() || !all_tried) return;
    state_ = State::failed;
    timer_.set(0);
  }

  void start(const Address& to) {
    tried_.push_back(to);
    auto attempt =
        std::make_unique<ConnectAttempt>(loop_, to, [this](ConnectAttempt& a, int error) { ended(a, error); });
    if (attempt->refused()) return note(attempt->step(), attempt->refused(), to);
    attempts_.push_back(std::move(attempt));
    may_start_ = false;
    timer_.set(settings_.attempt_delay);
  }

  void ended(ConnectAttempt& attempt, int error) {
    if (error == 0) return tell(attempt.release());
    note(attempt.step(), error, attempt.to());
    std::erase_if(attempts_, [&](auto& a) { return a.get() == &attempt; });
    may_start_ = true;
    race();
  }

  void note(const char* step, int error, const Address& to) {
    if (weight(error, to) < weight_) return;
    weight_ = weight(error, to);
    failure_ = fail_errno(step, error, {}, is_ours(error) ? Blame::us : Blame::network).error();
  }
  Error error() const {
    auto& named = query_->found().failure;
    auto error = named ? *named : failure_;
    if (tried_.size() > 1) error.what += fmt::format(" ({} addresses tried)", tried_.size());
    error.on = fmt::format("{}:{}", host_, port_);
    return error;
  }

  void tell(Result<int> result) {
    auto done = std::move(done_);  // it may destroy this
    timer_.cancel();
    attempts_.clear();
    query_.reset();
    done(std::move(result));
  }

  Loop& loop_;
  const DialerSettings& settings_;
  std::string host_;
  std::uint16_t port_;
  Done done_;
  Timer timer_;
  std::unique_ptr<StubResolver::Query> query_;
  std::vector<std::unique_ptr<ConnectAttempt>> attempts_;  // under way
  std::vector<Address> tried_;
  State state_ = State::resolving;
  bool may_start_ = true;  // the attempt delay is over, or nothing was started yet, or an attempt has failed
  int weight_ = 0;
  Error failure_;
};

Dialer::Dial::Dial(std::unique_ptr<Race> race) : race_(std::move(race)) {}
Dialer::Dial::~Dial() = default;

Dialer::Dialer(Loop& loop, DialerSettings settings)
    : loop_(loop), settings_(std::move(settings)), resolver_(loop, settings_.names) {}
Dialer::~Dialer() = default;

std::unique_ptr<Dialer::Dial> Dialer::dial(const std::string& host, std::uint16_t port, Done done) {
  auto race = std::make_unique<Dial::Race>(loop_, settings_, host, port, std::move(done));
  race->begin(resolver_);
  return std::unique_ptr<Dial>(new Dial(std::move(race)));
}

}  // namespace retrial::proxy
