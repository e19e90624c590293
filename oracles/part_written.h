#pragma once
#include <vector>

#include "oracles/members.h"
#include "trace/comparing/comparison.h"

// What is written here for a part of what a read gives else. `before`: the write as it is in the reference.
namespace retrial::oracles {

// A table or a text with some of its lines alone; of a body that was cut the first part, or smaller numbers.
bool is_part(const trace::Call& read, const trace::Exchange& before, const trace::Exchange& now);

// A thing is read, and written again where it lies with all that was read; here it is written without some of that.
// `told`: what the read gives in the reference.
bool is_written_over(const trace::Call& read, const std::vector<Member>& told, const trace::Exchange& before,
                     const trace::Exchange& now);

}  // namespace retrial::oracles
