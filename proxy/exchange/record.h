#pragma once
#include <string>
#include <vector>

#include "proxy/codec/head.h"
#include "proxy/codec/tap.h"
#include "proxy/exchange/director.h"
#include "proxy/exchange/head_lines.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// The trace's account of a connection's exchanges, one after another, filled as the bytes pass and redacted before
// anything enters it. Uses its storage again, so that a request costs few allocations.
class Record {
 public:
  Record(std::string service, std::int32_t pid, std::uint64_t connection);

  void serves(std::string_view service) { exchange_.service.assign(service); }  // from now on
  // The first byte of a request: whether it is the first of its connection, and its stream there (0: HTTP/1).
  void begin(Nanos now, bool fresh, std::uint32_t stream);
  bool begun() const { return stage_ != Stage::none; }
  bool decided() const { return stage_ == Stage::decided; }  // begun, Director has decided, and it is not over
  // `headers`: the vectors of headers are filled too, for this exchange.
  void head(std::uint64_t id, const Head& head, bool headers);
  const std::string& request_encoding() const { return request_lines_.encoding(); }  // see HeadLines
  void decide(Decision&& decision);
  void decide_nothing() { stage_ = Stage::decided; }
  void request_sample(const BodyTap& body);  // what there is of it by now
  void request_end(const BodyTap& body, Nanos now);
  void answer(const Head& head, Nanos first_byte);
  void trailers(const Head& trailers);  // of the response
  void response_end(const BodyTap& body, Nanos now);
  void forget() { stage_ = Stage::none; }  // begun, and no exchange after all
  // Takes what was seen of bodies that did not come to their end, too.
  void over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response);

  void keep_little();         // it is over, and what is kept for the next is little
  std::size_t holds() const;  // bytes of memory, about
  trace::Exchange& exchange() { return exchange_; }
  const trace::Exchange& exchange() const { return exchange_; }

 private:
  enum class Stage : std::uint8_t { none, begun, decided };
  void clear();
  void response_sample(const BodyTap& body);

  trace::Exchange exchange_;
  HeadLines request_lines_;
  HeadLines response_lines_;
  HeadLines trailer_lines_;
  Stage stage_ = Stage::none;
  bool headers_ = false;
  enum class Sample : std::uint8_t {
    waits,
    taken,
    unreadable
  };  // of a body that is packed none is kept unless it can be read: no secret could be seen in it
  Sample request_sample_ = Sample::waits;
  Sample response_sample_ = Sample::waits;
};

}  // namespace retrial::proxy
