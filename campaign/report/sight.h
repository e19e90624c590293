#pragma once
#include <string>
#include <vector>

#include "campaign/report/terminal.h"

namespace retrial::campaign::report {

// What is seen of a command that is run once without faults: `retrial doctor -- COMMAND`.
struct Sight {
  struct Service {
    std::string address, name, profile;
    std::vector<std::string> protocols;  // "HTTP/1", "HTTP/2", "gRPC"
    bool opened = false;                 // over TLS, which was opened
    std::size_t requests = 0, without_site = 0;
  };
  struct Gap {
    std::string what, mend;  // `mend`: what would, a key or a command; empty: nothing is known to
  };
  std::string runner;                   // "command": none that is known
  std::vector<std::string> behind;      // runners that a command starts which is none itself
  std::size_t tests = 0, on_trial = 0;  // that have a result; of these, that can be put on trial
  std::vector<std::string> agents;      // languages
  std::string capture;
  bool moves_clocks = false;  // of clients that wait
  std::vector<Service> services;
  // Addresses whose port stays: that took no connection; at which no HTTP was spoken.
  std::vector<std::string> refused, unread;
  std::vector<Gap> gaps;  // what is not seen, left alone, or takes its time
  std::vector<std::string> remarks;
  std::string trouble;  // why there is nothing to try, or the run says nothing; empty: there is something
};

std::string table_of(const Sight& sight, const Style& style);
std::string json_of(const Sight& sight);

}  // namespace retrial::campaign::report
