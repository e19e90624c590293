#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::oracles {

// The words by which a service names this error: its own code and message (x-ms-error-code, <Code>, "code", "message"
// ...) and the reason phrase. The status itself is not among them. Words too common to prove anything are left out.
std::vector<std::string> service_words(int status, const std::vector<trace::Header>& headers, std::string_view body);

// Of the error that the service answered this exchange with: of a gRPC call its message too.
std::vector<std::string> service_words(const trace::Exchange& error);

// The text without its URLs, so that a number in a path is not taken for a status.
std::string without_urls(std::string_view text);

// Does the text name this status or one of these words? A status of gRPC as its clients name it: "UNAVAILABLE",
// "code = Unavailable".
// Does an application say so in words of its own ("Authorization Failed" of a 401)?
bool says_status(std::string_view text, int status);

bool names(std::string_view text, int status, const std::vector<std::string>& words);

}  // namespace retrial::oracles
