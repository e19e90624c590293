#pragma once
#include <string>
#include <string_view>

#include "trace/profiles/profile.h"

namespace retrial::trace {

// An error as a service itself gives it: seen where no fault was, or told by its description. Injected errors are made
// in its shape.
struct ErrorShape {
  int status = 0;            // 400 to 599: that of this answer; 0: it is an example of any
  std::string content_type;  // text, JSON or XML
  std::string body;          // whole
  std::string target;        // what was asked for; empty: not known
  bool described = false;    // not seen: a code that names no status may stand for any
};

// Can answers of this content type be a shape?
bool has_shape(std::string_view content_type);

// The error with that status. Structure and content type stay; what names the status and the code changes with it:
//   - a number, or a text of digits, that is the old status;
//   - the old status's reason phrase (RFC 9110 15, or as it was called before), in the style that it is written in:
//     "Not Found", "NOT_FOUND", "notFound", and within "DocNotFoundException";
//   - another code ("no_such_doc" in a member `code`, `reason` or `error`) that was seen: the new phrase in its style;
//   - the old target or path, wherever it stands alone;
//   - sentences: the new phrase. Where the status is the same they stay. Either way the marker stands behind.
// What else there is stays: ids, flags, times.
Answer answer_in(const ErrorShape& shape, const Exchange& head, int status, std::string_view marker);

}  // namespace retrial::trace
