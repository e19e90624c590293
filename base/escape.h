#pragma once
#include <string>
#include <string_view>

namespace retrial {

// What came over the wire or out of a test may hold anything. Each gives well-formed UTF-8: what is none becomes
// U+FFFD.
std::string utf8(std::string_view bytes);

// For the text and the attributes (in double quotes) of HTML and XML: & < > " ' escaped, and what neither may hold as a
// character (controls other than tab, LF, CR; surrogates; U+FFFE, U+FFFF) becomes U+FFFD.
std::string escape(std::string_view bytes);

// For one line of a terminal: controls, also those of C1 (escape sequences would act), become U+FFFD; tab and line ends
// a space.
std::string one_line(std::string_view bytes);

// Columns of well-formed UTF-8, every character counted as one.
std::size_t columns(std::string_view text);
// Its first `most` columns; "…" is the last of them where something was cut off.
std::string cut(std::string_view text, std::size_t most);

}  // namespace retrial
