#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/profiles/error_shape.h"

namespace retrial::trace {

// What an OpenAPI description (3.x, https://spec.openapis.org/oas/latest.html; or 2.0) tells of a service's errors.
class OpenApi {
 public:
  // JSON or YAML. An error, blamed on the user, names the file and what is wrong: it cannot be read, is no description,
  // or an error response refers to what is not in it.
  static Result<std::shared_ptr<const OpenApi>> parse(std::string_view text, const std::string& file_name);

  // The error with this status of the operation that is asked: its response for the status, for the class ("5XX"), or
  // `default`; the response's example, or a value made from its schema. Null: none is described.
  const ErrorShape* error(const Exchange& head, int status) const;

 private:
  struct Described {
    std::string status;  // "503", "5XX", "DEFAULT"
    ErrorShape shape;
  };
  struct Operation {
    std::string method;
    std::vector<std::string> paths;  // globs: below each server's path, and as it stands
    std::vector<Described> errors;
  };
  friend class OpenApiReader;
  std::vector<Operation> operations_;  // those with fewer places in their paths first
};

// Of services, by "host:port".
using Descriptions = std::map<std::string, std::shared_ptr<const OpenApi>>;
// OpenApi::error of the service that is asked; null: there is none.
const ErrorShape* described_error(const Descriptions& descriptions, const Exchange& head, int status);

}  // namespace retrial::trace
