// What an Envoy says: whatever comes, in whatever pieces, the same messages are found in it; what is read of one are
// views into it, and no line of a head is ended by what it holds. The first byte chooses pieces and the message's kind.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/envoy_log.h"
#include "proxy/codec/ext_proc.h"
#include "proxy/codec/grpc_messages.h"

using namespace retrial::proxy;

namespace {
constexpr std::size_t kMost = 1 << 16, kMostFields = 100;

struct Taken {
  std::vector<std::string> messages;
  GrpcMessages::Wrong wrong;
  bool operator==(const Taken&) const = default;
};
Taken taken(std::string_view bytes, std::size_t piece) {
  GrpcMessages messages(kMost);
  Taken all{};
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    auto some = bytes.substr(from, piece);
    for (std::string_view message; messages.next(some, message);) {
      if (message.size() > kMost) std::abort();
      all.messages.emplace_back(message);
    }
  }
  if (messages.holds() > 2 * (kMost + 16)) std::abort();
  all.wrong = messages.wrong();
  return all;
}
void within(std::string_view view, std::string_view message) {
  if (!view.empty() && (view.data() < message.data() || view.data() + view.size() > message.data() + message.size()))
    std::abort();
}
void one_line(const std::vector<EnvoyField>& fields, std::string_view message) {
  if (fields.size() > kMostFields + 2) std::abort();
  for (auto& f : fields) {
    within(f.value, message);
    if (f.name.empty() || f.name.find_first_of("\r\n") != f.name.npos || f.value.find_first_of("\r\n") != f.value.npos)
      std::abort();
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = taken(bytes, size);
  if (whole != taken(bytes, 1) || whole != taken(bytes, 1 + (data[0] >> 1))) std::abort();
  whole.messages.emplace_back(bytes);
  for (auto& message : whole.messages) {
    Processing seen;
    if (auto why = read_processing(message, kMostFields, seen); why.empty()) {
      if (seen.part == Processing::Part::nothing) std::abort();
      one_line(seen.fields, message);
      within(seen.body, message);
      within(seen.code_details, message);
    }
    LogReader reader(message);
    LogEntry entry;
    while (reader.next(kMostFields, entry)) {
      for (auto* fields : {&entry.request_fields, &entry.response_fields, &entry.trailers}) one_line(*fields, message);
      if (entry.status != 0 && (entry.status < 100 || entry.status > 999)) std::abort();
      for (auto time : {entry.began, entry.request_read, entry.answered, entry.service_done, entry.told})
        if (time < 0) std::abort();
    }
  }
  return 0;
}
