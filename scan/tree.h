#pragma once
#include <cstdint>
#include <exception>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct TSLanguage;

// One source file as the detectors see it: its named nodes in the order of the text, each with the part that it plays
// in control flow, whatever its language calls it.
namespace retrial::scan {

enum class Role : std::uint8_t {
  other,
  function,  // also a lambda
  loop,      // while, do, for by a condition or by counting
  each,      // for each of something
  attempt,   // try
  handler,   // catch, except
  last,      // finally
  branch,    // if, with `condition`, `then`, `otherwise`
  choice,    // switch, match, select
  call,      // also `new`
  guard,     // a condition on a handler: catch ... when
  wrapper,   // no node of its own: what it holds takes its place
  leave,     // return
  raise,
  again,      // continue
  stop,       // break
  assign,     // also a declaration with a value, and i++
  option,     // name=value among arguments, a field of a literal
  decorator,  // also an annotation
  number,
  text,
  name,
  comment,
};

enum class Part : std::uint8_t {
  none,
  body,
  condition,
  then,
  otherwise,
  target,
  value,
  name,
  arguments,
  callee,
  object,
  parameters,
  header,
  update,
};

struct Node {
  Role role;
  Part part;                 // of its parent
  std::uint16_t kind;        // the grammar's own number
  std::uint32_t begin, end;  // bytes
  std::uint32_t line;        // from 1
  int parent;                // -1: the file itself
  int past;                  // the first node behind all that stands in this one
};

struct Language;

struct TooMuch : std::exception {};

// In 6,034 files that people wrote it was 198 a node at most in large ones, and a fifth of all that may be in small
// ones.
inline constexpr std::uint64_t kStepsANode = 1000, kFewNodes = 10'000, kBytesAStep = 64;

class Tree {
 public:
  // Never fails: what no rule takes is `other`. What stands deeper than `kDeepest` is left out. `source` must outlive
  // the tree.
  static Tree parse(const Language& language, std::string_view source);

  const Language& language() const { return *language_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int i) const {
    step(0);
    return nodes_[static_cast<std::size_t>(i)];
  }
  std::string_view source() const {
    step(source_.size());
    return source_;
  }
  // What reads it throws TooMuch when it has looked at it so often that no hand has written such a file: every way of
  // looking may take as long as it likes, and together they end.
  void limit_steps() { most_steps_ = (nodes_.size() + kFewNodes) * kStepsANode; }
  std::string_view text(int i) const;
  std::string_view kind(int i) const;
  // The functions of a name, and what sets one: `delay = 1`, `self.delay *= 2`, `delay, err := f()`. In the text's
  // order.
  const std::vector<int>& functions(std::string_view name) const { return of(functions_, name); }
  const std::vector<int>& assignments(std::string_view name) const { return of(assignments_, name); }

  bool imports(std::string_view name) const { return imported_.contains(name); }  // of another file or package

  double broken() const { return broken_; }  // what share of the bytes no rule of the grammar took

  // Children are walked by `for (int c = first(i); c >= 0; c = next(c))`.
  int first(int i) const { return i + 1 < (*this)[i].past ? i + 1 : -1; }
  int next(int i) const;
  int child(int i, Part part) const;  // the first of that part, or -1
  int around(int i,
             Role role) const;  // the nearest that holds it, not itself, or -1; never beyond a function for others
  int function_of(int i) const { return around(i, Role::function); }
  bool within(int i, int outer) const { return i >= outer && i < (*this)[outer].past; }

  int target_of(int assignment) const;  // what it sets, or -1

 private:
  using Named = std::unordered_map<std::string_view, std::vector<int>>;
  static const std::vector<int>& of(const Named& named, std::string_view name) {
    static const std::vector<int> none;
    auto at = named.find(name);
    return at == named.end() ? none : at->second;
  }
  void step(std::size_t bytes) const {
    steps_ += 1 + bytes / kBytesAStep;
    if (steps_ > most_steps_) throw TooMuch();
  }
  void take_import(int i);
  void index();

  const Language* language_ = nullptr;
  std::string_view source_;
  std::vector<Node> nodes_;
  Named functions_, assignments_;
  std::unordered_set<std::string_view> imported_;
  double broken_ = 0;
  std::uint64_t most_steps_ = ~std::uint64_t{0};
  mutable std::uint64_t steps_ = 0;
};

inline constexpr int kDeepest = 400;

}  // namespace retrial::scan
