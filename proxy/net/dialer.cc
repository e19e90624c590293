#include "proxy/net/dialer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
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

  Race(Loop& loop, const DialerSettings& settings, std::string host, std::uint16_t port, const DialLimits& limits,
       Done done)
      : loop_(loop),
        settings_(settings),
        host_(std::move(host)),
        port_(port),
        limits_(limits),
        done_(std::move(done)),
        timer_(loop, [this] { time_is_up(); }),
        limit_(loop, [this] { too_late(); }) {}
  Race(const Race&) = delete;

  void begin(StubResolver& resolver) {
    if (limits_.resolve != 0) limit_.set(limits_.resolve);
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

  void too_late() {
    bool resolving = state_ == State::resolving || state_ == State::waiting;
    auto limit = show_duration(resolving ? limits_.resolve : limits_.connect);
    late_ = true;
    failure_ = {resolving ? fmt::format("name resolution: no answer within {}", limit)
                          : fmt::format("connect: no answer within {}", limit),
                {},
                Blame::network};
    tell(std::unexpected(error()));
  }

  void race() {
    auto& known = query_->found();
    for (; may_start_ && tried_.size() < settings_.most_attempts; state_ = State::racing) {
      auto to = next_destination(known, tried_);
      if (!to) break;
      if (state_ != State::racing) connects_since_ = SystemClock().now();
      if (state_ != State::racing && limits_.connect != 0) limit_.set(limits_.connect);
      if (state_ != State::racing && limits_.connect == 0) limit_.cancel();
      start(*to);
    }
    bool all_tried = tried_.size() >= settings_.most_attempts || (!known.ipv4_pending && !known.ipv6_pending);
    if (!may_start_ || !attempts_.empty() || !all_tried) return;
    state_ = State::failed;
    timer_.set(0);
  }

  void start(const Address& to) {
    tried_.push_back(to);
    if (limits_.only && !limits_.only->allows(host_, to)) return bar(to);
    auto attempt =
        std::make_unique<ConnectAttempt>(loop_, to, [this](ConnectAttempt& a, int error) { ended(a, error); });
    if (attempt->refused()) return note(attempt->step(), attempt->refused(), to);
    attempts_.push_back(std::move(attempt));
    may_start_ = false;
    timer_.set(settings_.attempt_delay);
  }

  Nanos left() const {
    if (limits_.connect == 0) return 0;
    return std::max<Nanos>(1, limits_.connect - (SystemClock().now() - connects_since_));
  }

  void ended(ConnectAttempt& attempt, int error) {
    if (error == 0) return tell(attempt.release());
    note(attempt.step(), error, attempt.to());
    std::erase_if(attempts_, [&](auto& a) { return a.get() == &attempt; });
    may_start_ = true;
    race();
  }

  // Told where nothing else is: what could not be connected tells more.
  void bar(const Address& to) {
    if (weight_ > 0) return;
    failure_ = {not_allowed(to), {}, Blame::user};
  }

  void note(const char* step, int error, const Address& to) {
    if (weight(error, to) < weight_) return;
    weight_ = weight(error, to);
    failure_ = fail_errno(step, error, {}, is_ours(error) ? Blame::us : Blame::network).error();
  }
  DialError error() const {
    auto& named = query_->found().failure;
    using Kind = DialError::Kind;
    DialError error{named ? *named : failure_, late_                           ? Kind::late
                                               : failure_.blame == Blame::user ? Kind::barred
                                                                               : Kind::failed};
    if (tried_.size() > 1) error.what += fmt::format(" ({} addresses tried)", tried_.size());
    error.on = fmt::format("{}:{}", host_, port_);
    return error;
  }

  void tell(std::expected<int, DialError> result) {
    auto done = std::move(done_);  // it may destroy this
    timer_.cancel();
    limit_.cancel();
    attempts_.clear();
    query_.reset();
    done(std::move(result));
  }

  Loop& loop_;
  const DialerSettings& settings_;
  std::string host_;
  std::uint16_t port_;
  DialLimits limits_;
  Done done_;
  Timer timer_, limit_;
  std::unique_ptr<StubResolver::Query> query_;
  std::vector<std::unique_ptr<ConnectAttempt>> attempts_;  // under way
  std::vector<Address> tried_;
  State state_ = State::resolving;
  bool may_start_ = true;  // the attempt delay is over, or nothing was started yet, or an attempt has failed
  bool late_ = false;
  Nanos connects_since_ = 0;
  int weight_ = 0;
  Error failure_;
};

Dialer::Dial::Dial(std::unique_ptr<Race> race) : race_(std::move(race)) {}
Dialer::Dial::~Dial() = default;
Nanos Dialer::Dial::left() const { return race_->left(); }

Dialer::Dialer(Loop& loop, DialerSettings settings)
    : loop_(loop), settings_(std::move(settings)), resolver_(loop, settings_.names) {}
Dialer::~Dialer() = default;

std::unique_ptr<Dialer::Dial> Dialer::dial(const std::string& host, std::uint16_t port, const DialLimits& limits,
                                           Done done) {
  auto race = std::make_unique<Dial::Race>(loop_, settings_, host, port, limits, std::move(done));
  race->begin(resolver_);
  return std::unique_ptr<Dial>(new Dial(std::move(race)));
}

Dialer::Look::Look(Loop& loop, StubResolver& names, const std::string& host, std::uint16_t port, Nanos limit,
                   Found found)
    : on_(fmt::format("{}:{}", host, port)),
      limit_(limit),
      found_(std::move(found)),
      later_(loop, [this] { tell(); }),
      limit_timer_(loop, [this] {
        late_ = true;
        tell();
      }) {
  if (limit != 0) limit_timer_.set(limit);
  query_ = names.resolve(host, port, [this] { look(); });
  look();
}

void Dialer::Look::look() {
  auto& known = query_->found();
  if (!known.ipv4_pending && !known.ipv6_pending) later_.set(0);
}

void Dialer::Look::tell() {
  auto& known = query_->found();
  auto all = known.ipv4;
  all.insert(all.end(), known.ipv6.begin(), known.ipv6.end());
  auto found = std::move(found_);  // it may destroy this
  limit_timer_.cancel();
  auto on = on_;
  if (!all.empty()) return found(std::move(all));
  auto why = late_
                 ? Error{fmt::format("name resolution: no answer within {}", show_duration(limit_)), {}, Blame::network}
                 : known.failure.value_or(Error{"no address", {}, Blame::network});
  why.on = on;
  found(std::unexpected(DialError{why, late_ ? DialError::Kind::late : DialError::Kind::failed}));
}

std::unique_ptr<Dialer::Look> Dialer::look(const std::string& host, std::uint16_t port, Nanos limit, Found found) {
  return std::make_unique<Look>(loop_, resolver_, host, port, limit, std::move(found));
}

}  // namespace retrial::proxy
