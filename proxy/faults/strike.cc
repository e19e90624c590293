#include "proxy/faults/strike.h"

#include <fmt/format.h>

#include "trace/fault_name.h"

namespace retrial::proxy {
using trace::FaultName;
using trace::Point;

std::string sign_of(const trace::FaultSpec& fault) {
  switch (fault.name) {
    case FaultName::reset:
      return "RST";
    case FaultName::close:
      return "FIN";
    case FaultName::rst_stream:
      return fmt::format("RST_STREAM ({})", trace::stream_code(fault.code));
    default:
      return "silence";
  }
}

Act Strike::at(Step step, const Scene& scene) const {
  auto& e = scene.exchange;
  switch (e.fault.point) {
    case Point::before_request:
      return step == Step::request_head ? act_ : Act::pass;
    case Point::idle:
      return step == Step::request_head && !e.fresh ? act_ : Act::pass;
    case Point::after_head:
      return step == Step::head_sent ? act_ : Act::pass;
    case Point::after_request:
      if (step == Step::request_head) return Act::drop;
      return step == Step::request_end ? act_ : Act::pass;
    case Point::after_response_head:
    case Point::in_body:
      return Act::pass;  // the edit's
    case Point::executed:
    case Point::answered:
      break;  // crash alone has these
  }
  return Act::pass;
}

std::string_view Strike::spares(Step step, const Scene& scene) const {
  if (act_ == Act::abort && !scene.streams) return kNeedsStreams;
  if (step == Step::request_head && scene.exchange.fault.point == Point::idle && scene.exchange.fresh)
    return "this connection is fresh, and no idle one";
  return {};
}

bool Strike::head_alone(const Scene& scene) const { return scene.exchange.fault.point == Point::after_head; }

std::unique_ptr<Edit> Strike::edit(const trace::Exchange& exchange, Earlier&) const {
  auto point = exchange.fault.point;
  return point == Point::after_response_head || point == Point::in_body ? cut_edit(exchange.fault) : nullptr;
}

std::string Strike::evidence(Act, const Scene& scene) const {
  auto sign = sign_of(scene.exchange.fault);
  switch (scene.exchange.fault.point) {
    case Point::before_request:
      return fmt::format("{} after the request's head was read; the service heard nothing", sign);
    case Point::idle:
      return fmt::format("{} to a request on a connection that was used before; the service heard nothing", sign);
    case Point::after_head:
      return fmt::format("{} after the service had heard the request's head alone", sign);
    default:
      return fmt::format("{} after the request with {} bytes of body was read; the service heard nothing", sign,
                         scene.exchange.request_bytes);
  }
}

}  // namespace retrial::proxy
