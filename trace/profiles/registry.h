#pragma once
#include "base/embedded.h"
#include "trace/profiles/profile.h"

// The first that recognises an exchange reads it: gRPC before all others, which know their services by path or by
// headers that an RPC may have too; those of retrial.toml; those that are data (data/NAME.toml, by name); those that
// data cannot say, protocols first; the generic one, which recognises everything, last.
namespace retrial::trace {

const Profile& grpc_profile();
const Profile& graphql_profile();
const Profile& json_rpc_profile();
const Profile& soap_profile();
const Profile& azure_storage_profile();
const Profile& aws_profile();
const Profile& generic_profile();

// data/*.toml, built into the binary.
std::span<const EmbeddedFile> profile_files();

}  // namespace retrial::trace
