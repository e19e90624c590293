#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proxy/proxy.h"

namespace retrial::test {

// One end of a TCP connection over loopback that says and hears what a test tells it to.
class Peer {
 public:
  Peer(proxy::Loop& loop, int fd) : loop_(loop), fd_(fd) {}
  ~Peer() { close(); }
  Peer(const Peer&) = delete;

  void say(std::string_view bytes);  // all of it, in one write where the kernel takes it so
  std::size_t say_what_fits(std::string_view bytes);
  void finish();  // FIN, reading on
  void close();   // as a process that is done with it
  void reset();   // RST

  // Each runs the proxy until it is so, and fails the test where it does not come to be.
  void hears(std::string_view bytes);        // exactly these bytes next
  std::string hears_some(std::size_t size);  // that many
  std::size_t waiting();                     // bytes that have come and were not yet heard
  void hears_fin();
  void hears_rst();
  void hears_nothing();             // no byte, no FIN, no RST, once all that is under way has come
  std::string take();               // what has come and was not yet heard
  std::string_view how_it_ended();  // "FIN", "RST", or "" so far
  bool has_ended();                 // of what has come: FIN, or RST

 private:
  enum class End { none, fin, rst };
  void listen();
  bool was_reset() const;
  proxy::Loop& loop_;
  int fd_;
  std::string heard_;
  End end_ = End::none;
};

// A service's listener on loopback, whose connections are accepted as a test asks for them.
class Listener {
 public:
  explicit Listener(proxy::Loop& loop);
  ~Listener();
  Listener(const Listener&) = delete;

  std::uint16_t port() const { return port_; }
  std::string authority() const;
  std::unique_ptr<Peer> accepts();  // runs the proxy until somebody has connected; fails the test where nobody does
  std::unique_ptr<Peer> accepts_if_any();  // of what has come; else null
  void accepts_nobody();                   // nobody has connected, once all that is under way has come

 private:
  proxy::Loop& loop_;
  int fd_;
  std::uint16_t port_;
};

// Chooses what the test has planned for the n-th exchange (from 1), and keeps what it was told.
class PlannedDirector final : public proxy::Director {
 public:
  void plan(std::uint64_t exchange, trace::FaultSpec fault, trace::Answer answer = {});
  proxy::Decision at_head(const trace::Exchange& head) override;
  void over(const trace::Exchange& exchange) override;

  bool keeps_responses() const override { return keeps; }
  bool reads_headers() const override { return decides; }
  bool strikes() const override { return decides; }
  proxy::ConnectDecision at_connect(const proxy::Connecting&) override;

  bool awaits_body(const trace::Exchange&) const override { return awaits; }

  bool keeps = false;
  bool awaits = false;  // the body, before it is asked
  bool decides = true;
  std::vector<trace::FaultSpec> connections;  // what the next ones meet
  std::vector<trace::Exchange> heads;
  std::vector<std::uint64_t> ended;

 private:
  std::map<std::uint64_t, proxy::Decision> plans_;
};

// Keeps records as they come: "head 1", "answer 1", "fired 1", "over 1".
class KeepingRecorder final : public proxy::Recorder {
 public:
  void head(const trace::Exchange& e) override { note("head", e); }
  void answer(const trace::Exchange& e) override { note("answer", e); }
  void fired(const trace::Exchange& e) override { note("fired", e); }
  void over(const trace::Exchange& e) override;

  std::vector<std::string> order;
  std::vector<trace::Exchange> exchanges;  // that are over

 private:
  void note(std::string_view what, const trace::Exchange& e);
};

// A conversation between clients, the proxy and a service, all in the test's own thread: nobody speaks unless told to,
// and the proxy runs while somebody listens.
class Conversation : public ::testing::Test {
 protected:
  struct Line {  // a client connection and the service's end of it
    std::unique_ptr<Peer> client, service;
  };
  Line connect();
  std::unique_ptr<Peer> enter(
      std::shared_ptr<const proxy::ListenerOptions> options,  // a client, at a listener of the proxy
      const proxy::Address& original = {});                   // transparent: what it meant to reach
  void start(proxy::Options options);                         // another proxy, with these
  void run_until(const std::function<bool()>& so);
  void quiet();                                        // until nothing is under way any more
  const trace::Exchange& exchange(std::size_t n = 1);  // that is over, from 1

  proxy::Loop loop;
  SystemClock clock;
  PlannedDirector director;
  KeepingRecorder recorder;
  std::unique_ptr<proxy::Proxy> proxy = std::make_unique<proxy::Proxy>(loop, clock, director, recorder);
  int buffers = 0;  // bytes of the sockets' buffers; 0: the kernel's own choice
};

}  // namespace retrial::test
