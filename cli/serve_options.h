#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"

namespace CLI {
class App;
}

namespace retrial::cli {

// What `serve` takes on the command line.
struct ServeOptions {
  std::string checkers;
  std::string config;
  std::vector<std::string> reverse;  // LISTEN=URL
  std::vector<std::string> forward, redirect, tproxy;
  std::vector<std::string> envoy;  // LISTEN, or LISTEN=URL
  std::vector<std::string> forward_to, allow;
  std::string protocol;
  std::optional<std::string> inject;
  std::optional<std::string> admin;  // empty: where `retrial ctl` looks by itself
  std::string log = "text";
  std::string log_to;  // URL of a receiver of OTLP/HTTP; empty: none
  int loops = 0;
  std::string record;
  std::string ca;
  std::optional<std::uint64_t> seed;

  bool envoy_alone = false;  // `retrial envoy`: no listener of another mode

  void add_to(CLI::App& app);
  void add_to_envoy(CLI::App& app);

 private:
  void add_common(CLI::App& app);
};

// Until it is told to end; gives the exit status.
int serve(const ServeOptions& options);

// The file that is read: -c, or retrial.toml where there is one; else empty.
std::string config_file(const ServeOptions& options);
// The file's configuration, with the listeners of the command line beside its own, and --inject for what no rule of the
// file matches. Without a listener it is an error.
Result<campaign::Config> config_of(const ServeOptions& options);

}  // namespace retrial::cli
