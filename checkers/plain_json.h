#pragma once
#include <string_view>
#include <vector>

#include "checkers/body.h"

namespace retrial::checkers {

// The values of an object of objects, short texts, whole numbers, truth values and empty arrays, in plain ASCII without
// escapes: what most answers about one thing are, at a twentieth of what it costs to read any JSON. False, with
// `leaves` as they were, where it is anything else; then nothing is said of whether it is JSON.
bool read_plain_json(std::string_view text, std::vector<Leaf>& leaves);

inline constexpr std::size_t kDeepest = 4;  // objects in objects that are looked into; arrays in arrays never are

}  // namespace retrial::checkers
