#pragma once
#include <cstdint>

namespace retrial::proxy::capture {

// One message between supervisor, guard and command; one packet of a SOCK_SEQPACKET pair.
struct Message {
  enum Kind : std::int32_t {
    listener,   // command -> supervisor: value 1 if killable; the descriptor travels along
    refused,    // command -> supervisor: value is errno, text the step: "seccomp", "chdir", "exec", ...
    process,    // guard -> supervisor: value is the command's pid
    status,     // guard -> supervisor: value is the command's wait status
    left_over,  // guard -> supervisor: value is a pid that was ended, text its name
    beyond_us,  // guard -> supervisor: the same, of one that may not be ended
    signal,     // supervisor -> guard: value is the signal for the command
    end,        // supervisor -> guard: end the tree
  };
  std::int32_t kind = 0;
  std::int32_t value = 0;
  char text[64] = "";
};

bool make_channel(int ends[2]);  // close-on-exec
// Both are async-signal-safe. `descriptor` < 0: none. receive: false at the end of the channel or on an error.
bool send_message(int channel, Message::Kind kind, int value, const char* text = "", int descriptor = -1);
bool receive_message(int channel, Message& message, int& descriptor);

}  // namespace retrial::proxy::capture
