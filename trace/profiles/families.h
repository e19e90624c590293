#pragma once
#include "trace/profiles/profile.h"

// One function a family; profiles.cc lists them.
namespace retrial::trace {
const Profile& grpc_profile();
const Profile& azure_storage_profile();
const Profile& aws_profile();
const Profile& google_storage_profile();
const Profile& oci_registry_profile();
const Profile& generic_profile();
}  // namespace retrial::trace
