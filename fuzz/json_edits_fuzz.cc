// What grow and another-page make of any answer: one piece or two, the same bytes, and JSON where it was.
#include <cstdlib>
#include <string>

#include "proxy/faults/earlier.h"
#include "proxy/faults/registry.h"
#include "trace/fault_name.h"

using namespace retrial;

namespace {

std::string edited(const trace::Exchange& e, std::string_view body, std::size_t cut) {
  proxy::Earlier earlier;
  auto edit = proxy::fault_named(e.fault.name)->edit(e, earlier);
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", out;
  if (!edit->head(head, e, body.empty()).spares.empty()) return std::string(body);
  edit->body(body.substr(0, cut), false, out);
  edit->body(body.substr(cut), true, out);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  trace::Exchange e;
  e.host = "127.0.0.1:8000";
  e.fault.name = data[0] & 1 ? trace::FaultName::grow : trace::FaultName::another_page;
  e.fault.by = 2 + data[1];
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  auto line = text.find('\n');  // the request's target stands before the body
  if (line != text.npos) e.target = text.substr(0, line);
  auto body = line == text.npos ? text : text.substr(line + 1);
  if (edited(e, body, 0) != edited(e, body, body.size() / 2)) std::abort();
  return 0;
}
