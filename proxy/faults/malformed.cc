// malformed(status-line|header|chunk): a response that no parser may accept (RFC 9112 2.2, 4, 5, 7.1), and FIN after
// it.
#include <fmt/format.h>

#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {
using trace::Malformed;

class MalformedResponse final : public Edit {
 public:
  explicit MalformedResponse(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    auto marker = "retrial-" + exchange.fault_id;
    switch (fault_.part) {
      case Malformed::status_line:
        head.replace(0, fields_begin(head), fmt::format("HTTP/1.1 {}\r\n", marker));
        break;
      case Malformed::header:
        head.insert(fields_begin(head), fmt::format("{} is no header\r\n", marker));
        break;
      case Malformed::chunk:
        if (bodiless) return {.spares = "the response has no body"};
        for (auto name : {"content-length", "transfer-encoding"})
          while (auto field = field_in(head, name)) head.erase(field->line, field->line_end - field->line);
        head.insert(fields_end(head), "Transfer-Encoding: chunked\r\n");
        head.append(marker).append("\r\n");
        return {.act = Act::close, .fires = true};
    }
    return {.fires = true};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    out.append(wire);
    return {.act = last ? Act::close : Act::pass};
  }
  int status(int status) const override { return fault_.part == Malformed::status_line ? 0 : status; }
  std::string evidence(const trace::Exchange&) const override {
    switch (fault_.part) {
      case Malformed::status_line:
        return "a status line without a status, then the service's own fields and body, then FIN";
      case Malformed::header:
        return "a field without a colon in the response's head, and FIN after its body";
      case Malformed::chunk:
        return "a chunk whose size is no number in place of the response's body, then FIN";
    }
    return {};
  }

 private:
  const trace::FaultSpec& fault_;
};

// Frames have no text that could be malformed.
std::string_view needs_text(const Scene& scene) {
  if (!scene.streams) return {};
  switch (scene.exchange.fault.part) {
    case Malformed::status_line:
      return "HTTP/2 has no status line";
    case Malformed::header:
      return "HTTP/2 has no field without a colon";
    case Malformed::chunk:
      return "HTTP/2 has no chunks";
  }
  return {};
}
}  // namespace

const Fault& malformed_fault() {
  static const OfResponse fault(made_of<MalformedResponse>, needs_text);
  return fault;
}

}  // namespace retrial::proxy
