#pragma once
#include <string_view>

#include "trace/profiles/profile.h"

namespace retrial::trace::aws {

// May this action of a JSON or query service be repeated? `service` is the target's prefix ("AmazonSQS",
// "DynamoDB_20120810") or empty, `body` the sample of the request's body or its query.
Repeat repeat_action(std::string_view service, std::string_view action, std::string_view body);

// Codes that the SDKs' standard retry mode takes for "try again": throttling and transient errors.
bool transient_code(std::string_view code);

}  // namespace retrial::trace::aws
