#include "checkers/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "checkers/deed.h"
#include "checkers/index.h"
#include "checkers/leases.h"

namespace retrial::checkers {
namespace {

constexpr std::size_t kLookedBack = 200;  // requests before one that may stand behind it
constexpr std::size_t kLongestWord = 40;  // of a value that a write always brings about

bool lies_in(const std::string& inner, const std::string& outer) {
  return inner == outer || (inner.starts_with(outer) && inner[outer.size()] == '/');
}
bool lies_right_in(const std::string& inner, const std::string& outer) {
  return lies_in(inner, outer) && inner != outer && inner.find('/', outer.size() + 1) == inner.npos;
}
bool touches(const Deed& w, const Deed& r) { return lies_in(w.spot, r.spot) || lies_in(r.spot, w.spot); }

// What a state is called: "closed", "in-review", true.
bool is_word(const Leaf& leaf) {
  return leaf.kind != Leaf::Kind::array && leaf.kind != Leaf::Kind::number && !leaf.text.empty() &&
         leaf.text.size() <= kLongestWord && std::ranges::all_of(leaf.text, [](char c) {
           return std::isalpha(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == ' ';
         });
}
// Two that are called alike, and none of them has a namesake in the other's very place.
bool are_one(const Body& left_of, const Leaf& left, const Body& right_of, const Leaf& right) {
  if (last_name(left.path) != last_name(right.path)) return false;
  auto same = [](const Leaf* there, const Leaf& leaf) { return there && there->text == leaf.text; };
  return left.path == right.path || (!same(right_of.at(left.path), left) && !same(left_of.at(right.path), right));
}
bool is_item(const Leaf& leaf) { return leaf.in_array && !leaf.path.ends_with('#'); }

class Proposer {
 public:
  Proposer(const std::string& test, Candidates& out) : test_(test), out_(out) {}

  void take(const Deed& d) {
    if (d.fate == Fate::done) of_one(d);
    if (d.looks() && (d.fate == Fate::done || d.missing())) of_read(d);
    if (!d.looks() && refused_as_held(d)) of_refusal(d);
    before_.push_back(&d);
    if (before_.size() > kLookedBack) before_.pop_front();
  }

 private:
  void add(Rule rule, const Deed* w, const Deed* r, Field field = {}) {
    auto& e = w ? *w->e : *r->e;
    Checker c{.rule = rule,
              .service = service_of(e),
              .after = w ? w->e->operation : "",
              .then = r ? r->e->operation : "",
              .test = test_};
    for (auto* operation : {&c.after, &c.then})
      if (!operation->empty() && words_of(*operation).empty()) return;
    auto key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(rule), c.service, c.after, c.then, field.left,
                           field.right);
    if (!field.left.empty() || !field.right.empty()) c.fields = {std::move(field)};
    if (out_.size() < kMostCandidates) out_.try_emplace(std::move(key), std::move(c));
  }

  void of_one(const Deed& d) {
    bool names_itself =
        d.made || (d.e->method == "POST" && d.kind == predict::Kind::create);  // its path is what it answered
    for (auto& leaf : d.answer.leaves) {
      if (leaf.in_array || leaf.kind == Leaf::Kind::array) continue;
      if (leaf.text == d.last_segment() && !names_itself) add(Rule::echoes, nullptr, &d, {"{path}", leaf.path});
      for (auto& sent : d.request.leaves)
        if (!sent.in_array && sent.text == leaf.text && are_one(d.request, sent, d.answer, leaf))
          add(Rule::echoes, nullptr, &d, {sent.path, leaf.path});
      double value = 0;
      if (!number_of(leaf, value)) continue;
      if (d.looks()) add(Rule::never_falls, nullptr, &d, {"", leaf.path});
      if (!d.looks()) add(Rule::rises, &d, nullptr, {"", leaf.path});
      for (auto array : d.answer.arrays())
        if (value == static_cast<double>(d.answer.length(array)))
          add(Rule::counts, nullptr, &d, {std::string(array) + "[]", leaf.path});
    }
    if (d.kind == predict::Kind::lease) add(Rule::excludes, &d, nullptr);
  }

  // What was granted just before.
  void of_refusal(const Deed& d) {
    auto asked = d.asked();
    for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
      auto& w = **it;
      if (w.looks() || w.fate != Fate::done || !lies_in(w.spot, asked)) continue;
      if (w.e->operation == d.e->operation && w.asked() == asked) add(Rule::excludes, &w, nullptr);
      return;
    }
  }

  // What the last write brought about: a value that it did not send, and that was another before.
  void of_outcome(const Deed& r) {
    auto it = std::ranges::find_if(before_.rbegin(), before_.rend(),
                                   [&](auto* d) { return !d->looks() && d->fate == Fate::done && touches(*d, r); });
    if (it == before_.rend() || ((*it)->spot != r.spot && !lies_right_in((*it)->spot, r.spot))) return;
    auto& w = **it;
    for (auto& leaf : r.answer.leaves) {
      if (leaf.in_array || !is_word(leaf) || w.request.has(leaf.path)) continue;
      auto known = std::find_if(it + 1, before_.rend(), [&](auto* d) {
        return d->spot == r.spot && d->fate == Fate::done && d->e->operation != w.e->operation &&
               d->answer.has(leaf.path);
      });
      if (known != before_.rend() && (*known)->answer.at(leaf.path)->text != leaf.text)
        add(Rule::becomes, &w, &r, {"'" + leaf.text + "'", leaf.path});
    }
  }

