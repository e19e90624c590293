#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "trace/record.h"
#include "trace/segment.h"

namespace retrial::trace {
namespace {
using record::RecordHead;

constexpr std::string_view kNotEnded = "the trace stops before the run has ended";

// Puts runs together from segments in the order in which they were written.
class Collector {
 public:
  explicit Collector(std::optional<std::uint64_t> only = {}) : only_(only) {}

  Result<void> add(std::string_view bytes, std::string_view name) {
    record::SegmentHead head{};
    std::memcpy(&head, bytes.data(), std::min(bytes.size(), sizeof head));
    if (std::all_of(head.magic, head.magic + sizeof head.magic, [](char c) { return c == 0; }))
      return {};  // allocated, never begun
    if (std::memcmp(head.magic, record::kMagic, sizeof head.magic) != 0)
      return fail("this is no segment of a trace", std::string(name), Blame::user);
    if (head.version != record::kVersion)
      return fail(fmt::format("this trace was written by another version of Retrial: its format is {}, {} is read here",
                              head.version, record::kVersion),
                  std::string(name), Blame::user);
    std::uint64_t last = 0;  // the run whose record came last
    for (std::size_t at = sizeof head; bytes.size() - std::min(at, bytes.size()) >= sizeof(RecordHead);) {
      auto rest = bytes.substr(at);
      RecordHead r;
      std::memcpy(&r, rest.data(), sizeof r);
      if (r.length == 0) break;
      if (r.length > rest.size() - sizeof r) {
        damaged(last, fmt::format("{}: a record at byte {} is cut off", name, at));
        break;
      }
      auto payload = rest.substr(sizeof r, r.length);
      if (crc32c(rest.substr(record::kChecked, sizeof r - record::kChecked + r.length)) != r.crc) {
        damaged(runs_.contains(r.run) ? r.run : last, fmt::format("{}: a record at byte {} is damaged", name, at));
        break;
      }
      last = r.run;
      if ((!only_ || *only_ == r.run) && !take(r, payload)) {
        damaged(r.run, fmt::format("{}: a record at byte {} cannot be read", name, at));
        break;
      }
      at += record::padded(sizeof r + r.length);
    }
    return {};
  }

  std::vector<Run> done() {
    std::vector<Run> out;
    for (auto& [id, part] : runs_) {
      auto& run = part.run;
      run.id = id;
      if (!part.damage.empty())
        run.incomplete = part.damage;
      else if (part.headless && run.incomplete.empty())
        run.incomplete = fmt::format("the beginning of the trace was removed: {} records of earlier exchanges are left",
                                     part.headless);
      else if (!part.ended && run.incomplete.empty())
        run.incomplete = kNotEnded;
      // Nearly always they are: loops that share a run are the exception.
      if (!std::ranges::is_sorted(run.exchanges, {}, &Exchange::id))
        std::ranges::sort(run.exchanges, {}, &Exchange::id);
      out.push_back(std::move(run));
    }
    return out;
  }

 private:
  struct Part {
    Run run;
    bool ended = false;
    std::uint64_t headless = 0;  // records of exchanges whose first record is not there
    std::string damage;
    std::unordered_map<std::uint64_t, std::size_t> exchanges;  // id to its place
  };

  void damaged(std::uint64_t run, std::string what) {
    if (only_ && *only_ != run) return;
    auto& damage = runs_[run].damage;
    if (damage.empty()) damage = std::move(what);
  }

  bool take(const RecordHead& r, std::string_view payload) {
    auto& part = runs_[r.run];
    switch (static_cast<RecordKind>(r.kind)) {
      case RecordKind::run:
      case RecordKind::end: {
        Run read;
        if (!record::decode_run(payload, read)) return false;
        if (part.ended) return true;  // another loop's segment of a run that has ended
        read.exchanges = std::move(part.run.exchanges);
        part.run = std::move(read);
        part.ended |= r.kind == static_cast<std::uint32_t>(RecordKind::end);
        return true;
      }
      case RecordKind::head: {
        Exchange e;
        if (!record::decode_head(payload, e)) return false;
        auto [it, fresh] = part.exchanges.try_emplace(e.id, part.run.exchanges.size());
        if (fresh) part.run.exchanges.push_back(std::move(e));
        return fresh;
      }
      case RecordKind::answer:
        return change(part, payload, record::decode_answer);
      case RecordKind::fired:
        return change(part, payload, record::decode_fired);
      case RecordKind::over:
        return change(part, payload, record::decode_over);
    }
    return false;
  }
  static bool change(Part& part, std::string_view payload, bool (*decode)(std::string_view, Exchange&)) {
    auto it = part.exchanges.find(record::exchange_of(payload));
    if (it == part.exchanges.end()) return ++part.headless > 0;
    return decode(payload, part.run.exchanges[it->second]);
  }

  std::optional<std::uint64_t> only_;
  std::map<std::uint64_t, Part> runs_;
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

Result<void> collect(const std::filesystem::path& folder, Collector& collector) {
  auto files = segments_below(folder);
  if (!files) return std::unexpected(files.error());
  for (auto& file : *files) {
    std::error_code error;
    std::string bytes(std::filesystem::file_size(file, error), '\0');
    std::ifstream in(file, std::ios::binary);
    if (error || !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      return fail_errno("cannot read the trace", error ? error.value() : errno, file, Blame::user);
    if (auto ok = collector.add(bytes, file.string()); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<std::vector<Run>> read_segments(const std::filesystem::path& folder) {
  Collector collector;
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
  if (auto ok = collector.add(bytes, name); !ok) return std::unexpected(ok.error());
  return collector.done();
}

}  // namespace retrial::trace
