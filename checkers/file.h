#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkers/checker.h"

// checkers.toml: what `retrial learn` writes, people review, and `run`, `judge` and `serve` load (docs/checkers.md).
namespace retrial::checkers {

// `about`: the first line's words, without a line break.
std::string text_of(const std::vector<Checker>& checkers, const std::string& about);

// An error, blamed on the user, is one line: "checkers.toml:12: [[checker]] 3 rule: expected …, found …". Nothing is
// left out silently: an unknown key, a rule without its operation and a name that comes twice are errors.
Result<std::vector<Checker>> parse(std::string_view text, const std::string& file_name);
Result<std::vector<Checker>> load(const std::filesystem::path& file);

// Those that oracles ask from now on. Before any thread asks; once.
void use(std::vector<Checker> checkers);
const std::vector<Checker>& in_use();

}  // namespace retrial::checkers
