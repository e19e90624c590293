#pragma once
#include <string>

namespace retrial {

// Its first letter large, where it begins with a word and not with a name, of a test say.
std::string sentence(std::string text);

}  // namespace retrial
