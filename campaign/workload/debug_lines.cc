#include "campaign/workload/debug_lines.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "base/text.h"

namespace retrial::campaign {
namespace {

using trace::Frame;

std::optional<std::uint64_t> hex(std::string_view digits) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return number;
}

// "/src/shop.cc:12 (discriminator 3)"
std::pair<std::string_view, int> file_and_line(std::string_view text) {
  text = text.substr(0, text.find(" (discriminator"));
  auto colon = text.rfind(':');
  if (colon == text.npos) return {};
  auto line = to_int(text.substr(colon + 1));
  return {text.substr(0, colon), line ? static_cast<int>(*line) : 0};
}

// What stands in parentheses: parameters, of lambdas and of functions around it too.
std::string without_parameters(std::string_view text) {
  constexpr std::string_view kNameless = "(anonymous namespace)", kCall = "operator()";
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    auto rest = text.substr(i);
    if (depth == 0 && (rest.starts_with(kNameless) || rest.starts_with(kCall))) {
      auto whole = rest.starts_with(kCall) ? kCall : kNameless;
      kept += whole;
      i += whole.size() - 1;
      continue;
    }
    if (text[i] == '(') depth++;
    if (depth == 0) kept += text[i];
    if (text[i] == ')' && depth > 0) depth--;
  }
  return kept;
}

// Behind the result's type: the last blank that stands in no brackets.
std::size_t behind_result(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '<' || text[i] == '(' || text[i] == '{' || text[i] == '[') depth++;
    if (text[i] == '>' || text[i] == ')' || text[i] == '}' || text[i] == ']') depth--;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

}  // namespace

// FILE:OFFSET,OFFSET,FILE:OFFSET
std::vector<CodeAddress> addresses_of(std::string_view frames) {
  std::vector<CodeAddress> places;
  std::string file;
  for (auto part : split(frames, ',')) {
    if (auto colon = part.rfind(':'); colon != part.npos) {
      file = percent_decode(part.substr(0, colon));
      part.remove_prefix(colon + 1);
    }
    auto offset = hex(part);
    if (file.empty() || !offset) return {};
    places.push_back({file, *offset});
  }
  return places;
}

std::string bare_function(std::string_view name) {
  if (name == "??") return {};
  name = name.substr(0, name.find(" [clone "));
  for (bool more = true; more;) {
    more = false;
    for (std::string_view end : {" const", " volatile", " &", " &&", " noexcept"})
      if (name.ends_with(end)) name.remove_suffix(end.size()), more = true;
  }
  if (auto lambda = name.rfind("}::operator()"); lambda != name.npos) name = name.substr(0, lambda + 1);
  auto bare = without_parameters(name);
  if (bare.find("operator") == bare.npos) bare.erase(0, behind_result(bare));
  constexpr std::string_view kAbi = "[abi:cxx11]";
  for (auto at = bare.find(kAbi); at != bare.npos; at = bare.find(kAbi)) bare.erase(at, kAbi.size());
  return bare;
}

std::map<std::uint64_t, std::vector<Frame>> read_addr2line(std::string_view printed) {
  std::map<std::uint64_t, std::vector<Frame>> all;
  std::vector<Frame>* frames = nullptr;
  std::optional<std::string> function;
  for (auto line : split(printed, '\n')) {
    if (line.starts_with("0x") && hex(line.substr(2))) {
      frames = &all[*hex(line.substr(2))];
      function.reset();
    } else if (frames && !function) {
      function = bare_function(line);
    } else if (frames) {
      auto [file, number] = file_and_line(line);
      if (number > 0 && !function->empty()) frames->push_back({std::string(file), number, *function});
      function.reset();
    }
  }
  return all;
}

DebugLines::DebugLines(std::filesystem::path kept) : kept_(std::move(kept)) { read_kept(); }

std::string DebugLines::key_of(const std::string& file) {
  struct stat about{};
  if (file.find_first_of("\t\n") != file.npos || stat(file.c_str(), &about) != 0) return {};
  return fmt::format("{}:{}:{}.{}", file, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

// A line a place: key, place, and its frames as those of a call site are written.
void DebugLines::read_kept() {
  std::ifstream in(kept_);
  for (std::string line; std::getline(in, line);) {
    auto parts = split(line, '\t');
    if (parts.size() != 3) continue;
    auto place = hex(parts[1]);
    if (!place) continue;
    auto& frames = known_[std::string(parts[0])][*place];
    if (auto site = trace::read_call_site(parts[2])) frames = trace::frames_of(*site);
  }
}

void DebugLines::keep(const std::string& key, std::uint64_t place, const std::vector<Frame>& frames) const {
  std::string shown;
  for (auto& frame : frames) shown += (shown.empty() ? "" : " <- ") + trace::show(frame);
  std::ofstream(kept_, std::ios::app) << fmt::format("{}\t{:x}\t{}\n", key, place, shown);
}

void DebugLines::look_up(const std::string& file, const Places& places) {
  auto [at, fresh] = keys_.try_emplace(file);
  if (fresh) at->second = key_of(file);
  if (at->second.empty()) return;
  auto& known = known_[at->second];
  Places unknown;
  for (auto place : places)
    if (!known.contains(place)) unknown.push_back(place);
  if (unknown.empty()) return;
  auto [reader, begun] = readers_.try_emplace(file);
  if (begun) reader->second = Addr2line::start(file);
  auto printed = reader->second ? reader->second->ask(unknown) : std::nullopt;
  if (!printed) return reader->second.reset();
  auto read = read_addr2line(*printed);
  for (auto place : unknown) keep(at->second, place, known[place] = std::move(read[place]));
}

const std::vector<Frame>& DebugLines::at(const std::string& file, std::uint64_t place) const {
  static const std::vector<Frame> kNone;
  auto key = keys_.find(file);
  if (key == keys_.end()) return kNone;
  auto known = known_.find(key->second);
  if (known == known_.end()) return kNone;
  auto found = known->second.find(place);
  return found == known->second.end() ? kNone : found->second;
}

}  // namespace retrial::campaign
