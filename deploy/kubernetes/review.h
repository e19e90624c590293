#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "deploy/kubernetes/pod.h"

namespace retrial::deploy {

struct Reviewed {
  std::string body;  // an AdmissionReview with a response
  std::string said;  // for the log, one line
};

// What an API server's AdmissionReview (admission.k8s.io/v1) is answered. Pods that are created are injected; whatever
// else is asked for is allowed as it is. A pod whose own annotations cannot be followed is denied, and so is one that
// asks for injection and cannot be injected; any other that cannot be is allowed as it is, with a warning and the
// annotation retrial/skipped. Nothing has a side effect, so dry runs are answered alike. An error: it is no review.
Result<Reviewed> review(std::string_view body, const InjectSettings& settings);

}  // namespace retrial::deploy
