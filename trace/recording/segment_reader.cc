#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "trace/recording/record.h"
#include "trace/recording/segment.h"
#include "trace/recording/segment_file.h"
#include "trace/recording/segment_image.h"

namespace retrial::trace {
namespace {
using record::RecordHead;

// Puts runs together from records, in the order in which they come.
class Collector {
 public:
  explicit Collector(std::optional<std::uint64_t> only = {}, Reading reading = {})
      : only_(only), reading_(std::move(reading)) {}

  bool wants(std::uint64_t run) const { return !only_ || *only_ == run; }
  bool knows(std::uint64_t run) const { return runs_.contains(run); }

  void damaged(std::uint64_t run, std::string what) {
    if (!wants(run)) return;
    auto& damage = runs_[run].damage;
    if (damage.empty()) damage = std::move(what);
  }

  // A segment of it is not there any more.
  void beheaded(std::uint64_t run) {
    if (wants(run)) runs_[run].beheaded = true;
  }

  // False: the payload cannot be read.
  bool take(const RecordHead& r, std::string_view payload) {
    auto& part = runs_[r.run];
    switch (static_cast<RecordKind>(r.kind)) {
      case RecordKind::run:
      case RecordKind::end: {
        Run read;
        if (!record::decode_run(payload, read)) return false;
        part.known = true;
        if (part.ended) {  // another loop's segment of a run that has ended
          if (part.run.incomplete.empty()) part.run.incomplete = std::move(read.incomplete);
          return true;
        }
        read.exchanges = std::move(part.run.exchanges);
        if (read.incomplete.empty()) read.incomplete = std::move(part.run.incomplete);
        part.run = std::move(read);
        part.ended |= r.kind == static_cast<std::uint32_t>(RecordKind::end);
        return true;
      }
      case RecordKind::head: {
        Exchange e;
        if (!record::decode_head(payload, e)) return false;
        auto id = e.id;
        auto [it, fresh] = part.open.try_emplace(id, std::move(e));
        if (fresh && reading_.head) reading_.head(r.run, it->second);
        return fresh;
      }
      case RecordKind::answer:
        return change(part, payload, record::decode_answer) != Changed::unreadable;
      case RecordKind::fired:
        return change(part, payload, record::decode_fired) != Changed::unreadable;
      case RecordKind::over: {
        auto changed = change(part, payload, record::decode_over);
        if (changed == Changed::yes) {
          auto ended = part.open.extract(record::exchange_of(payload));
          give(r.run, part, std::move(ended.mapped()));
        }
        return changed != Changed::unreadable;
      }
    }
    return false;
  }

  std::vector<Run> done() {
    std::vector<Run> out;
    blame_all();
    for (auto& [id, part] : runs_) {
      std::map<std::uint64_t, Exchange> open;
      for (auto& [n, e] : part.open) open.emplace(n, std::move(e));
      for (auto& [n, e] : open) give(id, part, std::move(e));
      auto& run = part.run;
      run.id = id;
      if (!part.known) run.began = part.earliest;
      if (!part.ended) run.stop = Stop::cut_off, run.ended = std::max(run.began, part.latest);
      bool beheaded = part.beheaded || part.headless || !part.known;
      if (beheaded) run.known_from = part.earliest ? part.earliest : run.ended;
      if (!part.damage.empty())
        run.incomplete = part.damage;
      else if (beheaded && run.incomplete.empty())
        run.incomplete = part.headless
                             ? fmt::format("{}: {} records of earlier exchanges are left", kBeheaded, part.headless)
                             : std::string(kBeheaded);
      else if (!part.ended && run.incomplete.empty())
        run.incomplete = kNotEnded;
      std::ranges::sort(run.exchanges, {}, &Exchange::id);
      out.push_back(std::move(run));
    }
    return out;
  }

 private:
  using Open = std::unordered_map<std::uint64_t, Exchange>;
  struct Part {
    Run run;
    bool known = false;  // a record of the run itself was there
    bool ended = false;
    bool beheaded = false;
    std::uint64_t headless = 0;  // records of exchanges whose first record is not there
    std::string damage;
    Open open;
    Nanos earliest = 0, latest = 0;  // of what is told of its exchanges
  };
  enum class Changed { yes, headless, unreadable };

