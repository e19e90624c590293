#pragma once
#include <optional>
#include <string>

#include "oracles/oracle.h"
#include "oracles/recognition.h"

namespace retrial::oracles {

// May this attempt be sent again after `before`, without a second effect? How sure one is that it may not; nothing: it
// may. Source: what the service did (recognition.h), RFC 9110 9.2.2 for the method, the profile for the operation.
struct Harm {
  trace::Confidence confidence = trace::Confidence::possible;
  std::string why;  // the clause that says so: "by its profile (aws) each execution has its own effect"
};
// Never surer than the correlation is that both belong to one call.
std::optional<Harm> harm_of_repeat(const trace::Comparison& c, const trace::Call& call, const trace::Exchange& before,
                                   const trace::Exchange& next);

// What shows afterwards of a thing that was asked for a change by its path alone ("POST /holds/h-1/extend") what it
// shows without the fault; empty: nothing. It may have been so after the first already.
std::string shows_as_usual(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

// Are both answers the same byte for byte, with something long in them that is not what was sent (a digest, an id)? Of
// two things that would differ.
bool tells_one_thing(const trace::Exchange& before, const trace::Exchange& next);

// What the service showed firmly of the repeats in this call: `two` where it did that at all; `unknown` too where the
// profile or the method says what a repeat does.
Shown::Effects shown_in(const trace::Comparison& c, const trace::Call& call);

// Does a POST look as if it only read? By the last word of its path: "/orders/_search", "/v1/items:get"; or, where the
// operation has an action behind it, by the first words of that: "method=stock.getLevel". Of a mutation never; of
// GraphQL that does not say what it is always.
bool reads_by_name(const trace::Exchange& exchange);
// Does it only read: by its method, or a POST by its name? So does who asks a model, which is charged each time.
bool only_reads(const trace::Exchange& exchange);

// Does it ask for a token, or log in? One more takes nothing from anybody (RFC 6749 5.1): who asks again uses the last.
bool lets_in(const trace::Exchange& exchange);
// The last word of a path by which it does: "token", "login".
bool is_entrance(std::string_view word);

// Does each such request take what is next, or say once more that somebody is there? To ask again is what it is for;
// what a queue had given in an answer that was lost it may give to others later.
bool takes_turns(const trace::Exchange& exchange);

}  // namespace retrial::oracles
