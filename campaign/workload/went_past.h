#pragma once
#include <set>
#include <string>

#include "trace/run.h"

namespace retrial::campaign {

// Why a run in which connections to these services were missed says nothing of them; empty: none was to a service that
// was reached in this run or in one before. `reached` takes in this run's.
std::string went_past(const trace::CaptureCounts& capture, std::set<std::string>& reached);
// Why a run in which we could not look at a connection for want of descriptors or memory says nothing; empty: there was
// none.
std::string went_unseen(const trace::CaptureCounts& capture);
// Why a run that ended badly, and in which a part of an agent of ours failed, says nothing of a test of which no result
// was told; empty: each has one, or no agent failed.
std::string went_unheard(const trace::Run& run, const std::set<std::string>& troubles);

}  // namespace retrial::campaign
