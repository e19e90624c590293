#pragma once
#include "campaign/planning/targets.h"

// What a call is seen to read without faults: some policies ask only such calls.
namespace retrial::campaign {

// Is it answered by a body that does not show by itself where it ends? So is a stream of gRPC's messages, of which some
// may come.
bool reads_opaque(const Found& f);

// Was it seen to be answered by one document of JSON, long enough that half of it is none?
bool reads_json(const Found& f);

}  // namespace retrial::campaign
