#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/profiles/path_pattern.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {

// What a profile that is data says; docs/profiles.md has its keys, profile_table.h reads them.

// A named value of a message: a header, a query key, or what a JSON pointer leads to in a body.
struct ValuePattern {
  std::string name;
  bool there = true;              // false: it must be missing
  std::vector<std::string> like;  // one of these, in which * stands for anything; empty: whatever it is
};

// All that is said must fit.
struct RequestPattern {
  std::vector<std::string> methods;  // one of these
  std::vector<std::string> hosts;    // globs (base/glob.h), without a port
  std::vector<PathPattern> paths;
  std::vector<ValuePattern> query, request, json, response;  // `json`: of the request's body
  bool fits(const Exchange& exchange) const;
  bool fits_at_head(const Exchange& exchange) const;  // all but `json`
};

struct StatusRange {
  int from = 0, to = 0;
  bool holds(int status) const { return status >= from && status <= to; }
};

struct DataOperation {
  RequestPattern request;
  std::string name;
  std::optional<Repeat> repeat;
  int transient_status = 0;  // 0: the profile's
  std::optional<std::vector<std::string>> created;
};

// An answer that means something else than its status does.
struct DataAnswer {
  std::vector<StatusRange> statuses;
  std::vector<ValuePattern> json;
  std::vector<std::string> texts;  // one of which is in the body
  bool transient = true;
};

struct DataError {
  StatusRange statuses;
  std::string code, message;  // message empty: the reason phrase
  std::string body;           // empty: that of all
};

struct ProfileData {
  std::string name;
  std::vector<RequestPattern> signs;  // any of which
  bool by_operation = false;          // it is also known by its operations
  std::vector<std::string> id_headers, key_headers, key_queries;
  std::vector<DataOperation> operations;  // the first that fits
  std::optional<std::vector<int>> transient;
  std::vector<DataAnswer> answers;  // the first that fits, before `transient`
  int transient_status = 503;
  std::vector<int> timeouts;                        // 408 and 504, where it tells of its own time-outs by them
  std::optional<std::vector<std::string>> created;  // JSON pointers, or names of headers
  std::vector<Header> error_headers;
  std::string error_body;         // with {status} {reason} {code} {message} {marker}; empty: the generic one
  std::vector<DataError> errors;  // the first that holds the status
};

std::shared_ptr<const Profile> profile_of_data(ProfileData data);

}  // namespace retrial::trace
