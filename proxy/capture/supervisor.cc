#include "proxy/capture/supervisor.h"

#include <event2/event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "proxy/capture/channel.h"
#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {

Supervisor::Supervisor(Loop& loop, const Clock& clock, Way way, TreeEvents& events)
    : loop_(loop),
      clock_(clock),
      way_(way),
      events_(events),
      names_(loop, real_, [this](int client, const Claim& claim) { arrived(client, claim); }),
      places_(loop, real_, [this] { names_.accept_waiting(); }) {}

Result<std::unique_ptr<Supervisor>> Supervisor::start(Loop& loop, const Clock& clock, const Launch& launch, Way way,
                                                      TreeEvents& events) {
  std::unique_ptr<Supervisor> made(new Supervisor(loop, clock, way, events));
  if (auto well = made->names_.open(); !well) return std::unexpected(well.error());
  auto guard =
      start_guard(launch, [&](int listener, bool killable) { return made->have_listener(listener, killable); });
  if (!guard) return std::unexpected(guard.error());
  made->guard_ = *guard;
  made->watch_ =
      std::make_unique<Watch>(loop, guard->channel, EV_READ, [self = made.get()](short) { self->guard_says(); });
  return made;
}

Supervisor::~Supervisor() {
  if (guard_.channel < 0) return;
  send_message(guard_.channel, Message::end, 0);
  bury_guard();
}

Result<void> Supervisor::have_listener(int listener, bool killable) {
  auto receiver = Receiver::start(loop_, listener, [this](const seccomp_notif& request) { notified(request); });
  if (!receiver) return std::unexpected(receiver.error());
  receiver_ = std::move(*receiver);
  const RedirectParts parts{names_, sockets_, places_, ledger_, dead_ends_, killable};
  connects_ = std::make_unique<Connects>(loop_, clock_, way_, parts, events_,
                                         [this](int client, const Claim& claim) { arrived(client, claim); });
  peernames_ = std::make_unique<Peernames>(loop_, way_, names_, sockets_);
  return {};
}

void Supervisor::notified(const seccomp_notif& request) {
  count_withdrawn();
  auto notice = std::make_unique<Notice>(receiver_->listener(), request);
  if (notice->call() == SYS_getpeername)
    peernames_->trapped(std::move(notice));
  else
    connects_->trapped(std::move(notice));
}

void Supervisor::arrived(int client, const Claim& claim) {
  if (const auto found = sockets_.redirected.find(claim.inode); found != sockets_.redirected.end())
    found->second.arrived = true;
  places_.arrived(claim.inode);
  events_.connected({client, claim.service, reached(claim.written), claim.process, claim.thread, claim.fault});
}

void Supervisor::count_withdrawn() {
  if (!receiver_) return;  // nothing is captured
  const auto now = receiver_->withdrawn();
  ledger_.counts().interrupted += now - std::exchange(withdrawn_, now);
}

void Supervisor::guard_says() {
  Message message;
  int none = -1;
  if (!receive_message(guard_.channel, message, none)) return over();
  if (message.kind == Message::status) status_ = message.value, has_status_ = true;
  if (message.kind == Message::left_over) ledger_.left_over(message.value, message.text);
  if (message.kind == Message::beyond_us) ledger_.left_over(message.value, message.text, " (not ours to end)");
}

void Supervisor::over() {
  watch_.reset();
  if (receiver_) receiver_->deliver();
  names_.accept_waiting();
  bury_guard();
  count_withdrawn();
  events_.ended(status_);
}

void Supervisor::bury_guard() {
  watch_.reset();
  rusage used{};
  int status = 0;
  const pid_t guard = guard_.process;
  // Until it is gone it may still tell: an unread channel must not hold it up.
  shutdown(guard_.channel, SHUT_RD);
  while (wait4(guard, &status, 0, &used) < 0 && errno == EINTR) {
  }
  const auto nanos = [](const timeval& t) { return t.tv_sec * kSecond + t.tv_usec * 1000; };
  final_cpu_time_ = nanos(used.ru_utime) + nanos(used.ru_stime);
  if (!WIFEXITED(status)) {
    // The guard was killed: its children have fallen to us.
    end_filtered_children();
    if (!has_status_ && waitpid(guard_.command, &status_, WNOHANG) != guard_.command) status_ = SIGKILL;
  }
  close(std::exchange(guard_.channel, -1));
}

void Supervisor::signal(int number) {
  if (guard_.channel >= 0) send_message(guard_.channel, Message::signal, number);
}
void Supervisor::kill() {
  if (guard_.channel >= 0) send_message(guard_.channel, Message::end, 0);
}
Nanos Supervisor::cpu_time() const { return guard_.channel < 0 ? final_cpu_time_ : cpu_time_below(guard_.process); }

}  // namespace retrial::proxy::capture
