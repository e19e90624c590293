#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace retrial::deploy {

using Variables = std::map<std::string, std::string>;

// The lines NAME=VALUE of an env file; quotes around a value are left out, comments too. Empty where there is none.
Variables env_file(const std::filesystem::path& path);
// Puts in ${NAME}, $NAME, ${NAME:-default}, ${NAME-default}; $$ is $. Of one that is not known: nothing.
std::string put_in(std::string_view text, const Variables& variables);

}  // namespace retrial::deploy
