#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "trace/secrets/names.h"

namespace retrial::trace {

// Secrets are replaced by `***` before they enter an Exchange (docs/redaction.md says which). What only looks like one
// is kept, because attempts are told apart by it: idempotency and client tokens, continuation and page tokens.
inline constexpr std::string_view kRedacted = "***";

// Do the messages of this RPC hold a secret, going by its path? Their fields have no names on the wire: no sample of
// them is kept then. "/etcdserverpb.Auth/UserAdd"
bool secret_call(std::string_view path);

// Each appends to `out`.
void redact_header(std::string_view name, std::string_view value, std::string& out);  // the value
void redact_value(std::string_view value, std::string& out);    // of a header whose name is no secret's
bool has_secrets(std::string_view value);                       // would redact_value() change it?
void redact_target(std::string_view target, std::string& out);  // of a request
void redact_body(std::string_view sample, std::string& out);    // which may be cut anywhere

// From now on redact_body() appends nothing. Before any thread redacts.
void keep_no_bodies();

// Texts of ours: a message of a client or a service, a command by its words ("--token" takes the next).
std::string redacted(std::string_view text);
std::vector<std::string> redacted_command(const std::vector<std::string>& command);

}  // namespace retrial::trace
