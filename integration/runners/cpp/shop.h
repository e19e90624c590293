// A client of a shop, in plain sockets: no library retries for it.
#pragma once
#include <string>

// What a call comes to in the end it throws.
struct Shop {
  int port;

  // Wrong: what may have been paid is paid once more.
  void pay(const std::string& order) const;
  // Right: a key tells the shop that it is the same order.
  void place(const std::string& order) const;
  // Wrong: it asks again at once, and for ever.
  std::string watch() const;
  // Right: it waits longer each time, and gives up.
  std::string count() const;
};
