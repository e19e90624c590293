#pragma once
#include <string>

namespace retrial::proxy {

// What an operator asks of the admin side, and what is answered.
struct AdminRequest {
  std::string method;
  std::string path;   // without the query
  std::string query;  // as sent
  std::string body;
  std::string if_match, if_none_match;
  std::string user_agent;
  std::string who;  // for the audit log: "uid 0 (pid 12)", "127.0.0.1:4711"
};
struct AdminResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::string etag = {};
  std::string allow = {};  // of 405
  bool events = false;     // a stream of what is published goes on behind `body`, which is its first events
};

}  // namespace retrial::proxy
