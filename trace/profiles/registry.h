#pragma once
#include "trace/profiles/profile.h"

// One line a service family: aws_profile() stands in aws.cc. The first that recognises an exchange reads it: gRPC
// before all others, which know their services by path or by headers that an RPC may have too; the generic one, which
// recognises everything, last.
#define RETRIAL_PROFILES(PROFILE) \
  PROFILE(grpc)                   \
  PROFILE(oci_registry)           \
  PROFILE(azure_storage)          \
  PROFILE(aws)                    \
  PROFILE(google_storage)         \
  PROFILE(generic)

namespace retrial::trace {

#define RETRIAL_DECLARE(name) const Profile& name##_profile();
RETRIAL_PROFILES(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::trace
