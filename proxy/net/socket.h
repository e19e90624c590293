#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/net/loop.h"
#include "proxy/net/queue.h"

namespace retrial::proxy {

class Pace;
class Pipe;
class Socket;
class TlsEnd;

class SocketEvents {
 public:
  virtual ~SocketEvents() = default;
  // Something can be read, what was queued has gone out, it is ready to send, or the peer is gone. The socket must
  // outlive the call.
  virtual void ready(Socket& socket) = 0;
};

// A non-blocking stream socket with its queue of bytes to be sent. Owns the fd. Level-triggered: what is left unread is
// told again.
class Socket {
 public:
  // failed: it could not be connected, or TLS failed; failure() says why. Told once, and nothing after it.
  enum class Got { bytes, nothing, fin, rst, failed };
  struct Read {
    Got got;
    std::size_t bytes = 0;
  };

  // `connecting`: a connect is under way (dial.h); what is written waits until it is through, and ready() tells of
  // that.
  Socket(Loop& loop, int fd, SocketEvents& events, bool connecting = false);
  ~Socket();  // closes
  Socket(const Socket&) = delete;

  void hand_to(SocketEvents& events);  // another is told of events from now on

  // From here on what is read and written is the inside of TLS. What was put back is the beginning of the outside; what
  // is written from now on waits until the handshake is through. ready() is called when it is, or has failed. A peer's
  // close_notify reads as fin, and so does a FIN without one; ours goes before a FIN (RFC 8446 6.1) if the handshake is
  // through and no piece of a record waits.
  void secure(std::unique_ptr<TlsEnd> tls);
  const TlsEnd* tls() const { return tls_.get(); }

  // Whether it shall be told that something can be read. On at first. A reset is told as well when off, once the peer's
  // FIN was read.
  void listen(bool on);
  // fin and rst are told once, and nothing after them but rst after fin.
  Read read(char* into, std::size_t size);
  // Bytes that read() would give, where no TLS is on and nothing was put back; 0: none, for now or for good.
  std::size_t peek(char* into, std::size_t size);
  // To be read (again) before all else; where TLS is on it is of the inside. The owner calls read() itself: no event
  // tells of it.
  void put_back(std::string_view bytes);
  bool has_back() const { return !back_.empty(); }

  // Sends or queues. Big pieces go out at once, small ones with flush(), together.
  void write(std::string_view bytes);
  void flush() {
    if (!write_armed_ && (queued() > 0 || finished_)) drain();
  }
  std::size_t queued() const { return queue_.size() + inside_.size() + (pipe_ ? moved() : 0); }
  // What is read goes on to `to` as it is, without passing through us (splice(2)): up to `most` bytes join what is
  // queued there. Only where that one takes_moved(). `nothing`: there is nothing to be read, or that cannot be done
  // now, which read() will show.
  Read move_to(Socket& to, std::size_t most);
  bool takes_moved() const;
  // A token bucket on what leaves from now on. 0 bytes a second: as fast as it goes.
  void pace(std::uint64_t bytes_per_second, std::uint64_t burst);
  void drip(std::uint64_t bytes, Nanos every);      // or so many at a time, with a pause between
  bool paced_out() const;                           // what is queued waits for nothing else
  std::uint64_t passed() const { return passed_; }  // bytes that came from the peer and went to it, of TLS the outside
  std::size_t holds() const;                        // bytes of memory, about

  // Its kernel is asked every so many seconds whether it knows this connection: ready() where it does not.
  void watch_peer(int seconds);
  void finish();  // FIN, once all that is queued has gone out
  // TLS: its FIN came without close_notify, so what it has said may be cut short (RFC 8446 6.1); and ours shall.
  bool cut() const;
  void cut_end();
  // FIN, after close_notify unless the other's came without.
  void finish_as(const Socket& other);
  void reset();  // RST, at once; what is queued is lost
  void close();  // FIN, at once, also with input unread that has come so far
  bool open() const { return fd_ >= 0; }
  bool ready_to_send() const { return open() && !connecting_ && !shaking_ && !failed_; }
  bool finished() const { return finished_; }  // our FIN is out, or will be after what is queued
  bool ended() const { return ended_; }        // its FIN was read
  bool broken() const {
    return broken_;
  }  // a write or a peek met a reset; read() tells of it after what can still be read
  bool gone() const;    // it was reset or has failed, whether read() has told so or not
  bool silent() const;  // connected, and nothing that has been heard of it is unread
  const std::string& failure() const { return failure_; }

 private:
  struct Paced;
  static void on_event(int fd, short what, void* self);
  void connected();
  void fail(std::string why);
  Read take(char* into, std::size_t size);
  Read taken(std::ptrdiff_t bytes);
  std::size_t send(std::string_view first, std::string_view second);
  void broke();
  void drain();
  void after_drain(bool full);
  std::size_t allowed(std::size_t size);
  void pace_by(const Pace& pace);
  void watch_read();
  void watch_write(bool on);
  void watch_edges();
  void drop_events();
  void end_events();

  // socket_move.cc
  std::size_t moved() const;
  bool drain_moved();
  void keep_moved();

  // TLS (socket_tls.cc)
  void shake();
  Read read_inside(char* into, std::size_t size);
  Read after_inside();
  Read gather();
  void keep();
  void write_inside(std::string_view bytes);
  void drain_inside();
  bool more_inside() const;
  void tell_later();

  Loop& loop_;
  SocketEvents* events_;
  int fd_;
  event* read_;
  event* write_ = nullptr;
  Queue queue_;
  Queue inside_;                // not yet made into records
  std::string back_;            // put back
  std::string records_;         // of the outside of TLS, not yet opened: the piece of a record, mostly
  std::unique_ptr<Pipe> pipe_;  // behind queue_
  std::unique_ptr<TlsEnd> tls_;
  std::unique_ptr<Paced> paced_;
  std::unique_ptr<Timer> later_;
  std::string failure_;
  std::uint64_t passed_ = 0;
  bool connecting_;
  bool shaking_ = false;
  bool listens_ = true;
  bool read_armed_ = false;
  bool write_armed_ = false;
  bool finished_ = false;
  bool fin_sent_ = false;
  bool ended_ = false;
  bool broken_ = false;
  bool rst_told_ = false;
  bool failed_ = false;
  bool failure_told_ = false;
};

}  // namespace retrial::proxy
