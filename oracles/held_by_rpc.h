#pragma once
#include <string>
#include <string_view>

#include "trace/comparing/comparison.h"

// What an RPC takes that another gives up: AcquireAisle and ReleaseAisle, Lock and Unlock, Begin and Commit.
namespace retrial::oracles {

// By their names, of one service: the same words but for one, which is the other's counterpart.
bool gives_up(std::string_view taking, std::string_view giving);

// The RPC of this run that gives up what that one took: it names it, by a value of the taking's answer or request.
// Carried out, where there is one, else one that was sent. Null: none.
const trace::Exchange* given_up_by(const trace::Run& run, const trace::Exchange& taking);

// What `taking` took, for a report, by the field at which `giving` names what its own counterpart took in the
// reference:
// `"ls-1"`; empty: nothing that can be shown.
std::string name_of_held(const trace::Exchange& taken_usually, const trace::Exchange& giving,
                         const trace::Exchange& taking);

}  // namespace retrial::oracles