  // Damage before the first record of a segment is of a run that nobody knows: any of those that are there.
  void blame_all() {
    auto unknown = runs_.find(0);
    if (unknown == runs_.end() || runs_.size() == 1) return;
    for (auto& [id, part] : runs_)
      if (part.damage.empty()) part.damage = unknown->second.damage;
    runs_.erase(unknown);
  }
  static Changed change(Part& part, std::string_view payload, bool (*decode)(std::string_view, Exchange&)) {
    auto it = part.open.find(record::exchange_of(payload));
    if (it != part.open.end()) return decode(payload, it->second) ? Changed::yes : Changed::unreadable;
    part.headless++;
    return Changed::headless;
  }
  void give(std::uint64_t run, Part& part, Exchange&& e) {
    if (part.earliest == 0 || e.begun < part.earliest) part.earliest = e.begun;
    part.latest = std::max({part.latest, e.begun, e.request_read, e.answered, e.service_done, e.told});
    if (reading_.over)
      reading_.over(run, std::move(e));
    else
      part.run.exchanges.push_back(std::move(e));
  }

  std::optional<std::uint64_t> only_;
  Reading reading_;
  std::map<std::uint64_t, Part> runs_;
};

// One segment, record by record. Its time is that of the record it stands at, and never goes back.
class Cursor {
 public:
  Cursor(std::string name, SegmentImage image) : name_(std::move(name)), image_(std::move(image)) {}
  Cursor(const Cursor&) = delete;

  Result<void> begin() {
    auto head = record::head_of(bytes_);
    std::string_view magic(record::kMagic, sizeof record::kMagic);
    bool cut = bytes_.size() < offsetof(record::SegmentHead, number);
    if (cut && magic.starts_with(bytes_.substr(0, magic.size()))) return {};
    if (std::all_of(head.magic, head.magic + sizeof head.magic, [](char c) { return c == 0; }))
      return {};  // allocated, never begun
    if (!head.is_ours()) return fail("this is no segment of a trace", name_, Blame::user);
    if (!head.can_be_read())
      return fail(
          fmt::format("this trace was written by another version of Retrial: its format is {}, {} to {} are read here",
                      head.version, record::kOldest, record::kVersion),
          name_, Blame::user);
    segment_ = head.number;
    previous_ = head.previous;
    at_ = head.size();
    read();
    // What says no time (a run that begins) belongs to what comes after it.
    if (there_ && time_ == 0) time_ = first_time();
    return {};
  }
  bool there() const { return there_ || !damage_.empty(); }
  std::uint32_t previous() const { return previous_; }                // segment of its writer; 0: none
  std::uint64_t first_run() const { return there_ ? head_.run : 0; }  // before the first step; 0: not known
  Nanos time() const { return time_; }

  // Gives the record to `collector`, and goes on to the next.
  void step(Collector& collector) {
    if (!damage_.empty()) {
      collector.damaged(collector.knows(head_.run) && damaged_here_ ? head_.run : last_, std::move(damage_));
      damage_.clear();
      there_ = false;
      return;
    }
    last_ = head_.run;
    there_ = false;
    if (collector.wants(head_.run) && !collector.take(head_, payload_))
      return collector.damaged(head_.run, fmt::format("{}: a record at byte {} cannot be read", name_, at_));
    at_ += record::padded(sizeof head_ + head_.length);
    read();
  }

 private:
  void read() {
    auto rest = bytes_.substr(std::min(at_, bytes_.size()));
    head_.length = 0;
    if (rest.size() >= sizeof head_) std::memcpy(&head_, rest.data(), sizeof head_);
    if (head_.length == 0) {
      if (at_ < image_.least) damage_ = fmt::format("{}: records are missing from byte {} on", name_, at_);
      return;
    }
    if (head_.length > rest.size() - sizeof head_) {
      damage_ = fmt::format("{}: a record at byte {} is cut off", name_, at_);
      return;
    }
    payload_ = rest.substr(sizeof head_, head_.length);
    if (crc32c(rest.substr(record::kChecked, sizeof head_ - record::kChecked + head_.length)) != head_.crc) {
      damage_ = fmt::format("{}: a record at byte {} is damaged", name_, at_);
      damaged_here_ = true;
      return;
    }
    if (head_.place != record::place_of(segment_, at_)) {
      damage_ = fmt::format("{}: a record at byte {} is of another place", name_, at_);
      damaged_here_ = true;
      return;
    }
    time_ = std::max(time_, record::time_of(static_cast<RecordKind>(head_.kind), payload_));
    there_ = true;
  }
  Nanos first_time() const {
    for (auto at = at_; bytes_.size() - std::min(at, bytes_.size()) >= sizeof(RecordHead);) {
      RecordHead r;
      std::memcpy(&r, bytes_.data() + at, sizeof r);
      if (r.length == 0 || r.length > bytes_.size() - at - sizeof r) return 0;
      if (auto time = record::time_of(static_cast<RecordKind>(r.kind), bytes_.substr(at + sizeof r, r.length)))
        return time;
      at += record::padded(sizeof r + r.length);
    }
    return 0;
  }

