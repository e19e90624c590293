#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::trace {

inline constexpr std::size_t kUnreadSample = 256;  // of a body whose parts nobody reads (bytes, images): for the eye

// Was its body held back until the service asked for it, which it never did (Expect: 100-continue, RFC 9110 10.1.1)?
bool unsent_body(const Exchange& e);

// Equal for two bodies of the same content: without boundary, times, and what signatures, nonces, dates and counters
// are known by, their names.
// 0: nothing can be said of it.
std::uint64_t content_key(const Exchange& exchange);

// --- What of a request's content stays from one attempt to the next.

// Names of fields, '-', '_' and '.' left out: of a key by which a service knows a request again; of what a client makes
// anew for each attempt (signatures, nonces, dates, counters).
bool is_key_name(std::string_view name);
bool is_volatile_name(std::string_view name);
// Is the body packed (gzip, signed chunks), and what it holds not known? Else the sample and the digest are of that.
bool packed(const Exchange& e);
// The body as far as it was kept, its multipart boundary taken out; and whether that is all of it.
std::string sample_of(const Exchange& e);
bool whole_sample(const Exchange& e);
// Bytes of a body that says how long it is, or is kept whole.
std::optional<std::int64_t> size_of(const Exchange& e);
// What of the body before is left in the one that follows, of the same method and target: how a file or a stream looks
// that the first attempt has read and nobody has rewound. `emptied`: all but one value, or one part of a form.
// `other`: it is as long, or something else, or says itself that it is a part (Content-Range, Upload-Offset and the
// like). Only in bodies that are kept whole is an end seen.
enum class Left : std::uint8_t { other, nothing, beginning, end, emptied };
Left left_of(const Exchange& before, const Exchange& now);
// The names and values of JSON, forms and XML alike, in their order; a value follows its name. Views of `body`.
std::vector<std::string_view> tokens_of(std::string_view body);
// Unix seconds of "2026-11-22T00:14:39Z", "20261122T001439Z", and of 10 or 13 digits that may be such.
std::optional<double> time_of(std::string_view text);

}  // namespace retrial::trace
