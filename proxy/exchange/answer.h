#pragma once
#include <string>
#include <string_view>

#include "trace/profiles/profile.h"

namespace retrial::proxy {

// Why a request got no further than us: "retrial: WHY" as plain text.
trace::Answer own_answer(int status, std::string_view why);

struct AnswerTo {
  int minor = 1;            // HTTP/1.minor of the request
  bool keep_alive = false;  // the connection stays
};

// Its head as text, with Content-Length and, where it is needed, Connection.
std::string head_of(const trace::Answer& answer, const AnswerTo& to);
// All of it, to somebody who is told nothing after it.
std::string bytes_of(const trace::Answer& answer);

}  // namespace retrial::proxy
