#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/net/loop.h"

namespace retrial::proxy {

class Socket;

class SocketEvents {
 public:
  virtual ~SocketEvents() = default;
  // Something can be read, what was queued has gone out, or the peer is gone. The socket must outlive the call.
  virtual void ready(Socket& socket) = 0;
};

// A connected, non-blocking stream socket with its queue of bytes to be sent. Owns the fd. Level-triggered: what is
// left unread is told again.
class Socket {
 public:
  enum class Got { bytes, nothing, fin, rst };
  struct Read {
    Got got;
    std::size_t bytes = 0;
  };

  Socket(Loop& loop, int fd, SocketEvents& events);
  ~Socket();  // closes
  Socket(const Socket&) = delete;

  // Whether it shall be told that something can be read. On at first. A reset is told as well when off, once the peer's
  // FIN was read.
  void listen(bool on);
  // fin and rst are told once, and nothing after them but rst after fin.
  Read read(char* into, std::size_t size);

  // Sends or queues. Big pieces go out at once, small ones with flush(), together.
  void write(std::string_view bytes);
  void flush();
  std::size_t queued() const { return queue_.size() - sent_; }

  void finish();  // FIN, once all that is queued has gone out
  void reset();   // RST, at once; what is queued is lost
  void close();   // FIN, at once, also with input unread that has come so far
  bool open() const { return fd_ >= 0; }
  bool finished() const { return finished_; }  // our FIN is out, or will be after what is queued
  bool ended() const { return ended_; }        // its FIN was read
  bool broken() const { return broken_; }      // a write met a reset; read() tells of it after what can still be read
  bool gone() const;                           // it was reset, whether read() has told so or not

 private:
  static void on_event(int fd, short what, void* self);
  std::size_t send(std::string_view first, std::string_view second);
  void sent(std::size_t bytes);
  void drain();
  void watch_write(bool on);
  void watch_edges();
  void drop_events();

  Loop& loop_;
  SocketEvents& events_;
  int fd_;
  event* read_;
  event* write_ = nullptr;
  std::string queue_;
  std::size_t sent_ = 0;  // of queue_
  bool listens_ = true;
  bool write_armed_ = false;
  bool finished_ = false;
  bool fin_sent_ = false;
  bool ended_ = false;
  bool broken_ = false;
  bool rst_told_ = false;
};

}  // namespace retrial::proxy
