#pragma once
#include "trace/fault_spec.h"

// How a fault stands in a stored trace: a segment's records (recording/record.cc) and a store's columns
// (store/store_columns.h). A trace outlives the build that wrote it, so what has a number keeps it; another layout is
// another version of the format (recording/record.h, store/store.cc). The numbers of the faults themselves stand in
// their rows (trace/faults.inc).
namespace retrial::trace {

template <class E>
consteval bool stored_as(E value, int number) {
  return static_cast<int>(value) == number;
}
static_assert(stored_as(Telling::reset, 0) && stored_as(Telling::close, 1) && stored_as(Telling::stall, 2) &&
              stored_as(Telling::error, 3));
static_assert(stored_as(Point::before_request, 0) && stored_as(Point::after_head, 1) &&
              stored_as(Point::after_request, 2) && stored_as(Point::after_response_head, 3) &&
              stored_as(Point::in_body, 4) && stored_as(Point::idle, 5) && stored_as(Point::executed, 6) &&
              stored_as(Point::answered, 7));
static_assert(stored_as(Spread::fixed, 0) && stored_as(Spread::uniform, 1) && stored_as(Spread::normal, 2) &&
              stored_as(Spread::pareto, 3));
static_assert(stored_as(RetryAfter::none, 0) && stored_as(RetryAfter::seconds, 1) && stored_as(RetryAfter::date, 2));
static_assert(stored_as(Malformed::status_line, 0) && stored_as(Malformed::header, 1) &&
              stored_as(Malformed::chunk, 2));
static_assert(stored_as(OfMessage::delay, 0) && stored_as(OfMessage::drop, 1) && stored_as(OfMessage::truncate, 2) &&
              stored_as(OfMessage::corrupt, 3));

FaultName last_fault();  // the one with the greatest number: what is beyond it no trace of ours holds

// Numbers of which a fault has one at most share a place: which of them stands in that of `bytes`, and of `width`.
std::int64_t FaultSpec::* stored_bytes(FaultName name);
constexpr std::int64_t FaultSpec::* stored_width(Spread spread) {
  return spread == Spread::pareto ? &FaultSpec::shape : &FaultSpec::width;
}

}  // namespace retrial::trace
