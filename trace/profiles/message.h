#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/profiles/profile.h"

// What profiles read off a message: parts of a target, fields of a body's sample. Samples may end anywhere.
namespace retrial::trace::message {

std::string_view folder_of(std::string_view path);   // "/a" of "/a/b"
std::string_view path_of(std::string_view target);   // without query; origin or absolute form
std::string_view query_of(std::string_view target);  // after the '?', or empty
// The raw value of a query or form key, "" where the key stands alone; nothing where it is missing.
std::optional<std::string_view> value_of(std::string_view query, std::string_view key);
std::vector<std::string_view> segments(std::string_view path);  // the parts between slashes, empty ones left out

// The text of each <tag> that is closed within the sample, joined by a space.
std::string xml_texts(std::string_view body, std::string_view tag);
// The string values of each "key" at any depth, joined by a space.
std::string json_texts(std::string_view body, std::string_view key);
bool json_has(std::string_view body, std::string_view key);
// The scalar value of a key of the outermost object, as it stands; empty where there is none.
std::string_view json_top(std::string_view body, std::string_view key);

std::string_view reason_of(int status);  // RFC 9110 15, or "Unknown"
bool succeeded(const Exchange& e);       // the service answered 2xx

bool safe_method(std::string_view method);        // RFC 9110 9.2.1
bool idempotent_method(std::string_view method);  // RFC 9110 9.2.2, safe ones included
// The value of the first of key_headers() that it has; empty: none.
std::string_view guarding_key(const Exchange& e);
// If-Match, If-None-Match, If-Unmodified-Since (RFC 9110 13.1), Upload-Offset (tus 1.0; the IETF's resumable uploads):
// a second execution is refused, or changes nothing.
bool conditional(const Exchange& e);
// Headers that carry an idempotency key which the service itself is asked to honour, in lower case. Tracing ids are
// none.
std::span<const std::string_view> key_headers();
// One of them is there, or a member of a JSON body that means the same.
bool keyed(const Exchange& e);
// The same, or such a member anywhere in the body: among the arguments of a call.
bool keyed_within(const Exchange& e);
// A word that a client chose, as part of an operation's name: without white space, of at most 80 characters.
std::string name_of_operation(std::string_view text);

// A read that was answered by a body which does not show by itself where it ends (neither JSON nor XML, nor packed),
// while its framing does: a file, lines of text or of JSON. Not gRPC.
bool opaque(const Exchange& e);

// By method, keys and conditions alone.
Repeat plain_repeat(const Exchange& e);
// An error as a reverse proxy or load balancer before a service gives it: HTML, whatever the service speaks.
Answer plain_error(const Exchange& e, int status, std::string_view marker);
// No body for HEAD, and the marker's header.
Answer finished(Answer answer, const Exchange& e, std::string_view marker);

}  // namespace retrial::trace::message
