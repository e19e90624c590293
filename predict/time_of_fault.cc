#include "predict/time_of_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "predict/death.h"
#include "predict/order.h"

namespace retrial::predict {
namespace {

using trace::Exchange;

constexpr std::size_t kMostChecks = 64;  // that a recovery begins with: costs alone

bool answered_alike(const Exchange& a, const Exchange& b) {
  return a.service_status == b.service_status && a.response_sample == b.response_sample;
}

struct Poll {
  const Exchange* last = nullptr;
  std::size_t asked = 0;
};

// Does what comes of it depend on what is there? A lock says whether it was free, a conditional write whether something
// was there, and what is not idempotent (RFC 9110 9.2.2) changes what it finds.
bool reads(const Touch& t) {
  if (looks(t.kind) || t.kind == Kind::lease || t.kind == Kind::take) return true;
  if (t.kind == Kind::write && (t.e->method == "POST" || t.e->method == "PATCH")) return true;
  auto& e = *t.e;
  return !trace::find(e.request_headers, "if-none-match").empty() ||
         !trace::find(e.request_headers, "if-match").empty() || e.service_status == 409 || e.service_status == 412;
}

struct Reading {
  Touch touch;
  std::size_t at = 0;  // in the recovery
};

using Name = std::pair<std::string, std::string>;  // service and path

// What the recovery does first of each resource.
struct FirstReads {
  std::map<Name, Reading> by_name;
  std::vector<Reading> in_order;

  explicit FirstReads(const std::vector<const Exchange*>& recovery) {
    std::set<Name> touched;
    for (std::size_t i = 0; i < recovery.size(); i++) {
      auto t = touch_of(*recovery[i]);
      Name name{t.e->service, t.path};
      if (!touched.insert(name).second) continue;
      if (!reads(t)) continue;  // reset before it is read
      Reading reading{t, i};
      in_order.push_back(reading);
      by_name.emplace(std::move(name), std::move(reading));
    }
  }
  // That a write of this may change.
  std::vector<const Reading*> of(const Touch& w) const {
    std::vector<const Reading*> found;
    if (auto it = by_name.find({w.e->service, w.path}); it != by_name.end()) found.push_back(&it->second);
    if (!decides(w.kind)) return found;
    if (auto slash = w.path.rfind('/'); slash != w.path.npos && slash > 0)
      if (auto it = by_name.find({w.e->service, w.path.substr(0, slash)});
          it != by_name.end() && looks(it->second.touch.kind))
        found.push_back(&it->second);
    auto inner = w.path + "/";
    for (auto it = by_name.lower_bound({w.e->service, inner});
         it != by_name.end() && it->first.first == w.e->service && it->first.second.starts_with(inner); ++it)
      found.push_back(&it->second);
    return found;
  }
};

// A process, and what it sent.
struct Course {
  const trace::Run* run = nullptr;
  std::vector<const Exchange*> sent;        // in order
  std::vector<std::uint64_t> from;          // what stands for all that is sent from there on
  std::map<std::string, std::size_t> last;  // by origin: where it was sent last
  bool cut = false;                         // the process was ended: what would have followed is not known
};

// Where a process first asked something of a resource.
struct Asked {
  const Course* course = nullptr;
  std::size_t at = 0;
  const Exchange& read() const { return *course->sent[at]; }
  std::uint64_t behind() const { return course->from[at + 1]; }
  bool followed_by(const std::string& origin) const {
    auto it = course->last.find(origin);
    return it != course->last.end() && it->second > at;
  }
};

// All processes of all runs, by what they asked: to be asked what followed another answer.
class Courses {
 public:
  Courses(const trace::Run& reference, std::span<const Borne> borne) {
    add(reference);
    for (auto* run : borne) add(*run);
  }
  // Everybody who asked it, that request's own process too.
  const std::vector<Asked>& of(const Exchange& read) const {
    static const std::vector<Asked> none;
    auto it = asked_.find(key(read));
    return it == asked_.end() ? none : it->second;
  }

