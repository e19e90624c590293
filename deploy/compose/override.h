#pragma once
#include <string>

#include "deploy/compose/talks.h"

namespace retrial::deploy {

// An override file (docker compose -f FILE -f OVERRIDE) that puts a proxy before each service that is called: each
// caller finds it under the service's name, by a link of its own; the proxy, which has no such link, finds the service.
std::string compose_override(const ComposeFile& file, const Talks& talks, const std::string& image);

// The first line of every override, by which one is known again.
inline constexpr std::string_view kOverrideMark = "# Made by `retrial compose init`";

}  // namespace retrial::deploy
