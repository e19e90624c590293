#pragma once
#include <string>
#include <string_view>

#include "trace/profiles/profile.h"

namespace retrial::proxy {

// Why a request got no further than us: "retrial: WHY" as plain text.
trace::Answer own_answer(int status, std::string_view why);

struct AnswerTo {
  bool head = false;        // the request was HEAD: everything but the body is sent
  int minor = 1;            // HTTP/1.minor of the request
  bool keep_alive = false;  // the connection stays
};

// An answer of ours as bytes, with Content-Length and, where it is needed, Connection.
std::string bytes_of(const trace::Answer& answer, const AnswerTo& to);

}  // namespace retrial::proxy
