#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "certs/authority.h"
#include "deploy/kubernetes/pod.h"

namespace retrial::deploy {

struct WebhookSettings {
  std::string listen = "0.0.0.0";  // an address
  std::uint16_t port = 8443;       // 0: the kernel's choice
  std::string name;  // whom it is called: retrial-webhook.retrial.svc; of its certificate where a client says none
  InjectSettings inject;
};

// A mutating admission webhook: HTTPS, with certificates of `authority`.
//   POST /inject   an AdmissionReview, at most 3 MiB; 400 where it is none
//   GET /healthz   200
// One thread, which run() is. At most 256 connections; each has 10 s for a request.
class Webhook {
 public:
  using Log = std::function<void(std::string_view line)>;  // from run()'s thread
  static Result<std::unique_ptr<Webhook>> start(const WebhookSettings& settings, certs::Authority authority,
                                                const Clock& clock, Log log);
  ~Webhook();
  std::uint16_t port() const;
  // Until SIGTERM or SIGINT; what is under way is answered.
  void run();

 private:
  struct Impl;
  explicit Webhook(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::deploy
