#pragma once
#include <string>

#include "base/result.h"
#include "proxy/admin/http_client.h"

namespace CLI {
class App;
}

namespace retrial::cli {

// How a command finds the admin side of a running `retrial serve`: what is said, else RETRIAL_ADMIN and
// RETRIAL_ADMIN_TOKEN, else [admin] of the configuration, else the socket that `serve --admin` makes here.
struct AdminOptions {
  std::string admin;   // an address
  std::string token;   // a file
  std::string ca;      // PEM file
  std::string config;  // retrial.toml

  void add_to(CLI::App& app);
  // The address that is meant; empty: none is said anywhere.
  Result<std::string> address() const;
  // An error is the user's: no address, a token that cannot be read.
  Result<proxy::HttpClient> client(Nanos timeout = 5 * kSecond) const;
};

std::string admin_of_environment();  // RETRIAL_ADMIN; empty: it is not set

}  // namespace retrial::cli
