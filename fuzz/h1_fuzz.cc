// The HTTP/1 codec, both sides. Whatever comes: every byte is accounted for; how the stream is cut into pieces changes
// nothing; a body framed anew is the same body to another reader; a head as an intermediary passes it on can be read in
// one way only; and where we see one unambiguous, valid request, llhttp at its strictest finds no other end of it.
// The first byte chooses the side, whether a HEAD is answered, and how the stream is cut.
#include <llhttp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "proxy/codec/h1.h"
#include "proxy/codec/intermediary.h"
#include "proxy/codec/tap.h"

namespace {
using namespace retrial::proxy;

struct Heard {
  struct Message {
    std::string head, wire, content, framed, fields, trailers;
    bool ended = false, chunked = false, clear = false;
    bool operator==(const Message& o) const {  // `framed` has other chunks in other pieces
      return head == o.head && wire == o.wire && fields == o.fields && content == o.content && trailers == o.trailers &&
             ended == o.ended;
    }
  };
  std::vector<Message> messages;
  std::string rest;  // what was refused, or a head that is not whole
  bool refused = false;
};

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "h1_fuzz: %s\n", what);
  std::abort();
}

// As the writer of a chunked message frames it.
void frame(Heard::Message& m, std::string_view content) {
  char room[20];
  if (!content.empty()) m.framed.append(chunk_begin(content.size(), room)).append(content).append(kChunkEnd);
  if (m.ended) m.framed.append("0\r\n").append(m.trailers).append("\r\n");
}

Heard hear(H1Codec::Side side, bool answers_head, std::string_view bytes, std::size_t piece) {
  H1Codec codec(side, {.head = 4096, .fields = 50});
  codec.answers_head(answers_head);
  Heard heard;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    auto rest = bytes.substr(from, piece);
    while (!rest.empty()) {
      auto plain = codec.plain_left();
      auto [step, size, content] = codec.take(rest);
      if (size > rest.size()) wrong("more was taken than there was");
      if (plain != 0 && content.size() != std::min<std::uint64_t>(plain, rest.size()))
        wrong("what was said to be plain content was not");
      switch (step) {
        case H1Codec::Step::more:
          if (size != rest.size()) wrong("a part of a head was left lying");
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
          m.chunked = h.chunked && !h.bodiless;
          m.clear = h.ambiguous.empty() && h.invalid.empty();
          heard.messages.push_back(std::move(m));
          break;
        }
        case H1Codec::Step::body:
        case H1Codec::Step::end: {
          auto& m = heard.messages.back();
          m.wire += rest.substr(0, size);
          m.content += content;
          m.ended = step == H1Codec::Step::end;
          if (m.ended) m.trailers = lines_of(codec.trailers());
          if (!m.chunked && !m.trailers.empty()) wrong("trailers of another message");
          if (m.chunked) frame(m, content);
          break;
        }
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

void is_the_same_body(const Heard::Message& m) {
  auto again = hear(H1Codec::Side::request, false,
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + m.framed, 1 << 20);
  if (again.refused || again.messages.size() != 1 || !again.messages[0].ended) wrong("framed anew it is no body");
  if (again.messages[0].content != m.content || again.messages[0].trailers != m.trailers)
    wrong("framed anew it is another body");
}

void can_be_passed_on(H1Codec::Side side, bool answers_head, std::string_view head) {
  H1Codec codec(side, {}), again(side, {});
  codec.answers_head(answers_head);
  again.answers_head(answers_head);
  if (codec.take(head).step != H1Codec::Step::head) wrong("a head is read only once");
  auto& h = codec.head();
  std::string out;
  if (side == H1Codec::Side::request)
    pass_on(h, RequestHead{.keep_tags = false, .chunked = h.chunked, .authority = "x:1"}, out);
  else
    pass_on(h, ResponseHead{.chunked = h.chunked}, out);
  auto [step, size, content] = again.take(out);
  auto& a = again.head();
  if (step != H1Codec::Step::head || size != out.size()) wrong("what is passed on is no head");
  if (!a.ambiguous.empty() || !a.invalid.empty()) wrong("what is passed on is ambiguous or invalid");
  if (h.bodiless != a.bodiless || h.chunked != a.chunked) {
    if (side == H1Codec::Side::request || h.status == 304 || (h.status >= 200 && h.status != 204))
      wrong("what is passed on ends elsewhere");
  }
  if (side == H1Codec::Side::request && h.length != a.length) wrong("what is passed on has another length");
}

struct Other {
  std::size_t messages = 0;
  std::string body;
};
int complete(llhttp_t* parser) {
  static_cast<Other*>(parser->data)->messages++;
  return HPE_PAUSED;
}
int body(llhttp_t* parser, const char* at, size_t size) {
  static_cast<Other*>(parser->data)->body.append(at, size);
  return 0;
}

// llhttp may know less (methods, versions), and then reads nothing. What it reads must be the same message.
void is_read_alike(const Heard::Message& m) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_message_complete = complete;
  settings.on_body = body;
  llhttp_t parser;
  Other other;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &other;
  auto bytes = m.head + m.wire;
  auto error = llhttp_execute(&parser, bytes.data(), bytes.size());
  if (error != HPE_PAUSED && error != HPE_OK && error != HPE_PAUSED_UPGRADE) return;
  if (other.messages == 0) wrong("llhttp waits for more than the whole request");
  if (error == HPE_PAUSED && llhttp_get_error_pos(&parser) != bytes.data() + bytes.size())
    wrong("llhttp finds another end of the request");
  if (other.body != m.content) wrong("llhttp finds another body");
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  auto side = data[0] & 1 ? H1Codec::Side::request : H1Codec::Side::response;
  bool answers_head = data[0] & 2;
  std::size_t piece = 1 + (data[0] >> 2) % 63;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = hear(side, answers_head, bytes, bytes.size());
  if (all_of(whole) != bytes) wrong("a byte was lost, or came twice");
  for (auto cut : {piece, std::size_t{1}}) {
    auto pieces = hear(side, answers_head, bytes, cut);
    if (all_of(pieces) != bytes) wrong("a byte was lost, or came twice, in pieces");
    if (whole.refused != pieces.refused || whole.messages.size() != pieces.messages.size())
      wrong("pieces are heard differently");
    for (std::size_t i = 0; i < whole.messages.size(); i++) {
      // A body that breaks is passed on to the end of the piece before the one that breaks it.
      bool breaks = whole.refused && i + 1 == whole.messages.size() && !whole.messages[i].ended;
      if (breaks ? whole.messages[i].head != pieces.messages[i].head : !(whole.messages[i] == pieces.messages[i]))
        wrong("a message is heard differently in pieces");
    }
    if (cut == 1) continue;
    for (auto& m : pieces.messages)
      if (m.chunked && m.ended) is_the_same_body(m);
  }
  for (auto& m : whole.messages) {
    if (m.chunked && m.ended) is_the_same_body(m);
    if (!m.clear) continue;
    can_be_passed_on(side, answers_head, m.head);
    if (side == H1Codec::Side::request && m.ended) is_read_alike(m);
  }
  return 0;
}
