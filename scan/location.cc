#include "scan/location.h"

namespace retrial::scan {

Repeat repeat_of(const Location& at) {
  if (!at.effect.empty()) return {at.key && !at.new_key ? "key" : "no", at.effect};
  if (!at.harmless.empty()) return {"yes", at.harmless};
  return {"unknown", ""};
}

std::string show(Shape shape) {
  switch (shape) {
    case Shape::loop:
      return "loop";
    case Shape::recursion:
      return "recursion";
    case Shape::repeat:
      return "repeat";
    case Shape::timer:
      return "timer";
    case Shape::queue:
      return "queue";
    case Shape::library:
      return "library";
  }
  return {};
}

std::string show(const Bound& bound) {
  switch (bound.kind) {
    case Bound::none:
      return "none seen";
    case Bound::count:
      return bound.text.empty() ? "attempts" : "attempts: " + bound.text;
    case Bound::time:
      return "time: " + bound.text;
    case Bound::caller:
      return "as long as its caller waits: " + bound.text;
    case Bound::elsewhere:
      return "said elsewhere: " + bound.text;
  }
  return {};
}

std::string show(const Wait& wait) {
  if (wait.kind == Wait::none && !wait.told) return "none";
  std::string said = wait.kind == Wait::fixed     ? "fixed"
                     : wait.kind == Wait::growing ? "growing"
                     : wait.told                  ? ""
                                                  : "said elsewhere";
  auto add = [&](bool is, const char* what) {
    if (is) said += (said.empty() ? "" : ", ") + std::string(what);
  };
  add(wait.jitter, "jitter");
  add(wait.told, "told by the service");
  return wait.text.empty() ? said : said + ": " + wait.text;
}

std::string show(const Tried& tried) {
  static constexpr const char* kStates[] = {"", "and wrong", "and right", "not, but reached", "never"};
  return std::string(kStates[tried.state]) + ": " + tried.text;
}

std::string word(const Tried& tried) {
  static constexpr const char* kWords[] = {"", "wrong", "right", "reached", "never"};
  return kWords[tried.state];
}

std::string word(const Bound& bound) {
  static constexpr const char* kWords[] = {"none", "count", "time", "caller", "elsewhere"};
  return kWords[bound.kind];
}

std::string word(const Wait& wait) {
  static constexpr const char* kWords[] = {"none", "fixed", "growing", "elsewhere"};
  return wait.told ? "told" : wait.jitter ? "jitter" : kWords[wait.kind];
}

}  // namespace retrial::scan
