#include "proxy/exchange/answer.h"

#include <llhttp.h>

#include "base/text.h"

namespace retrial::proxy {
namespace {
std::string_view reason_of(int status) {
  switch (status) {
#define RETRIAL_REASON(number, name, text) \
  case number:                             \
    return #text;
    HTTP_STATUS_MAP(RETRIAL_REASON)
#undef RETRIAL_REASON
    default:
      return "Error";
  }
}
}  // namespace

std::string bytes_of(const trace::Answer& answer, const AnswerTo& to) {
  bool bodiless = answer.status == 204 || answer.status == 304;
  std::string out = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  out.append(answer.reason.empty() ? reason_of(answer.status) : std::string_view(answer.reason)).append("\r\n");
  for (auto& h : answer.headers) {
    if (iequals(h.name, "content-length") || iequals(h.name, "connection")) continue;
    out.append(h.name).append(": ").append(h.value).append("\r\n");
  }
  if (!bodiless) out.append("Content-Length: ").append(std::to_string(answer.body.size())).append("\r\n");
  if (!to.keep_alive)
    out.append("Connection: close\r\n");
  else if (to.minor == 0)
    out.append("Connection: keep-alive\r\n");
  out.append("\r\n");
  if (!bodiless && !to.head) out.append(answer.body);
  return out;
}

}  // namespace retrial::proxy
