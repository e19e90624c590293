#pragma once
namespace CLI {
class App;
}
namespace retrial::deploy {
struct InjectSettings;
}

namespace retrial::cli {

// What `inject` and `webhook` have in common.
void add_inject_options(CLI::App& command, deploy::InjectSettings& settings);

}  // namespace retrial::cli
