#include "proxy/exchange/answer.h"

#include "base/text.h"
#include "proxy/codec/reason.h"

namespace retrial::proxy {

trace::Answer own_answer(int status, std::string_view why) {
  trace::Answer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "text/plain"}};
  answer.body.append("retrial: ").append(why).append("\n");
  return answer;
}

std::string head_of(const trace::Answer& answer, const AnswerTo& to) {
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
  return out.append("\r\n");
}

std::string bytes_of(const trace::Answer& answer) { return head_of(answer, {}).append(answer.body); }

}  // namespace retrial::proxy
