#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/runs.h"

namespace retrial::oracles {

inline constexpr const char* kSent = R"({"event_id":"e-17","type":"paid"})";

inline void sends(Tale& tale, std::string body, std::uint64_t digest = 77) {
  tale.last().request_bytes = body.size();
  tale.last().request_sample = std::move(body);
  tale.last().request_digest = digest;
}

struct Answered {
  int status = 200;
  std::string body;
  std::vector<trace::Header> headers;
};

// A POST whose first answer is lost, and which is sent again.
inline Trial sent_twice(std::string body, Answered first, Answered second, std::string again = {},
                        std::string method = "POST") {
  Trial t;
  t.reference.call("put", method, "/orders");
  sends(t.reference, body);
  t.reference.answers(first.status, first.body, first.headers);
  t.in_case().call("put", method, "/orders");
  sends(t.in_case(), body);
  t.in_case().is_lost(trace::Telling::reset, first.status, first.body, first.headers);
  t.in_case().again(kSecond);
  sends(t.in_case(), again.empty() ? body : again, again.empty() ? 77 : 78);
  t.in_case().answers(second.status, second.body, second.headers).passes();
  return t;
}

}  // namespace retrial::oracles
