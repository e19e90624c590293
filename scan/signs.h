#pragma once
#include "scan/location.h"

namespace retrial::scan {

// By what sign of failure a location may be seen to try again.
enum class Sign : std::uint8_t { status, connection, silence };

// A status where one is asked for or named, silence where time-outs alone lead back, else a broken connection: every
// client makes an error of that, and of a status only some.
Sign sign_that_leads_back(const Location& at);

}  // namespace retrial::scan
