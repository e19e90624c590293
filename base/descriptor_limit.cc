#include "base/descriptor_limit.h"

#include <sys/resource.h>

namespace retrial {
namespace {
rlimit before_raise;
bool raised = false;
}  // namespace

void raise_descriptor_limit() {
  rlimit now{};
  if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur == now.rlim_max) return;
  const rlimit all{now.rlim_max, now.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &all) != 0 || raised) return;
  before_raise = now;
  raised = true;
}

std::size_t descriptor_limit() {
  rlimit now{};
  return getrlimit(RLIMIT_NOFILE, &now) == 0 ? static_cast<std::size_t>(now.rlim_cur) : 0;
}

void restore_descriptor_limit() {
  if (raised) setrlimit(RLIMIT_NOFILE, &before_raise);
}

}  // namespace retrial
