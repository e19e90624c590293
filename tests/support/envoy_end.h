#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/codec/ext_proc.h"

namespace retrial::test {

// What an Envoy says by ext_proc and by its access log, as messages; and what it is answered, in words:
//   "goes on", "answers 503 gone | x-a: b", "answers gRPC 14 try later", "waits 3000 ms", "set etag: x", "adds etag:
//   x", "drops etag"; each behind the number of the part that it answers: "1 goes on".
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string request_headers(const Fields& fields, bool end = true, bool bodies = false);
std::string response_headers(const Fields& fields, bool end = true, std::string_view code_details = {});
std::string body_of(proxy::Processing::Part part, std::string_view bytes, bool end);
std::string response_trailers(const Fields& fields);
std::string in_words(std::string_view processing_response);

// An entry of an access log, and a message of them.
struct Logged {
  int method = 1;  // GET
  std::string authority = "10.0.0.7:8080", path = "/", id;
  Fields request, response;
  int status = 200;
  Nanos began = 0, answered = 0, told = 0;  // of the wall, and since then
  std::string details = "via_upstream";
  bool seen = false, client_left = false;
};
std::string log_of(const std::vector<Logged>& entries);

// The length-prefixed messages of what was heard of a stream.
std::vector<std::string> messages_in(std::string_view bytes);
std::string framed(std::string_view message);

}  // namespace retrial::test