  std::string name_;
  const SegmentImage image_;
  const std::string_view bytes_ = image_.bytes;
  std::uint32_t segment_ = 0, previous_ = 0;
  std::size_t at_ = 0;
  RecordHead head_{};
  std::string_view payload_;
  Nanos time_ = 0;
  std::uint64_t last_ = 0;  // the run whose record came last
  std::string damage_;
  bool there_ = false, damaged_here_ = false;
};

Result<std::vector<std::filesystem::path>> segments_below(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::filesystem::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error))
    if (it->path().extension() == ".seg" && it->is_regular_file(error)) files.push_back(it->path());
  if (error) return fail_errno("cannot read the trace", error.value(), folder, Blame::user);
  // "10000.seg" comes after "9999.seg".
  std::ranges::sort(files, {},
                    [](auto& p) { return std::tuple(p.parent_path(), p.filename().string().size(), p.filename()); });
  return files;
}

// Null where it is not there any more.
Result<std::unique_ptr<Cursor>> open(const std::filesystem::path& file) {
  auto image = read_segment(file);
  if (!image) return std::unexpected(image.error());
  if (!*image) return nullptr;
  auto cursor = std::make_unique<Cursor>(file.string(), std::move(**image));
  if (auto ok = cursor->begin(); !ok) return std::unexpected(ok.error());
  return cursor;
}

// In the order of time. Loops write side by side, each its own segments, and a segment is begun where one before it is
// full: so hardly more of them are held than there were loops.
Result<void> collect(const std::filesystem::path& folder, Collector& collector) {
  auto files = segments_below(folder);
  if (!files) return std::unexpected(files.error());
  std::vector<std::unique_ptr<Cursor>> held;
  std::unique_ptr<Cursor> next;
  auto file = files->begin();
  auto look_ahead = [&]() -> Result<void> {
    for (next.reset(); !next && file != files->end(); ++file) {
      auto opened = open(*file);
      if (!opened) return std::unexpected(opened.error());
      if (!*opened || !(*opened)->there()) continue;
      next = std::move(*opened);
      std::error_code unseen;
      auto before = next->previous() ? SegmentFile::named(file->parent_path(), next->previous()) : *file;
      if (auto run = next->first_run(); run && !std::filesystem::exists(before, unseen)) collector.beheaded(run);
    }
    return {};
  };
  auto ok = look_ahead();
  while (ok && (next || !held.empty())) {
    auto first = std::ranges::min_element(held, {}, [](auto& c) { return c->time(); });
    if (first == held.end() || (next && next->time() < (*first)->time())) {
      held.push_back(std::move(next));
      ok = look_ahead();
      continue;
    }
    (*first)->step(collector);
    if (!(*first)->there()) held.erase(first);
  }
  return ok;
}

}  // namespace

Result<std::vector<Run>> read_segments(const std::filesystem::path& folder, Reading reading) {
  Collector collector({}, std::move(reading));
  if (auto ok = collect(folder, collector); !ok) return std::unexpected(ok.error());
  return collector.done();
}
Result<Run> read_run(const std::filesystem::path& folder, std::uint64_t run) {
  Collector collector(run);
  if (auto ok = collect(folder, collector); !ok) return std::unexpected(ok.error());
  auto runs = collector.done();
  if (runs.empty()) return fail(fmt::format("the trace holds no run {}", run), folder, Blame::user);
  return std::move(runs.front());
}
Result<std::vector<Run>> read_segment_bytes(std::string_view bytes, std::string_view name) {
  Collector collector;
  Cursor cursor{std::string(name), segment_image(std::string(bytes))};
  if (auto ok = cursor.begin(); !ok) return std::unexpected(ok.error());
  while (cursor.there()) cursor.step(collector);
  return collector.done();
}

}  // namespace retrial::trace