  void of_read(const Deed& r) {
    add(Rule::same_answer, nullptr, &r);
    if (r.fate == Fate::done) of_outcome(r);
    const Deed* earlier = nullptr;  // the read before of the same
    std::vector<const Deed*> between;
    for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
      auto& w = **it;
      if (w.e->service != r.e->service) continue;
      if (w.looks()) {
        if (!earlier && w.spot == r.spot && w.e->operation == r.e->operation && w.fate == Fate::done) earlier = &w;
        continue;
      }
      if (w.fate != Fate::done) continue;
      bool same = w.spot == r.spot;
      if (same || lies_right_in(w.spot, r.spot)) of_pair(w, r, same);
      if (!earlier && lies_in(w.spot, r.spot)) between.push_back(&w);
    }
    bool one_kind =
        std::ranges::all_of(between, [&](auto* w) { return w->e->operation == between.front()->e->operation; });
    if (earlier && !between.empty() && one_kind && r.fate == Fate::done) of_change(*earlier, between, r);
  }

  void of_pair(const Deed& w, const Deed& r, bool same) {
    if (w.kind == predict::Kind::end && same && r.missing()) add(Rule::gone, &w, &r);
    if (w.kind == predict::Kind::end && !same) add(Rule::unlisted, &w, &r);  // where: what `listed` has
    if (r.fate != Fate::done) return;
    for (auto& leaf : r.answer.leaves) {
      if (is_item(leaf)) {
        if (w.kind == predict::Kind::end) continue;  // it lists nothing
        if (!same && leaf.text == w.last_segment()) add(Rule::listed, &w, &r, {"{path}", leaf.path});
        for (auto& sent : w.request.leaves)
          if (!sent.in_array && sent.text == leaf.text) add(Rule::listed, &w, &r, {sent.path, leaf.path});
        continue;
      }
      for (auto& sent : w.request.leaves)
        if (!sent.in_array && !leaf.in_array && sent.text == leaf.text && are_one(w.request, sent, r.answer, leaf))
          add(Rule::reads_back, &w, &r, {sent.path, leaf.path});
      if (same && !leaf.in_array && w.kind != predict::Kind::end) of_answers(w, r, leaf);
    }
  }

  // What was answered, and not sent, is answered again.
  void of_answers(const Deed& w, const Deed& r, const Leaf& leaf) {
    for (auto& said : w.answer.leaves)
      if (!said.in_array && said.text == leaf.text && are_one(w.answer, said, r.answer, leaf) &&
          !w.request.has(said.path) && !w.request.has(leaf.path))
        add(Rule::agrees, &w, &r, {said.path, leaf.path});
  }

  void of_change(const Deed& before, const std::vector<const Deed*>& calls, const Deed& r) {
    auto& w = *calls.front();
    for (auto& leaf : r.answer.leaves) {
      auto* was = leaf.in_array ? nullptr : before.answer.at(leaf.path);
      double value = 0, earlier = 0;
      if (leaf.path.ends_with('#')) {
        auto array = leaf.path.substr(0, leaf.path.size() - 1);
        if (!array.contains("[]") && before.answer.at(array))
          moved(calls, r, array + "[]",
                static_cast<double>(r.answer.length(array)) - static_cast<double>(before.answer.length(array)));
      }
      if (!was) continue;
      if (was->text == leaf.text && !w.request.has(leaf.path)) add(Rule::keeps, &w, &r, {"", leaf.path});
      if (number_of(leaf, value) && number_of(*was, earlier)) moved(calls, r, leaf.path, value - earlier);
    }
  }

  void moved(const std::vector<const Deed*>& calls, const Deed& r, const std::string& right, double by) {
    if (by == 0) return;
    auto each = by / static_cast<double>(calls.size());
    if (each == std::floor(each))
      add(Rule::adds, calls.front(), &r, {(each > 0 ? "+" : "") + show_number(each), right});
    for (auto& sent : calls.front()->request.leaves) {
      double sum = 0, value = 0;
      bool all = std::ranges::all_of(calls, [&](auto* w) {
        auto* leaf = w->request.at(sent.path);
        bool is = leaf && number_of(*leaf, value);
        sum += is ? value : 0;
        return is;
      });
      if (all && sum != 0 && (sum == by || sum == -by))
        add(Rule::adds, calls.front(), &r, {(sum == by ? "+" : "-") + sent.path, right});
    }
  }

  const std::string& test_;
  Candidates& out_;
  std::deque<const Deed*> before_;
};

// Where the list holds what was created is where it may not hold what was deleted.
void place_unlisted(Candidates& candidates) {
  Candidates placed;
  for (auto& [key, c] : candidates) {
    if (c.rule != Rule::unlisted || !c.fields.empty()) continue;
    for (auto& [other, made] : candidates)
      if (made.rule == Rule::listed && made.then == c.then && made.service == c.service &&
          made.fields.front().left == "{path}") {
        auto here = c;
        here.fields = made.fields;
        placed.try_emplace(key + made.fields.front().right, std::move(here));
      }
  }
  for (auto& [key, c] : placed) candidates.try_emplace(key, c);
}

}  // namespace

void propose(const trace::Run& slice, const std::string& test, Candidates& candidates) {
  std::vector<Deed> deeds;
  for (auto& e : slice.exchanges) deeds.push_back(deed_of(e));
  std::ranges::stable_sort(deeds, {}, [](auto& d) { return d.e->begun; });
  Proposer proposer(test, candidates);
  for (auto& d : deeds) proposer.take(d);
  place_unlisted(candidates);
}

}  // namespace retrial::checkers
