#pragma once

namespace CLI {
class App;
}

namespace retrial::cli {

// `retrial export` (docs/fleet.md).
void add_export(CLI::App& app, int& status);

}  // namespace retrial::cli
