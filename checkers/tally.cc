#include "checkers/tally.h"

#include <fmt/format.h>

namespace retrial::checkers {
namespace {

constexpr std::size_t kValues = 2, kTruths = 4, kMoves = 3, kTwice = 2;
static_assert(Tally::kMostValues >= kValues);

std::string few(std::size_t had, std::size_t wanted, std::string_view what) {
  return had >= wanted ? "" : fmt::format("{}: {} seen, {} wanted", what, had, wanted);
}

}  // namespace

bool moves_by_constant(const Field& f) {
  return f.left.size() > 1 && f.left.find_first_not_of("0123456789.", 1) == f.left.npos;
}

bool speaks_of_members(const Checker& c) {
  if (c.fields.empty() || c.fields.front().left == "{path}") return false;
  return c.rule == Rule::reads_back || c.rule == Rule::echoes || c.rule == Rule::keeps || c.rule == Rule::agrees;
}
bool may_be_a_habit(const Checker& c) {
  return speaks_of_members(c) || ((c.rule == Rule::echoes || c.rule == Rule::listed || c.rule == Rule::reads_back) &&
                                  c.fields.front().left == "{path}");
}
bool is_truth(std::string_view value) { return value == "true" || value == "false" || value == "null"; }

std::string lacks_of(const Checker& c, const Tally& t, std::size_t seen, std::size_t runs) {
  if (auto unseen = few(t.passes.size(), runs, "runs that show it"); !unseen.empty()) return unseen;
  bool truths = std::ranges::all_of(t.values, is_truth);
  switch (c.rule) {
    case Rule::reads_back:
    case Rule::listed:
    case Rule::keeps:
    case Rule::agrees:
    case Rule::echoes:
    case Rule::counts:
      if (auto values = few(seen, kValues, "values"); !values.empty()) return values;
      return truths && c.rule != Rule::counts ? few(t.total, kTruths, "times, as a truth value") : "";
    case Rule::adds:
      if (!moves_by_constant(c.fields.front())) return few(t.values.size(), kValues, "amounts");
      if (auto moves = few(t.total, kMoves, "moves"); !moves.empty()) return moves;
      return few(t.values.size(), kValues, "values that it moved from");
    case Rule::becomes:
    case Rule::rises:
    case Rule::same_answer:
      return few(t.most(), kTwice, "times in one run");
    case Rule::never_falls:
      return few(t.rises, kTwice * runs, "rises");
    case Rule::gone:
    case Rule::unlisted:
    case Rule::excludes:
      return "";
  }
  return "";
}

}  // namespace retrial::checkers
