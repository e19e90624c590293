#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "proxy/exchange/record.h"
#include "proxy/faults/registry.h"

namespace retrial::proxy {

struct Context;

// What is done to the exchanges of one side, one after another: what the director has decided, the fault that carries
// it out, and the record of both.
struct Injection {
  Injection(Context& in, Record made, bool on_streams) : context(in), record(std::move(made)), streams(on_streams) {}

  // The request's head was read, and begins an exchange.
  void take(const Head& head);
  bool awaits_body() const;
  // Director and Recorder are asked and told.
  void decide(const Head& head);
  // What the fault has to be ready for before anything goes on.
  void begin();
  Act ask(Step step) const {
    if (!fault || record.exchange().fired) return Act::pass;
    return fault->at(step, scene());
  }
  bool head_alone() const { return fault && !record.exchange().fired && fault->head_alone(scene()); }
  Scene scene() const;
  void fire(Act act);
  void fire(const Edit& by);
  // The process of this exchange's client is ended; false: it is none that may be, and the fault will not come to be.
  bool end_process();
  // The planned fault will not come to be.
  void spare(std::string_view why);
  // The same, where there is one and it has not fired.
  void spare_unfired(std::string_view why) {
    if (fault && !record.exchange().fired) spare(why);
  }
  void over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response);

  Context& context;
  Record record;
  const Fault* fault = nullptr;
  std::unique_ptr<Edit> edit;  // of the response
  trace::Answer answer;        // told instead of the service's
  // What a Scene says besides the record.
  std::uint64_t withheld = 0;
  std::string target;  // as it was sent; only where there is a fault
  bool invited = true;
  bool endless = false;
  bool streams;
  bool grpc = false;
  bool paced = false;  // the fault has taken hold of the connection's rate

 private:
  void fired();
  bool asked_ = false;  // the director, of this exchange
};

}  // namespace retrial::proxy