 private:
  static std::string key(const Exchange& e) { return origin_of(e) + "\n" + e.target; }
  static std::uint64_t hash_of(const Exchange& e, std::uint64_t behind) {
    return fnv1a(fmt::format("{}\n{}\n{}", e.operation, e.target, e.request_digest), behind);
  }
  void add(const trace::Run& run) {
    std::map<std::int32_t, std::vector<const Exchange*>> by_pid;
    for (auto& e : run.exchanges) by_pid[e.pid].push_back(&e);
    for (auto& [pid, all] : by_pid) {
      std::ranges::stable_sort(all, {}, &Exchange::begun);
      auto& course = courses_.emplace_back(Course{.run = &run, .sent = std::move(all)});
      auto& sent = course.sent;
      course.from.resize(sent.size() + 1);
      course.from.back() = fnv1a("");
      for (auto i = sent.size(); i-- > 0;) course.from[i] = hash_of(*sent[i], course.from[i + 1]);
      course.cut = std::ranges::any_of(sent, &Exchange::fired);
      std::set<std::string> known;
      for (std::size_t i = 0; i < sent.size(); i++) {
        course.last[origin_of(*sent[i])] = i;
        if (known.insert(key(*sent[i])).second) asked_[key(*sent[i])].push_back({&course, i});
      }
    }
  }
  std::deque<Course> courses_;
  std::map<std::string, std::vector<Asked>> asked_;
};

// Is it known that nothing which follows depends on what was read? (no impact)
bool without_impact(const Courses& courses, const Exchange& read) {
  auto& all = courses.of(read);
  auto own = std::ranges::find_if(all, [&](auto& asked) { return &asked.read() == &read; });
  if (own == all.end() || own->course->cut) return false;
  bool shown = false;
  for (auto& other : all) {
    if (other.course->cut || answered_alike(other.read(), read)) continue;
    if (other.behind() != own->behind()) return false;
    shown = true;
  }
  return shown;
}

// Is it known that `read` is sent only where `check` is answered as it was? (a sanity check)
bool known_to_decide(const Courses& courses, const Exchange& check, const Exchange& read) {
  bool shown = false;
  for (auto& other : courses.of(check)) {
    if (answered_alike(other.read(), check)) continue;
    if (other.followed_by(origin_of(read))) return false;
    shown = true;
  }
  return shown;
}

int breaks_of(const Touch& w, const Touch& r) {
  if (r.kind == Kind::lease || r.kind == Kind::wait || !looks(r.kind)) return 3;
  return decides(w.kind) ? 2 : 1;
}

// The pairs of one dead process.
class Pairs {
 public:
  Pairs(const Courses& courses, const Death& death) : courses_(courses), reads_(death.recovery) {}

  // `writes`: of the dead, in order, in `run`. before: they were carried out in the run in which it died. What was not
  // is not there to be checked: the recovery's look at it was answered as it will be.
  void look(const std::vector<Touch>& writes, const trace::Run& run, bool before, std::vector<MayFall>& found) {
    std::map<Name, Nanos> written;  // when last; nothing of what was not
    for (auto& w : writes)
      if (before) written[{w.e->service, w.path}] = w.e->begun;
    for (auto& w : writes)
      for (auto* r : reads_.of(w)) {
        auto why = why_not_pruned(w, *r, written);
        if (why.empty()) continue;
        found.push_back({MayFall::Kind::recovery, w.e->service, w.path, side_of(w), side_of(r->touch), &run, before,
                         true, breaks_of(w, r->touch), std::move(why)});
      }
  }

 private:
  std::string why_not_pruned(const Touch& w, const Reading& r, const std::map<Name, Nanos>& written) const {
    bool checked = false;
    for (auto& earlier : std::span(reads_.in_order).first(std::min(reads_.in_order.size(), kMostChecks))) {
      if (earlier.at >= r.at) break;
      if (earlier.touch.e->pid != r.touch.e->pid) continue;
      auto it = written.find({earlier.touch.e->service, earlier.touch.path});
      if (it == written.end() || it->second <= w.e->begun) continue;
      if (known_to_decide(courses_, *earlier.touch.e, *r.touch.e)) return {};
      checked = true;
    }
    // What changes something by itself has an impact, whatever follows.
    if (looks(r.touch.kind) && without_impact(courses_, *r.touch.e)) return {};
    return checked ? "it is read behind another, of which it is not known that it decides"
                   : "it is the first that is read of it, nothing writes it before, and nothing is read before it that "
                     "the dead writes later";
  }

