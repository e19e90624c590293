#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/words.h"

namespace retrial::scan {

// After the last attempt: does the function say that it failed?
bool gives_up_silently(const Tree& tree, int loop, const Location& place) {
  if (place.bound.kind == Bound::none || place.bound.kind == Bound::caller) return false;
  int function = tree.function_of(loop);
  if (function < 0 || tree[function].role != Role::function) return false;
  if (tree[function].past - tree[loop].past > 5000) return false;  // too far to be followed
  auto tells = [&](int from, int past) {
    for (int i = from; i < past; i++) {
      if (tree[i].role == Role::raise) return true;
      if (tree[i].role == Role::call) {
        auto name = last_name(callee_of(tree, i));
        if (ends_process(callee_of(tree, i)) || name == "reject" || name == "fail" || says_failed(name)) return true;
      }
      if (tree[i].role == Role::leave) {
        auto text = bare(trim(tree.text(i).substr(6)));
        while (!text.empty() && text.back() == ';') text.remove_suffix(1);
        if (i >= tree[loop].past && !text.empty() && text != "None" && text != "null" && text != "undefined" &&
            text != "nil")
          return true;
        if (i < tree[loop].past && !text.empty() && tree.around(i, Role::handler) >= 0) return true;
      }
    }
    return false;
  };
  if (tells(loop, tree[loop].past) || tells(tree[loop].past, tree[function].past)) return false;
  if (!tree.language().errors_are_values) return true;
  auto text = tree.text(loop);
  return text.find("return err") == text.npos && text.find(", err") == text.npos &&
         tree.source().substr(tree[loop].end, tree[function].end - tree[loop].end).find("err") ==
             std::string_view::npos;
}

}  // namespace retrial::scan
