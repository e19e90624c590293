#pragma once
#include <expected>
#include <string>
#include <utility>

namespace retrial {

// Whose fault a failure is. `us` is never blamed on the user: it makes a run incomplete, and no finding comes of it.
enum class Blame { user, client, service, network, fault, us };

struct Error {
  std::string what;  // what failed and why, one line, ready to be shown
  std::string on;    // on what: a path, an address, "retrial.toml:3: [run] budget"; may be empty
  Blame blame = Blame::us;

  // "on: what", the form in which an error is printed.
  std::string line() const { return on.empty() ? what : on + ": " + what; }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string what, std::string on = {}, Blame blame = Blame::us) {
  return std::unexpected(Error{std::move(what), std::move(on), blame});
}
// Like fail, with strerror(error_number) after `what`.
std::unexpected<Error> fail_errno(std::string what, int error_number, std::string on = {}, Blame blame = Blame::us);

}  // namespace retrial
