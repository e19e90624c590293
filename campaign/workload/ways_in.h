#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/workload/environment.h"
#include "proxy/capture/tree.h"
#include "proxy/proxy.h"

namespace retrial::campaign {

// How a command's connections come to us (docs/capture.md).
struct Capture {
  enum class Kind : std::uint8_t { seccomp, redirect, forward, reverse };
  Kind kind = Kind::seccomp;
  proxy::Way way = proxy::Way::getfd;  // of seccomp; else none
  struct Port {                        // of reverse: one a service
    std::string name;
    std::string listen;  // of its [[listener]]; empty: a port of the kernel's choice
    proxy::Route route;
  };
  std::vector<Port> ports;
  std::vector<proxy::Route> known = {};  // of forward: what is said of services
  std::string remark;                    // why it is not the first choice, for the user; empty: it is, or it was said
};
std::string show(const Capture& capture);  // "seccomp (getfd)", "forward"

// The way that is said ("seccomp", "redirect", "forward", "reverse"), or where nothing is said the first that works, in
// the order seccomp, redirect, forward. An error says in one line why there is none.
Result<Capture> choose_capture(std::string_view said, const Config& config);

// Tries one way for real, for `doctor` and for choose_capture: a child's connection must arrive.
Result<void> try_capture(Capture::Kind kind);

// The listeners through which one run's command reaches us, where it is not captured by seccomp. Loop thread only.
class WaysIn {
 public:
  using Take = std::function<void(proxy::Incoming)>;
  static Result<std::unique_ptr<WaysIn>> open(const Capture& capture, proxy::Loop& loop, Take take);
  ~WaysIn();

  std::optional<ForwardProxy> forward() const;   // for the command's environment
  std::vector<std::string> environment() const;  // RETRIAL_<NAME>_ADDRESS=… and RETRIAL_<NAME>_URL=…

 private:
  struct Impl;
  explicit WaysIn(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::campaign
