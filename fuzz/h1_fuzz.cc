// The HTTP/1 codec: whatever comes, every byte is accounted for, and how the stream is cut into pieces changes nothing.
// The first byte chooses the side and how the stream is cut.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "proxy/codec/h1.h"

using retrial::proxy::BodyTap;
using retrial::proxy::H1Codec;

namespace {

struct Heard {
  struct Message {
    std::string head, wire, fields;
    std::uint64_t digest = 0;
    bool ended = false;
    bool operator==(const Message&) const = default;
  };
  std::vector<Message> messages;
  std::string rest;  // what was refused, or a head that is not whole
  bool refused = false;
};

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "h1_fuzz: %s\n", what);
  std::abort();
}

Heard hear(H1Codec::Side side, bool answers_head, std::string_view bytes, std::size_t piece) {
  BodyTap tap(true);
  H1Codec codec(side, tap, {.head = 4096});
  codec.answers_head(answers_head);
  Heard heard;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    auto rest = bytes.substr(from, piece);
    while (!rest.empty()) {
      auto [step, size] = codec.take(rest);
      if (size > rest.size()) wrong("more was taken than there was");
      switch (step) {
        case H1Codec::Step::more:
          break;
        case H1Codec::Step::head: {
          auto& h = codec.head();
          Heard::Message m;
          m.head = h.raw;
          for (std::size_t i = 0; i < h.fields.size(); i++) {
            auto& f = h.fields[i];
            if (f.name_end < f.name || f.name_end > h.raw.size() || f.value_end < f.value || f.value_end > h.raw.size())
              wrong("a field stands outside its head");
            m.fields.append(h.name(f)).append("\n").append(h.value(f)).append("\n").append(h.line(i)).append("\n");
          }
          m.ended = h.bodiless;
          heard.messages.push_back(std::move(m));
          break;
        }
        case H1Codec::Step::body:
        case H1Codec::Step::end:
          heard.messages.back().wire += rest.substr(0, size);
          heard.messages.back().ended = step == H1Codec::Step::end;
          heard.messages.back().digest = tap.digest();
          break;
        case H1Codec::Step::refused:
          if (size != 0) wrong("something was taken and refused");
          heard.refused = true;
          heard.rest.append(codec.unfinished())
              .append(bytes.substr(from + std::min(piece, bytes.size() - from) - rest.size()));
          return heard;
      }
      rest.remove_prefix(size);
    }
  }
  heard.rest = codec.unfinished();
  return heard;
}

std::string all_of(const Heard& heard) {
  std::string all;
  for (auto& m : heard.messages) all += m.head + m.wire;
  return all + heard.rest;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  auto side = data[0] & 1 ? H1Codec::Side::request : H1Codec::Side::response;
  bool answers_head = data[0] & 2;
  std::size_t piece = 1 + (data[0] >> 2) % 63;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = hear(side, answers_head, bytes, bytes.size());
  auto cut = hear(side, answers_head, bytes, piece);
  if (all_of(whole) != bytes || all_of(cut) != bytes) wrong("a byte was lost, or came twice");
  if (whole.refused != cut.refused || whole.messages.size() != cut.messages.size())
    wrong("pieces are heard differently");
  for (std::size_t i = 0; i < whole.messages.size(); i++) {
    // A body that breaks is passed on to the end of the piece before the one that breaks it.
    bool breaks = whole.refused && i + 1 == whole.messages.size() && !whole.messages[i].ended;
    if (breaks ? whole.messages[i].head != cut.messages[i].head : !(whole.messages[i] == cut.messages[i]))
      wrong("a message is heard differently in pieces");
  }
  return 0;
}
