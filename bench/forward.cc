// retrial_forward LISTEN-PORT SERVICE-PORT FOLDER: the proxy as a run has it, with nothing to capture: each client that
// comes gets a connection to the service, every exchange is correlated and written to segments in FOLDER. Ends with
// SIGTERM.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "proxy/proxy.h"
#include "trace/correlator.h"
#include "trace/operation.h"
#include "trace/segment.h"

using namespace retrial;

namespace {

class PassDirector final : public proxy::Director {
 public:
  proxy::Decision at_head(const trace::Exchange& head) override {
    proxy::Decision decision;
    trace::Exchange known = head;
    known.profile = trace::profile_for(head).name();
    known.operation = trace::operation_of(known);
    auto assigned = correlator_.at_head(known);
    decision.profile = std::move(known.profile);
    decision.operation = std::move(known.operation);
    decision.call = assigned.call;
    decision.attempt = assigned.attempt;
    decision.confidence = assigned.confidence;
    return decision;
  }
  void over(const trace::Exchange& exchange) override { correlator_.over(exchange); }

 private:
  trace::Correlator correlator_;
};

class SegmentRecorder final : public proxy::Recorder {
 public:
  explicit SegmentRecorder(trace::SegmentWriter& writer) : writer_(writer) {}
  void head(const trace::Exchange& e) override { check(writer_.head(1, e)); }
  void answer(const trace::Exchange& e) override { check(writer_.answer(1, e)); }
  void fired(const trace::Exchange& e) override { check(writer_.fired(1, e)); }
  void over(const trace::Exchange& e) override { check(writer_.over(1, e)); }

 private:
  static void check(const Result<void>& done) {
    if (done) return;
    std::fprintf(stderr, "retrial_forward: %s\n", done.error().line().c_str());
    std::exit(1);  // a figure without the recording would be no figure
  }
  trace::SegmentWriter& writer_;
};

int listen_on(std::uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  auto at = proxy::Address::v4(INADDR_LOOPBACK, port);
  if (::bind(fd, at.get(), at.size()) || ::listen(fd, 1024)) {
    std::perror("retrial_forward: listen");
    std::exit(1);
  }
  return fd;
}
}  // namespace

int main(int count, char** args) {
  if (count != 4) {
    std::fprintf(stderr, "usage: retrial_forward LISTEN-PORT SERVICE-PORT FOLDER\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  auto service = proxy::Address::v4(INADDR_LOOPBACK, static_cast<std::uint16_t>(std::atoi(args[2])));
  auto writer = trace::SegmentWriter::open(args[3]);
  if (!writer) {
    std::fprintf(stderr, "retrial_forward: %s\n", writer.error().line().c_str());
    return 1;
  }
  trace::Run run;
  run.id = 1;
  (void)(*writer)->begin(run);

  proxy::Loop loop;
  SystemClock clock;
  PassDirector director;
  SegmentRecorder recorder(**writer);
  {
    proxy::Proxy proxy(loop, clock, director, recorder);
    int listener = listen_on(static_cast<std::uint16_t>(std::atoi(args[1])));
    proxy::Watch accepts(loop, listener, 0x02 /* EV_READ */, [&](short) {
      for (int client; (client = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        int dialled = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(dialled, service.get(), service.size())) {
          ::close(dialled);
          ::close(client);
          continue;
        }
        ::fcntl(dialled, F_SETFL, O_NONBLOCK);
        proxy.take({client, dialled, service, ::getpid()});
      }
    });
    proxy::SignalWatch ends(loop, SIGTERM, [&] { loop.stop(); });
    loop.run();
  }
  (void)(*writer)->end(run);
}
