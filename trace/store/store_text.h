#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

// Lists as texts, so that they read well in a shell: one item a line, a line break within written \n, a backslash \\;
// numbers on one line. from_lines gives back what lines took, and is false for a text that it did not make.
namespace retrial::trace {

std::string lines(const std::vector<std::string>& list);
std::string lines(const std::vector<Header>& headers);
std::string lines(const std::vector<std::uint64_t>& list);
std::string lines(const std::vector<double>& list);
bool from_lines(std::string_view text, std::vector<std::string>& to);
bool from_lines(std::string_view text, std::vector<Header>& to);
bool from_lines(std::string_view text, std::vector<std::uint64_t>& to);
bool from_lines(std::string_view text, std::vector<double>& to);

template <class T>
concept Listed = requires(const T& list) { lines(list); };

}  // namespace retrial::trace
