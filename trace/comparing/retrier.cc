#include "trace/comparing/retrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <ranges>
#include <set>

#include "base/text.h"
#include "trace/calls/activation.h"

namespace retrial::trace {
namespace {

std::set<std::uint64_t> runs_of(std::string_view stack) {
  std::set<std::uint64_t> runs;
  while (auto a = take_activation(stack)) runs.insert(a->run);
  return runs;
}

struct Library {
  std::uint64_t run = 0;
  std::string name;
  bool operator==(const Library&) const = default;
};
std::vector<Library> libraries_of(std::string_view text) {
  std::vector<Library> out;
  while (!text.empty()) {
    auto end = std::min(text.find(','), text.size());
    auto one = text.substr(0, end);
    Library library;
    auto [at, error] = std::from_chars(one.data(), one.data() + one.size(), library.run);
    auto digits = static_cast<std::size_t>(at - one.data());
    if (error == std::errc() && digits + 1 < one.size() && *at == ':') {
      library.name = percent_decode(one.substr(digits + 1));
      out.push_back(std::move(library));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// gRPC's own libraries count what they send again, in a header (gRFC A6), but for what was refused: what does not
// count itself another one has sent again through them, an interceptor of the application say.
bool is_of_grpc(std::string_view name) {
  name = name.substr(0, name.find(' '));
  for (std::string_view known : {"@grpc/grpc-js", "grpcio", "grpc", "google.golang.org/grpc"})
    if (name == known) return true;
  return name.starts_with("io.grpc");
}
bool counts_itself(const Call& call) {
  for (std::size_t i = 1; i < call.attempts.size(); i++)
    if (call.attempts[i]->grpc.previous == 0 && !call.attempts[i - 1]->refused) return false;
  return true;
}

// What runs once whatever is handed to it, when its turn comes; and Node itself.
bool only_runs(std::string_view name) {
  name = name.substr(0, name.find(' '));
  for (std::string_view known : {"Node", "p-limit", "p-queue", "p-map", "p-all", "p-settle", "p-throttle",
                                 "async-mutex", "async-sema", "@supercharge/promise-pool"})
    if (name == known) return true;
  return false;
}

bool passes(const std::vector<Library>& libraries, std::uint64_t run) {
  return std::ranges::find(libraries, run, &Library::run) != libraries.end();
}

// As agents hash a place: CRC-32 (ISO 3309) of "file:line:function".
std::uint64_t marked_place(const Frame& f) {
  auto text = fmt::format("{}:{}:{}", f.file, f.line, f.function);
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return crc.checksum();
}

// As Node's agent hashes a place: FNV-1a, 32 bits, of "file:line:function".
std::uint64_t entered_place(const Frame& f) {
  constexpr std::uint32_t kBasis = 0x811c9dc5, kPrime = 0x01000193;
  std::uint32_t hash = kBasis;
  for (char c : fmt::format("{}:{}:{}", f.file, f.line, f.function))
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

// A library that was entered by a function that this request does not come from is over: what has awaited it goes on in
// its course, as a test does in that of the server which it has started.
bool is_over(const Activation& a, const Exchange& e) {
  if (!a.entry || !e.tag.site || a.run == latest_run(e.tag.stack)) return false;
  auto frames = frames_of(*e.tag.site);
  return std::ranges::find(frames, a.place, entered_place) == frames.end();
}

// The innermost activation of the first attempt that every other comes from too.
std::optional<Activation> shared_by_all(const Call& call) {
  std::vector<std::set<std::uint64_t>> others;
  for (auto* e : call.attempts) {
    if (e->tag.stack.empty() || e->pid != call.first().pid) return {};
    if (e != &call.first()) others.push_back(runs_of(e->tag.stack));
  }
  std::optional<Activation> found;
  for (std::string_view left = call.first().tag.stack; auto a = take_activation(left);)
    if (!is_over(*a, call.first()) && std::ranges::all_of(others, [&](auto& runs) { return runs.contains(a->run); }))
      found = a;
  return found;
}

// Does its agent say which runs of the application's own functions it comes from, or those of entries alone?
bool marks_frames(const Exchange& e) {
  if (!e.tag.site) return false;
  auto place = marked_place(frames_of(*e.tag.site).front());
  for (std::string_view left = e.tag.stack; auto a = take_activation(left);)
    if (a->place == place) return true;
  return false;
}

bool same_function(const Frame& a, const Frame& b) { return a.file == b.file && a.function == b.function; }

using Chains = std::vector<std::vector<Frame>>;  // of each attempt

// None where an attempt has none, or is of another process.
Chains chains_of(const Call& call) {
  Chains chains;
  for (auto* e : call.attempts) {
    if (!e->tag.site || e->pid != call.first().pid) return {};
    chains.push_back(frames_of(*e->tag.site));
  }
  return chains;
}

bool in_all(const Chains& chains, const Frame& frame) {
  return std::ranges::all_of(chains, [&](auto& chain) {
    return std::ranges::any_of(chain, [&](auto& f) { return same_function(f, frame); });
  });
}

std::string outermost_of_all(const Chains& chains) {
  auto found = std::ranges::find_if(chains.front() | std::views::reverse, [&](auto& f) { return in_all(chains, f); });
  return found == chains.front().rend() ? std::string() : show(*found);
}

// A function that waited between two attempts goes on, and nobody's call of it is running any more: it is the outermost
// that runs. What a library sends again by itself says nothing of it. Where that is not one and the same, the outermost
// that all attempts have in common.
std::string went_on(const Call& call, const Chains& chains) {
  std::optional<Frame> base;
  bool one = true;
  for (std::size_t i = 1; i < chains.size(); i++) {
    auto &before = call.attempts[i - 1]->tag, &now = call.attempts[i]->tag;
    auto runs = running(*now.site);
    if (runs == 0 || (!now.call_id.empty() && now.call_id == before.call_id)) continue;
    auto& frame = chains[i][runs - 1];
    one &= !base || same_function(*base, frame);
    base = frame;
  }
  if (!base) return {};
  return one && in_all(chains, *base) ? show(*base) : outermost_of_all(chains);
}

// Of whole stacks without marks. A function that comes to the next attempt by another line has not returned; where all
// go on from the same lines, it is the one that is said to go on, else nothing is seen of which of them does.
std::string by_lines(const Call& call, const Chains& chains) {
  if (chains.empty()) return {};
  for (auto& frame : chains.front() | std::views::reverse)
    if (in_all(chains, frame) &&
        !std::ranges::all_of(chains, [&](auto& chain) { return std::ranges::find(chain, frame) != chain.end(); }))
      return show(frame);
  auto one = went_on(call, chains);
  return one.empty() ? outermost_of_all(chains) : one;
}

// Of Node: each later attempt is a call of its own, by a statement of the test that nothing awaits. Not where orders
// are looked at: then Go's agent says strands too, and not what awaits.
bool test_runs_at_each(const Call& call) {
  for (std::size_t i = 1; i < call.attempts.size(); i++) {
    auto &before = call.attempts[i - 1]->tag, &now = call.attempts[i]->tag;
    if (call.attempts[i]->pid != call.first().pid || !now.site || now.call_id.empty() || now.statement == 0 ||
        now.stack.empty() || now.stack.starts_with('/') || names_functions(now.stack) ||
        now.call_id == before.call_id || running(*now.site) > 0)
      return false;
  }
  return true;
}

}  // namespace

std::size_t running(const CallSite& site) {
  auto parted = (site.callers + ",").find(site.callers.starts_with(',') ? "," : ",,");
  if (parted >= site.callers.size()) return 0;
  auto inner = site;
  inner.callers.resize(parted);
  return frames_of(inner).size();
}

std::string retrier(const Call& call) {
  if (call.attempts.size() < 2) return {};
  bool marks = std::ranges::any_of(call.attempts, [](auto* e) { return !e->tag.stack.empty(); });
  auto shared = shared_by_all(call);
  if (marks && !shared) return marks_frames(call.first()) ? std::string() : went_on(call, chains_of(call));
  std::vector<std::vector<Library>> passed;
  bool one_entry = !call.first().tag.call_id.empty();
  for (auto* e : call.attempts) {
    passed.push_back(libraries_of(e->tag.libraries));
    one_entry &= e->tag.call_id == call.first().tag.call_id;
  }
  auto by_library = [&] {
    bool not_by_grpc = call.first().grpc.is && !counts_itself(call);
    auto of_all = [&](auto& library) {
      return !(not_by_grpc && is_of_grpc(library.name)) && !only_runs(library.name) &&
             std::ranges::all_of(passed, [&](auto& all) { return std::ranges::count(all, library) > 0; });
    };
    auto found = std::ranges::find_if(passed.front() | std::views::reverse, of_all);
    return found == passed.front().rend() ? std::string() : found->name;
  };
  if (!marks) {
    auto library = by_library();
    return library.empty() && !one_entry ? by_lines(call, chains_of(call)) : library;
  }
  if (passes(passed.front(), shared->run)) {
    auto library = by_library();
    return library.empty() ? went_on(call, chains_of(call)) : library;
  }
  if (!call.first().tag.site) return {};
  auto frames = frames_of(*call.first().tag.site);
  auto frame = std::ranges::find(frames, shared->place, marked_place);
  if (frame == frames.end()) return {};
  return one_entry ? by_library() : show(*frame);
}

bool sent_by_test(const Call& call) {
  if (call.attempts.size() < 2 || !retrier(call).empty()) return false;
  return marks_frames(call.first()) ? shared_by_all(call).has_value() : test_runs_at_each(call);
}

}  // namespace retrial::trace
