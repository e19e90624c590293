#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::campaign {

// Is this command a program of machine code that holds one of these texts? So test programs are known that have a
// framework built into them. Behind assignments (`env A=1`), found as a shell finds it.
bool is_program_with(const std::vector<std::string>& argv, std::initializer_list<std::string_view> texts);

// Where that program stands in it.
std::size_t program_at(const std::vector<std::string>& argv);

}  // namespace retrial::campaign
