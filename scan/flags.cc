// What a function that begins itself anew is given, and by that no more is.
#include <algorithm>

#include "base/text.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// Which of its parameters a function calls so, or -1; what a method is called on is none of them.
int place_of_parameter(const Tree& tree, int function, std::string_view name) {
  int given = tree.child(function, Part::parameters), place = 0;
  for (int c = given >= 0 ? tree.first(given) : -1; c >= 0; c = tree.next(c)) {
    auto ids = identifiers(tree.text(c));
    if (ids.empty() || ids.front() == "self" || ids.front() == "cls" || tree[c].role == Role::comment) continue;
    if (std::ranges::count(ids, name) > 0) return place;
    place++;
  }
  return -1;
}

// What `call` gives the parameter of that name: by its place, or `name=…`, `name: …`.
std::string_view given_for(const Tree& tree, int call, int function, std::string_view name) {
  int place = place_of_parameter(tree, function, name), arguments = tree.child(call, Part::arguments);
  for (int c = arguments >= 0 && place >= 0 ? tree.first(arguments) : -1, at = 0; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    if (tree[c].role == Role::comment) continue;
    if (tree[c].part == Part::name && tree.next(c) >= 0) {  // C#'s `renewed: true`
      if (text == name) return tree.text(tree.next(c));
      continue;
    }
    bool named = tree[c].role == Role::option;
    if (named && text.starts_with(name)) return trim(text.substr(std::min(text.size(), text.find_first_of("=:") + 1)));
    if (!named && at++ == place) return text;
  }
  return {};
}

}  // namespace

bool spends_a_flag(const Tree& tree, int call, int function, std::string_view test) {
  for (auto id : identifiers(test)) {
    auto given = given_for(tree, call, function, id);
    bool off = given == "False" || given == "false", on = given == "True" || given == "true";
    auto before = trim(test.substr(0, static_cast<std::size_t>(id.data() - test.data())));
    bool denied = before.ends_with('!') || before.ends_with("not");
    if ((off && !denied) || (on && denied)) return true;
  }
  return false;
}

}  // namespace retrial::scan
