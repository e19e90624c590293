#include "scan/tree.h"

#include <tree_sitter/api.h>

#include <memory>
#include <unordered_map>

#include "scan/flow.h"
#include "scan/language.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// A grammar's numbers, by what they mean here.
struct Meanings {
  std::vector<Role> roles;
  std::vector<Part> parts;
};

Meanings meanings_of(const Language& language) {
  auto* grammar = language.grammar();
  Meanings found;
  found.roles.resize(ts_language_symbol_count(grammar), Role::other);
  for (std::uint32_t n = 0; n < found.roles.size(); n++) {
    auto s = static_cast<TSSymbol>(n);
    for (auto& kind : language.kinds)
      if (ts_language_symbol_type(grammar, s) == TSSymbolTypeRegular &&
          kind.name == ts_language_symbol_name(grammar, s))
        found.roles[s] = kind.role;
  }
  found.parts.resize(ts_language_field_count(grammar) + 1, Part::none);
  for (std::uint32_t n = 1; n < found.parts.size(); n++) {
    auto f = static_cast<TSFieldId>(n);
    for (auto& field : language.fields)
      if (field.name == ts_language_field_name_for_id(grammar, f)) found.parts[f] = field.part;
  }
  return found;
}

const Meanings& meanings(const Language& language) {
  static const auto all = [] {
    std::unordered_map<const Language*, Meanings> made;
    for (auto* each : languages()) made.emplace(each, meanings_of(*each));
    return made;
  }();
  return all.at(&language);
}

// What a call calls, or the name that stands there.
std::string_view name_in(TSNode node, std::string_view source) {
  static constexpr std::string_view kMethod = "method";
  auto method = ts_node_child_by_field_name(node, kMethod.data(), kMethod.size());
  auto named = ts_node_is_null(method) ? node : method;
  return source.substr(ts_node_start_byte(named), ts_node_end_byte(named) - ts_node_start_byte(named));
}

// `raise Failed` and `loop do ... end` are calls by name.
Role role_by_name(const Language& language, Role role, std::string_view name) {
  if (role != Role::call && role != Role::name) return role;
  for (auto& call : language.calls)
    if (name == call.name) return call.role;
  return role;
}

struct Freed {
  void operator()(TSParser* p) const { ts_parser_delete(p); }
  void operator()(TSTree* t) const { ts_tree_delete(t); }
};

}  // namespace

Tree Tree::parse(const Language& language, std::string_view source) {
  Tree tree;
  tree.language_ = &language;
  tree.source_ = source;
  auto& known = meanings(language);
  std::unique_ptr<TSParser, Freed> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), language.grammar());
  std::unique_ptr<TSTree, Freed> parsed(
      ts_parser_parse_string(parser.get(), nullptr, source.data(), static_cast<std::uint32_t>(source.size())));
  if (!parsed) return tree;
  auto cursor = ts_tree_cursor_new(ts_tree_root_node(parsed.get()));
  std::vector<int> open;  // a node of each level that is kept
  std::size_t lost = 0, depth = 0;
  for (bool down = true;;) {
    if (down) {
      auto node = ts_tree_cursor_current_node(&cursor);
      auto begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
      int kept = -1;
      auto kind = ts_node_symbol(node);
      bool error = ts_node_is_error(node);
      auto role = error || kind >= known.roles.size() ? Role::other : known.roles[kind];
      if (ts_node_is_named(node) && role != Role::wrapper) {
        kept = tree.size();
        int parent = -1;
        for (auto i = open.size(); i-- > 0 && parent < 0;) parent = open[i];
        if (error) lost += end - begin;
        if (!language.calls.empty()) role = role_by_name(language, role, name_in(node, source));
        auto part = known.parts[ts_tree_cursor_current_field_id(&cursor)];
        bool of_branch = parent >= 0 && tree.nodes_[static_cast<std::size_t>(parent)].role == Role::branch;
        if (of_branch && part == Part::body) part = Part::then;  // `raise if n > 3`
        tree.nodes_.push_back({role, part, kind, begin, end, ts_node_start_point(node).row + 1, parent, kept + 1});
      }
      open.push_back(kept);
      if (++depth < kDeepest && ts_tree_cursor_goto_first_child(&cursor)) continue;
    }
    if (open.back() >= 0) tree.nodes_[static_cast<std::size_t>(open.back())].past = tree.size();
    open.pop_back();
    depth--;
    down = ts_tree_cursor_goto_next_sibling(&cursor);
    if (!down && !ts_tree_cursor_goto_parent(&cursor)) break;
  }
  ts_tree_cursor_delete(&cursor);
  if (!source.empty()) tree.broken_ = static_cast<double>(lost) / static_cast<double>(source.size());
  tree.index();
  return tree;
}

int Tree::target_of(int assignment) const {
  int target = child(assignment, Part::target);
  if (target < 0) target = child(assignment, Part::name);
  return target >= 0 ? target : first(assignment);
}

// The names that an import gives, or may give: those that stand in it, and the last part of a path.
void Tree::take_import(int i) {
  auto all = text(i);
  for (auto id : identifiers(all)) imported_.insert(id);
  for (int c = i; c < nodes_[static_cast<std::size_t>(i)].past; c++)
    if ((*this)[c].role == Role::text) imported_.insert(last_name(text(c)));
}

void Tree::index() {
  for (int i = 0; i < size(); i++) {
    auto role = (*this)[i].role;
    auto what = kind(i);
    bool required = what == "variable_declarator" && text(i).find("= require(") != std::string_view::npos;
    if (required || (role == Role::other &&
                     (what.starts_with("import_") || what.starts_with("use_decl") || what.starts_with("using_dir"))))
      take_import(i);
    if (role == Role::function) functions_[name_of_function(*this, i)].push_back(i);
    int target = role == Role::assign ? target_of(i) : -1;
    if (target < 0) continue;
    auto set = text(target);
    auto last = last_name(set);
    assignments_[last].push_back(i);
    if (set.size() > 80 || set.find(',') == set.npos || set.find('(') != set.npos) continue;
    for (auto id : identifiers(set))
      if (id != last && id != "this" && id != "self") assignments_[id].push_back(i);
  }
}

std::string_view Tree::text(int i) const {
  auto& node = (*this)[i];
  step(node.end - node.begin);
  return source_.substr(node.begin, node.end - node.begin);
}

std::string_view Tree::kind(int i) const { return ts_language_symbol_name(language_->grammar(), (*this)[i].kind); }

int Tree::next(int i) const {
  auto& node = (*this)[i];
  return node.parent >= 0 && node.past < (*this)[node.parent].past ? node.past : -1;
}

int Tree::child(int i, Part part) const {
  for (int c = first(i); c >= 0; c = next(c))
    if ((*this)[c].part == part) return c;
  return -1;
}

int Tree::around(int i, Role role) const {
  for (int p = (*this)[i].parent; p >= 0; p = (*this)[p].parent) {
    if ((*this)[p].role == role) return p;
    if ((*this)[p].role == Role::function) return -1;
  }
  return -1;
}

}  // namespace retrial::scan
