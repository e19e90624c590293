#pragma once
#include <memory>
#include <string>

#include "tests/conversations/pairings_script.h"
#include "tests/support/h2_end.h"

// The ends of a conversation, in either protocol, told the same things and asked for the same.
namespace retrial::test::pairings {

class End {
 public:
  virtual ~End() = default;
  virtual void head(const Shape& shape) = 0;
  virtual void interim(int status) = 0;
  virtual void part(const std::string& bytes, bool last) = 0;
  virtual void end(const Shape& shape) = 0;
  virtual void fin() = 0;
  virtual void rst() = 0;
  virtual void abort(std::string_view code) = 0;
  virtual bool listens() = 0;  // takes what has come; was it something?
  virtual Heard heard(bool head_request) = 0;
  virtual bool gone() = 0;     // its connection, or its stream
  virtual bool goes_on() = 0;  // its connection takes another exchange
  virtual bool asked() = 0;    // a service: the whole head of a request has come
  virtual void next() = 0;     // the same connection, another exchange
  virtual void open() {}       // a window that was shut
  virtual void leaves() = 0;   // the connection, whatever is on it
};
// `client`: it is one; else a service.
std::unique_ptr<End> h1_end(std::unique_ptr<Peer> peer, bool client);
std::unique_ptr<End> h2_end(std::unique_ptr<Peer> peer, bool client, bool shut);

}  // namespace retrial::test::pairings
