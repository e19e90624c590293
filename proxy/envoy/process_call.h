#pragma once
#include <memory>
#include <string>

#include "proxy/codec/ext_proc.h"
#include "proxy/codec/tap.h"
#include "proxy/envoy/call.h"
#include "proxy/envoy/head.h"
#include "proxy/envoy/services.h"
#include "proxy/exchange/injection.h"
#include "proxy/exchange/rpc.h"

namespace retrial::proxy {

// One exchange of an Envoy's as ext_proc tells of it (docs/staging-mesh.md). The Envoy carries it; the fault of it is
// carried out by what it is answered.
//
//   state     what comes                 next       what is done
//   asked     request headers            locating   Director and Recorder are asked and told; there is a fault, and
//                                                   where the service is is not known
//                                        delayed    the Envoy is asked to be patient
//                                        waiting    the request goes on
//                                        told       an immediate answer
//   locating  it is found out            delayed, waiting, told
//   delayed   the time is over, let_go   waiting    the request goes on
//   waiting   response headers           telling    they go on, perhaps changed; more of the response will be told of
//                                        told       the same, and no more will; or an immediate answer
//   telling   the response's end, or the stream's
//                                        told
//   asked, locating, delayed, waiting
//             the stream's end           told       the client has left
class ProcessCall final : public EnvoyCall {
 public:
  ProcessCall(Connections& context, EnvoyServices& services, EnvoyWire& wire, std::uint64_t connection);

  void begin(std::uint32_t stream, bool fresh);
  std::uint32_t stream() const { return stream_; }

  void message(std::string_view message) override;
  void said_all() override;
  void gone() override;
  void let_go() override;
  void end_run() override;
  bool open() const override { return state_ > State::asked && state_ < State::told; }
  bool waits_for_service() const override { return state_ == State::waiting || state_ == State::telling; }
  std::size_t holds() const override;

 private:
  enum class State : std::uint8_t { asked, locating, delayed, waiting, telling, told };
  void refuse(int grpc_code, std::string_view why);
  void request();
  void located();
  void release();
  void response();
  void body();
  void trailers();
  void goes_on(Processing::Part part);
  void change(const Head& head, bool end);
  void answer();
  void spare(std::string_view why);
  void say();
  void over(trace::Ending ending);
  trace::Exchange& record() { return injection_.record.exchange(); }

  Connections& context_;
  EnvoyServices& services_;
  EnvoyWire& wire_;
  Injection injection_;
  BodyTap request_tap_{true}, response_tap_{false};
  Rpc rpc_;
  EnvoyHead head_;
  Processing seen_;
  std::string out_;
  std::vector<std::string> tags_;  // the agents' headers, which are none of the service's
  std::shared_ptr<ServicePool> service_;
  std::unique_ptr<Dialer::Look> look_;
  std::unique_ptr<Timer> timer_;
  std::uint32_t stream_ = 0;
  State state_ = State::asked;
  bool observing_ = false, bodies_ = false;
};

}  // namespace retrial::proxy