  const Courses& courses_;
  FirstReads reads_;
};

// Of each pair of places the first write and the last.
void thin(std::vector<MayFall>& falls) {
  std::map<std::string, std::vector<MayFall>> by_pair;
  std::vector<std::string> order;
  for (auto& fall : falls) {
    auto key = fmt::format("{}{}", pair_of(fall), fall.before);
    auto& kept = by_pair[key];
    if (kept.empty()) order.push_back(key);
    if (kept.size() < 2)
      kept.push_back(std::move(fall));
    else if (fall.writer.begun > kept.back().writer.begun)
      kept.back() = std::move(fall);
  }
  falls.clear();
  for (auto& key : order) std::ranges::move(by_pair[key], std::back_inserter(falls));
}

}  // namespace

std::string pair_of(const MayFall& fall) {
  auto place = [](auto& side) { return (side.site ? trace::key_of(*side.site) : "") + "\n" + side.operation + "\n"; };
  return place(fall.writer) + place(fall.reader);
}

std::vector<MayFall> waits_of(const trace::Run& run) {
  std::set<std::int32_t> tests_in;
  for (auto& stage : run.stages) tests_in.insert(stage.pid);
  auto touches = touches_of(run);
  std::ranges::stable_sort(touches, {}, [](auto& t) { return t.e->answered; });
  // Reads that found nothing are no touches, and the beginning of most waits.
  std::vector<Touch> all = touches;
  for (auto& e : run.exchanges)
    if (auto t = touch_of(e); looks(t.kind) && e.service_status >= 400 && e.answered != 0) all.push_back(std::move(t));
  std::ranges::stable_sort(all, {}, [](auto& t) { return t.e->answered; });

  std::map<Name, const Touch*> written;
  std::map<std::string, Poll> polls;
  std::map<std::string, MayFall> ended;  // by who waits for what: what ended it
  for (auto& t : all) {
    auto& e = *t.e;
    if (!of_test(e)) continue;
    if (!looks(t.kind)) {
      written[{e.service, t.path}] = &t;
      if (auto slash = t.path.rfind('/'); decides(t.kind) && slash != t.path.npos && slash > 0)
        written[{e.service, t.path.substr(0, slash)}] = &t;
      continue;
    }
    auto key = fmt::format("{}\n{}\n{}", e.pid, origin_of(e), e.target);
    auto& poll = polls[key];
    auto* before = std::exchange(poll.last, &e);
    poll.asked++;
    bool waited = t.kind == Kind::wait || (before && !answered_alike(*before, e));
    auto it = written.find({e.service, t.path});
    if (!waited || it == written.end()) continue;
    auto& w = *it->second;
    auto since = before ? before->begun : e.begun;
    if (w.e->answered < since) continue;
    bool own = w.e->pid != e.pid;
    std::optional<std::string> apart;
    if (!own && !(apart = unordered(*w.e, e, {}))) continue;
    auto asked =
        t.kind == Kind::wait && !before ? std::string("one long request") : fmt::format("{} requests", poll.asked);
    ended[key] = {MayFall::Kind::wait,
                  e.service,
                  t.path,
                  side_of(w),
                  side_of(t),
                  &run,
                  true,
                  own && w.e->pid != 0 && !tests_in.contains(w.e->pid),
                  3,
                  fmt::format("{} waited for it, and {} wrote it", asked,
                              own ? fmt::format("process {}", w.e->pid) : std::string("another thread or task"))};
  }
  std::vector<MayFall> found;
  std::set<std::string> known;
  for (auto& [key, fall] : ended)
    if (known.insert(pair_of(fall)).second) found.push_back(std::move(fall));
  std::ranges::stable_sort(found, {}, [](auto& fall) { return fall.writer.begun; });
  return found;
}

std::vector<MayFall> falls_of(const trace::Run& reference, std::span<const Borne> borne) {
  std::vector<MayFall> found;
  Courses courses(reference, borne);
  auto usual = touches_of(reference);
  for (auto* run : borne) {
    auto death = death_in(reference, *run);
    if (!death.at || death.recovery.empty()) continue;
    std::vector<Touch> done, missed;
    for (auto* e : death.before)
      if (auto t = touch_of(*e); !looks(t.kind)) done.push_back(std::move(t));
    // What it would have gone on to write, as the reference has it.
    std::map<std::string, std::size_t> times;
    for (auto& w : done) times[origin_of(*w.e)]++;
    std::set<std::int32_t> roles;
    for (auto& t : usual)
      if (origin_of(*t.e) == origin_of(*death.at)) roles.insert(t.e->pid);
    for (auto& t : usual) {
      if (looks(t.kind) || !roles.contains(t.e->pid)) continue;
      if (auto& left = times[origin_of(*t.e)]; left > 0)
        left--;
      else
        missed.push_back(t);
    }
    Pairs pairs(courses, death);
    pairs.look(done, *run, true, found);
    pairs.look(missed, reference, false, found);
  }
  thin(found);
  std::ranges::stable_sort(found, std::greater{}, &MayFall::breaks);
  return found;
}

}  // namespace retrial::predict
