#pragma once
#include <memory>
#include <string_view>

#include "proxy/exchange/record.h"
#include "proxy/faults/registry.h"

namespace retrial::proxy {

struct House;

// What becomes of the exchanges of one connection or stream, one after another: what the director has decided, the
// fault that carries it out, and the record. All that does not depend on how the bytes are framed.
struct Fate {
  Fate(House& in, Record made) : house(in), record(std::move(made)) {}

  // The request's head was read, and begins an exchange: Director and Recorder are asked and told.
  void decide(const H1Head& head);
  // What the fault has to be ready for before anything goes on.
  void begin();
  Act ask(Step step) const {
    if (!fault || record.exchange().fired) return Act::pass;
    return fault->at(step, scene());
  }
  bool head_alone() const { return fault && !record.exchange().fired && fault->head_alone(scene()); }
  Scene scene() const { return {record.exchange(), invited, withheld, endless, target, streams, grpc}; }
  void fire(Act act, Nanos now);
  void fire(const Edit& by, Nanos now);
  // The planned fault will not come to be.
  void spare(std::string_view why);
  void over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response);

  House& house;
  Record record;
  const Fault* fault = nullptr;
  std::unique_ptr<Edit> edit;  // of the response
  trace::Answer answer;        // told instead of the service's
  // What a Scene says besides the record.
  bool invited = true;  // to send the body
  bool endless = false;
  bool streams = false;  // HTTP/2
  bool grpc = false;     // a gRPC call, and not gRPC-Web
  std::uint64_t withheld = 0;
  std::string_view target;  // valid while the fault is asked

 private:
  void fired(Nanos now);
  bool asked_ = false;  // the director, of this exchange
};

}  // namespace retrial::proxy
