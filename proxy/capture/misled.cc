#include "proxy/capture/misled.h"

#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "proxy/capture/dials.h"
#include "trace/fault_name.h"

namespace retrial::proxy::capture {
namespace {
using trace::FaultName;

constexpr Nanos kLongestDial = 2 * kSecond;
constexpr Nanos kFirstPause = kMillisecond;  // at first; each time twice as long, up to
constexpr Nanos kLongestLook = kSecond / 4;

// The thread that was let go on, and what it connects. While that is open it may not have begun yet.
struct Beginner {
  explicit Beginner(const Connect& c) : thread(c.notice->thread()), fd(c.fd()), inode(c.socket.inode) {}
  pid_t thread;
  int fd;
  ino_t inode;
  bool may_begin() const { return inode_of(thread, fd) == inode; }
};

void reset(int fd) {
  const linger at_once{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(fd);
}
}  // namespace

struct Misled::Slow {
  explicit Slow(const Connect& c) : beginner(c) {}
  Beginner beginner;
  Claim claim;      // its service is -1 until it is dialled
  Nanos since = 0;  // when it was sent away, or looked for last
  Nanos pause = kFirstPause;
  bool reached = false;  // the dial is over, well or not
  Address silent;
  Address own;  // the client's own, once it was looked for
  std::optional<Address> from;
  int dialled = -1;
  int error_number = 0;  // why the service was not reached
  int client = -1;
  std::unique_ptr<Watch> watch;
  std::unique_ptr<Timer> timer;
  ~Slow() {
    watch.reset();
    for (const int fd : {claim.service, dialled, client})
      if (fd >= 0) close(fd);
  }
};

struct Misled::Silent {
  Nanos since = 0;
  Beginner beginner;
  bool begun = false;  // was seen to wait
};

Misled::Misled(Loop& loop, const Clock& clock, const RedirectParts& parts, Redirect& redirect, TreeEvents& events,
               std::function<void(int client, const Claim&)> arrived)
    : loop_(loop), clock_(clock), parts_(parts), redirect_(redirect), events_(events), arrived_(std::move(arrived)) {}
Misled::~Misled() = default;

bool Misled::is_for(const trace::FaultSpec& fault) {
  return fault.name == FaultName::refuse_connect || fault.name == FaultName::connect_timeout ||
         fault.name == FaultName::slow_connect;
}

void Misled::begin(ConnectPtr connect, const std::optional<Address>& from) {
  const bool refuses = connect->fault.name == FaultName::refuse_connect;
  const auto kind = refuses ? DeadEnds::Kind::refusing : DeadEnds::Kind::silent;
  const auto end = parts_.dead_ends.lead(kind, connect->written);
  if (!end) {
    events_.met(reached(connect->written), connect->process, connect->fault, "there was no address to lead it to");
    return redirect_.pass(std::move(connect));
  }
  redirect_.mislead(std::move(connect), *end, [this, end = *end, from](const Connect& misled, std::string_view why) {
    events_.met(reached(misled.written), misled.process, misled.fault, why);
    if (!why.empty()) return;
    const ino_t inode = misled.socket.inode;
    if (misled.fault.name == FaultName::slow_connect) return wait(misled, end, from);
    if (misled.fault.name == FaultName::connect_timeout)
      silent_.insert_or_assign(inode, Silent{clock_.now(), Beginner(misled)});
    else if (misled.socket.non_blocking)
      parts_.sockets.refused.insert(inode);
  });
}

void Misled::wait(const Connect& connect, const Address& silent, const std::optional<Address>& from) {
  auto slow = std::make_unique<Slow>(connect);
  slow->claim = {.written = connect.written,
                 .inode = connect.socket.inode,
                 .process = connect.process,
                 .thread = connect.notice->thread()};
  slow->since = clock_.now();
  slow->silent = silent;
  slow->from = from;
  slow->timer = std::make_unique<Timer>(loop_, [this, at = slow.get()] { due(*at); });
  slow->timer->set(connect.fault.delay, Time::client);
  slow_[connect.socket.inode] = std::move(slow);
}

void Misled::due(Slow& slow) {
  if (slow.dialled >= 0) return heard(slow);  // its time is up as well
  const auto& all = waiting(slow.since);
  const auto client = all.find(slow.claim.inode);
  if (client == all.end()) return slow.beginner.may_begin() ? look_again(slow) : over(slow);
  slow.own = client->second;
  return slow.reached ? answer(slow) : dial(slow);
}

void Misled::look_again(Slow& slow) {
  slow.since = clock_.now();
  slow.timer->set(slow.pause);
  slow.pause = std::min(2 * slow.pause, kLongestLook);
}

void Misled::dial(Slow& slow) {
  slow.dialled = begin_dial(reached(slow.claim.written), slow.from);
  if (slow.dialled < 0) {
    slow.error_number = errno;
    return dialled(slow, -1);
  }
  slow.watch = std::make_unique<Watch>(loop_, slow.dialled, EV_WRITE, [this, at = &slow](short) { heard(*at); });
  slow.timer->set(kLongestDial);
}

// Of the dial: it is over, or its time is.
void Misled::heard(Slow& slow) {
  slow.error_number = has_come(slow.dialled) ? pending_error(slow.dialled) : ETIMEDOUT;
  dialled(slow, slow.error_number == 0 ? std::exchange(slow.dialled, -1) : -1);
}

void Misled::dialled(Slow& slow, int service) {
  slow.claim.service = service;
  slow.watch.reset();
  slow.timer->cancel();
  if (slow.dialled >= 0) close(std::exchange(slow.dialled, -1));
  slow.reached = true;
  answer(slow);
}

void Misled::answer(Slow& slow) {
  // Its next call may be getpeername.
  parts_.sockets.redirected[slow.claim.inode] = {reached(slow.claim.written)};
  slow.client = DeadEnds::answer(slow.silent, slow.own);
  if (slow.client < 0) {
    parts_.sockets.redirected.erase(slow.claim.inode);
    return look_again(slow);  // for want of descriptors, say
  }
  if (has_come(slow.client)) return answered(slow);
  slow.watch = std::make_unique<Watch>(loop_, slow.client, EV_WRITE, [this, at = &slow](short) { answered(*at); });
}

void Misled::answered(Slow& slow) {
  slow.watch.reset();
  if (pending_error(slow.client) == 0) {
    const int client = std::exchange(slow.client, -1);
    if (slow.claim.service >= 0) {
      ++parts_.ledger.counts().seen;
      Claim claim = slow.claim;
      slow.claim.service = -1;
      over(slow);
      return arrived_(client, claim);
    }
    reset(client);
    parts_.ledger.failed(slow.claim.written, slow.error_number);
  }
  over(slow);
}

void Misled::over(Slow& slow) {
  if (const auto node = slow_.extract(slow.claim.inode)) loop_.later_delete(std::move(node.mapped()));
}

// Of one that was sent away then. To read the kernel's table takes milliseconds: those whose time is up together share
// it. One that has given up since then answers with an RST.
const std::unordered_map<ino_t, Address>& Misled::waiting(Nanos since) {
  const Nanos now = clock_.now();
  if (read_ > since && now - read_ < 4 * reading_) return waiting_;
  waiting_ = unanswered();
  read_ = now;
  reading_ = clock_.now() - now;
  return waiting_;
}

bool Misled::dialling() const {
  return std::ranges::any_of(slow_, [](auto& one) { return !one.second->timer->in_client_time(); });
}

Nanos Misled::unanswered_since() {
  const Nanos now = clock_.now();
  if (!silent_.empty() && now - looked_ >= kSecond) {
    looked_ = now;
    const auto waiting = unanswered();
    for (auto at = silent_.begin(); at != silent_.end();) {
      auto& [inode, silent] = *at;
      const bool waits = waiting.contains(inode), over = !waits && (silent.begun || !silent.beginner.may_begin());
      silent.begun |= waits;
      at = over ? silent_.erase(at) : std::next(at);
    }
  }
  Nanos oldest = 0;
  for (const auto& [inode, silent] : silent_)
    if (oldest == 0 || silent.since < oldest) oldest = silent.since;
  return oldest;
}

}  // namespace retrial::proxy::capture
