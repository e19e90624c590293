// retrial_recount FOLDER: what a recording holds, read record by record, so that a day of traffic needs no memory for
// it. Prints JSON: exchanges, those without an end, records that could not be read; and by path: exchanges, fired
// faults, endings. Exit status 1 where a segment could not be read.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "trace/exchange.h"
#include "trace/recording/record.h"
#include "trace/recording/segment_image.h"

using namespace retrial;
using namespace retrial::trace;

namespace {
struct Path {
  std::uint64_t exchanges = 0, fired = 0;
  std::map<std::string, std::uint64_t> faults, endings;
};
class Recount {
 public:
  bool read(const std::filesystem::path& file) {
    auto image = read_segment(file);
    if (!image || !*image) return bool(image);
    std::string_view all = (*image)->bytes;
    if (all.size() < sizeof(record::SegmentHead)) return all.empty();
    for (std::size_t at = sizeof(record::SegmentHead); all.size() - at >= sizeof(record::RecordHead);) {
      record::RecordHead r;
      std::memcpy(&r, all.data() + at, sizeof r);
      if (r.length == 0) return true;
      if (r.length > all.size() - at - sizeof r) return false;
      if (crc32c(all.substr(at + record::kChecked, sizeof r - record::kChecked + r.length)) != r.crc) return false;
      if (!take(r, all.substr(at + sizeof r, r.length))) return false;
      at += record::padded(sizeof r + r.length);
      if (at > all.size()) return false;
    }
    return true;
  }
  nlohmann::json json() const {
    nlohmann::json out{
        {"exchanges", heads_}, {"open", open_.size()}, {"headless", headless_}, {"paths", nlohmann::json::object()}};
    for (auto& [name, p] : paths_)
      out["paths"][name] = {
          {"exchanges", p.exchanges}, {"fired", p.fired}, {"faults", p.faults}, {"endings", p.endings}};
    return out;
  }

 private:
  bool take(const record::RecordHead& r, std::string_view payload) {
    Exchange e;
    auto kind = static_cast<RecordKind>(r.kind);
    if (kind == RecordKind::head) {
      if (!record::decode_head(payload, e)) return false;
      auto& path = paths_[e.target.substr(0, e.target.find('?'))];
      path.exchanges++;
      heads_++;
      return open_.emplace(std::pair(r.run, e.id), &path).second;
    }
    if (kind != RecordKind::fired && kind != RecordKind::over) return true;
    auto found = open_.find({r.run, record::exchange_of(payload)});
    if (found == open_.end()) return ++headless_ > 0;
    auto& path = *found->second;
    if (kind == RecordKind::fired) {
      if (!record::decode_fired(payload, e)) return false;
      path.fired++;
      path.faults[show(e.fault)]++;
      return true;
    }
    open_.erase(found);
    if (!record::decode_over(payload, e)) return false;
    path.endings[std::string(show(e.ending))]++;
    return true;
  }

  struct Hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& id) const {
      return id.first * 31 + id.second;
    }
  };
  std::map<std::string, Path> paths_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, Path*, Hash> open_;
  std::uint64_t heads_ = 0, headless_ = 0;
};
}  // namespace

int main(int count, char** args) {
  if (count != 2) {
    std::fprintf(stderr, "usage: retrial_recount FOLDER\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::recursive_directory_iterator(args[1]))
    if (entry.path().extension() == ".seg") files.push_back(entry.path());
  // "10000.seg" comes after "9999.seg".
  std::ranges::sort(files, {}, [](auto& p) { return std::tuple(p.filename().string().size(), p.filename().string()); });
  Recount recount;
  int unreadable = 0;
  for (auto& file : files) unreadable += !recount.read(file);
  auto out = recount.json();
  out["segments"] = files.size();
  out["unreadable"] = unreadable;
  std::printf("%s\n", out.dump().c_str());
  return unreadable ? 1 : 0;
}
