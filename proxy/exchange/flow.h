#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/exchange/sides.h"
#include "proxy/net/queue.h"

namespace retrial::proxy {

// One direction of an exchange: a body on its way from one side to the other. What comes goes on at once, as far as the
// other side has room for it; the rest waits here, and the side that sent it is owed for that long.
class Flow {
 public:
  void begin(Side* from, Form form);  // anew; nothing goes on until open()
  // The head has gone before; `ended`: and the message with it.
  void open(Side& to, bool ended) {
    to_ = &to;
    ends_ |= ended;
    gone_ = ended;
  }
  void stays_content() { form_ = Form::content; }

  void take(const Body& body, bool end) {  // as it was read
    owed_ += body.content.size();
    put(form_ == Form::wire && !body.wire.empty() ? body.wire : body.content, end);
  }
  void finish(const Body& last, std::string_view trailers);  // its end, unless it has come before
  void owe(std::size_t bytes) { owed_ += bytes; }            // of what was read, and is made into something else
  void put(std::string_view bytes, bool end);                // made of it, or in its place
  void drop(std::size_t bytes);                              // read, and not passed on
  // Where its bytes may go without being seen, null: nowhere; and so many have.
  Socket* moves_to() const { return to_ && bytes_.empty() && !ends_ ? to_->takes_moved() : nullptr; }
  void moved(std::size_t bytes);
  void drain();                                              // the other side may have room again
  void pour();                                               // all that waits goes on now, be there room or not
  void keeps_beside(std::size_t bytes) { beside_ = bytes; }  // of what was read, somewhere else than here
  void give_back();                                          // what is not held any more

  bool ended() const { return gone_; }  // its end has gone on
  bool empty() const { return bytes_.empty(); }
  std::size_t waiting() const { return bytes_.size(); }
  std::size_t holds() const { return bytes_.holds() + trailers_.capacity(); }
  std::uint64_t passed() const { return passed_; }  // bytes that have gone on
  void forget_source() { from_ = nullptr; }         // it is not owed any more
  void close();                                     // nothing goes on any more, and nothing is owed

 private:
  Side* from_ = nullptr;
  Side* to_ = nullptr;
  Queue bytes_;
  std::string trailers_;
  std::size_t owed_ = 0, beside_ = 0, moved_ = 0;  // moved_: as far as it waits there
  std::uint64_t passed_ = 0;
  Form form_ = Form::content;
  bool ends_ = false;  // behind what waits
  bool gone_ = false;
};

}  // namespace retrial::proxy
