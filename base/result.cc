#include "base/result.h"

#include <cstring>

namespace retrial {

std::unexpected<Error> fail_errno(std::string what, int error_number, std::string on, Blame blame) {
  return fail(std::move(what) + ": " + std::strerror(error_number), std::move(on), blame);
}

}  // namespace retrial
