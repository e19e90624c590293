// The HTTP/2 codec, both roles. Whatever comes: how it is cut into pieces changes nothing; what is told follows the
// states of streams, and its fields could be passed on in HTTP/1. And two of them that talk to each other, whatever
// they are made to say, never find fault with one another, and what the one sent is what the other hears.
// The first byte chooses the role, the piece, and whether the rest is bytes, frames or what is said.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "proxy/codec/h2.h"
#include "proxy/codec/h2_frames.h"

namespace {
using namespace retrial::proxy;
using Role = H2Codec::Role;

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "h2_fuzz: %s\n", what);
  std::abort();
}

// The input, as a source of choices.
struct Choices {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool any() const { return at < end; }
  unsigned byte() { return any() ? *at++ : 0; }
  std::string_view bytes(std::size_t most) {
    auto n = std::min(most, static_cast<std::size_t>(end - at));
    at += n;
    return {reinterpret_cast<const char*>(at - n), n};
  }
};

std::string text_of(const Head& h) {
  auto& head = h;
  std::string text = head.status ? std::to_string(head.status) : std::string(head.method);
  text.append(" ").append(head.target).append(" ").append(h.authority).append("\n").append(head.raw);
  std::size_t at = 0;
  for (auto& f : head.fields) {  // the lines of `raw` are the fields, one after the other
    if (f.name != at || f.name_end <= f.name || f.value != f.name_end + 2 || f.value_end < f.value)
      wrong("a field's place");
    if (f.value_end + 2 > head.raw.size()) wrong("a field stands outside its head");
    for (char c : head.name(f))
      if (c <= ' ' || c == ':' || (c >= 'A' && c <= 'Z') || c == 127) wrong("a name that is none");
    for (char c : head.value(f))
      if (c == '\r' || c == '\n' || c == 0) wrong("a value that ends its line");
    if (f.known == FieldName::transfer_encoding || f.known == FieldName::connection) wrong("a field of connections");
    at = f.value_end + 2;
  }
  if (head.raw.substr(at) != "\r\n") wrong("a head without its end");
  for (char c : std::string(head.method) + std::string(head.target) + std::string(h.authority))
    if (c <= ' ' || c == 127) wrong("a request line that could be split");
  return text;
}

// Writes down what is told, and whether it may be.
struct Listener : H2Events {
  explicit Listener(Role role)
      : server(role == Role::server), codec(role, *this, {.head = 2000, .fields = 20, .window = 3000}) {}
  void on_settings(const H2Settings&) override { log += "settings\n"; }
  void on_head(std::uint32_t stream, const Head& h, bool end) override {
    log += std::to_string(stream) + " " + text_of(h) + (h.too_large ? "too large\n" : "");
    auto& s = told[stream];
    if (s.ended || s.head) wrong("a head where none may be");
    s.head = server || h.status >= 200;
    ends(stream, end);
  }
  void on_data(std::uint32_t stream, std::string_view data, bool end) override {
    auto& s = told[stream];
    if (s.ended || !s.head) wrong("data where none may be");
    if (data.empty() && !end) wrong("nothing was told");
    s.data += data;
    if (consumes) codec.consumed(stream, data.size());
    ends(stream, end);
  }
  void on_trailers(std::uint32_t stream, const Head& h) override {
    log += std::to_string(stream) + " trailers " + text_of(h);
    if (told[stream].ended || !told[stream].head) wrong("trailers where none may be");
    ends(stream, true);
  }
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override {
    auto& s = told[stream];
    if (s.reset || (server && !s.head)) wrong("a reset of nothing");
    s.reset = s.ended = true;
    log += std::to_string(stream) + " reset " + show_h2_error(code) + (ours ? " by us\n" : "\n");
  }
  void on_room(std::uint32_t stream) override { log += std::to_string(stream) + " room\n"; }
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override {
    log += "goaway " + std::to_string(last) + " " + std::to_string(code) + std::string(debug) + "\n";
  }
  void ends(std::uint32_t stream, bool end) {
    if (!end) return;
    told[stream].ended = true;
    log += std::to_string(stream) + " end\n";
  }
  struct Told {
    bool head = false, ended = false, reset = false;
    std::string data;
    bool operator==(const Told&) const = default;
  };
  bool server;
  bool consumes = false;
  std::string log;
  std::map<std::uint32_t, Told> told;
  H2Codec codec;
};

constexpr H2Field kRequest[] = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}};

struct Outcome {
  std::string log, out, failure, fault;
  std::map<std::uint32_t, Listener::Told> told;
  bool ok = true, speaks = true;
  std::size_t streams = 0;
  bool operator==(const Outcome&) const = default;
};
Outcome hear(Role role, std::string_view bytes, std::size_t piece) {
  Listener l(role);
  l.codec.start({.max_streams = 5, .connect_protocol = true});
  for (int i = 0; role == Role::client && i < 4; i++) l.codec.head(l.codec.open(), kRequest, i % 2 == 0);
  Outcome o;
  for (std::size_t from = 0; o.ok && from < bytes.size(); from += piece)
    o.ok = l.codec.take(bytes.substr(from, piece), 1);
  if (!o.ok && l.codec.failure().empty()) wrong("a failure without a reason");
  o.log = l.log;
  o.out = l.codec.out();
  o.failure = l.codec.failure();
  o.fault = l.codec.last_fault();
  o.told = l.told;
  o.speaks = l.codec.speaks_h2();
  o.streams = l.codec.streams();
  if (role == Role::server && o.streams > 5) wrong("more streams than may be");
  return o;
}

std::string_view pick(Choices& c, std::initializer_list<std::string_view> words) {
  auto n = c.byte();
  return n < 240 ? words.begin()[n % words.size()] : c.bytes(n - 239);
}
std::string block(Choices& c, bool request) {
  std::string out;
  auto add = [&](std::string_view name, std::string_view value) {
    out += std::string(1, c.byte() % 4 == 0 ? '\x40' : '\0');
    for (auto part : {name, value})
      out.append(1, static_cast<char>(part.size() & 0x7f)).append(part.substr(0, part.size() & 0x7f));
  };
  if (auto n = c.byte(); n % 8 == 7) {
    out = c.bytes(n);
  } else if (n % 8 != 6 && request) {
    out = "\x82\x86\x84";
    add(":authority", pick(c, {"a", "a:80", "b"}));
  } else if (n % 8 != 6) {
    add(":status", pick(c, {"200", "100", "204", "304", "103"}));
  }
  for (auto n = c.byte() % 5; n > 0; n--)
    add(pick(c, {"x", "content-length", "te", "host", "connection", ":path", ":method", ":protocol", "cookie"}),
        pick(c, {"", "1", "3", "trailers", "a", "CONNECT", "/"}));
  return out;
}
std::string frames(Choices& c, Role role) {
  std::string out = role == Role::server ? std::string(kH2Preface) : "";
  h2_append(out, H2Type::settings, 0, 0, {});
  while (c.any() && out.size() < 100'000) {
    auto kind = c.byte();
    auto flags = static_cast<std::uint8_t>(c.byte() & 0x2d);
    std::uint32_t stream = c.byte() % 12;
    auto type = static_cast<H2Type>(kind % 11);
    std::string payload(c.byte() % 5 == 0 ? c.bytes(c.byte()) : "");
    if (type == H2Type::headers || type == H2Type::continuation) {
      if (payload.empty()) {
        flags &= 5;
        stream |= 1;
        payload = block(c, role == Role::server);
      }
    } else if (payload.empty()) {
      payload = std::string(type == H2Type::data       ? c.byte() * 8
                            : type == H2Type::priority ? 5
                            : type == H2Type::ping     ? 8
                                                       : 4,
                            static_cast<char>(c.byte()));
      if (type == H2Type::settings)
        payload = {0,
                   static_cast<char>(c.byte() % 9),
                   0,
                   static_cast<char>(c.byte() % 2),
                   static_cast<char>(c.byte()),
                   static_cast<char>(c.byte())};
      if (type == H2Type::settings || type == H2Type::ping || type == H2Type::goaway) stream = 0;
    }
    h2_append(out, type, flags, stream, payload);
  }
  return out;
}

void cut(Role role, std::string_view bytes, std::size_t piece) {
  auto whole = hear(role, bytes, bytes.size() + 1);
  if (!(hear(role, bytes, piece) == whole)) wrong("pieces are heard differently");
  if (bytes.size() < 5000 && !(hear(role, bytes, 1) == whole)) wrong("single bytes are heard differently");
}

// --- two that talk

struct Talker : Listener {
  Talker(Role role, Choices& choices) : Listener(role), c(choices) { consumes = true; }
  struct Sent {
    std::vector<std::string> heads;
    std::string data;
    std::size_t heard_heads = 0, heard_data = 0;
  };
  void expect(std::uint32_t stream, const Head& h) {
    auto& s = other->sent[stream];
    if (s.heard_heads >= s.heads.size() || s.heads[s.heard_heads++] != text_of(h)) wrong("another head was heard");
  }
  void on_head(std::uint32_t stream, const Head& h, bool end) override {
    Listener::on_head(stream, h, end);
    expect(stream, h);
    if (server) open.push_back(stream);
  }
  void on_data(std::uint32_t stream, std::string_view data, bool end) override {
    Listener::on_data(stream, data, end);
    auto& s = other->sent[stream];
    if (s.data.compare(s.heard_data, data.size(), data) != 0) wrong("other data was heard");
    s.heard_data += data.size();
  }
  void on_trailers(std::uint32_t stream, const Head& h) override {
    Listener::on_trailers(stream, h);
    expect(stream, h);
  }
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override {
    Listener::on_reset(stream, code, ours);
    if (ours) wrong(("one finds fault with the other's stream: " + codec.last_fault()).c_str());
  }

  void send_fields(std::uint32_t stream, bool trailers, int status, bool end) {
    std::vector<H2Field> fields;
    std::string text;
    auto code = std::to_string(status);
    if (trailers) {
      text = "  \n";
    } else if (server) {
      fields.push_back({":status", code});
      text = code + "  \n";
    } else {
      fields.assign(std::begin(kRequest), std::end(kRequest));
      fields[0].value = pick(c, {"GET", "HEAD", "POST"});
      if (fields[0].value.size() < 3) fields[0].value = "PUT";
      for (char ch : fields[0].value)
        if (ch < 'A' || ch > 'Z') fields[0].value = "PUT";
      heads_only[stream] = other->heads_only[stream] = fields[0].value == "HEAD";
      text = std::string(fields[0].value) + " / a\n";
    }
    std::string names = "abcdefgh";
    std::string values(600, 'v');
    for (auto n = c.byte() % 6; n > 0; n--) {
      auto at = c.byte();
      fields.push_back({std::string_view(names).substr(at % 8),
                        std::string_view(values).substr(0, at < 250 ? at / 16 : 250), at % 5 == 0});
      text.append(fields.back().name).append(": ").append(fields.back().value).append("\r\n");
    }
    text += "\r\n";
    if (!trailers && !server && c.byte() % 4 == 0) {
      fields.push_back({"te", "trailers"});
      text.insert(text.size() - 2, "te: trailers\r\n");
    }
    sent[stream].heads.push_back(text);
    if (trailers)
      codec.trailers(stream, fields);
    else
      codec.head(stream, fields, end);
  }
  // One thing or other. What may be said of a stream is kept in `state`.
  void say() {
    auto what = c.byte();
    if (!server && (what % 8 == 0 || open.empty())) {
      if (codec.streams() >= std::min<std::size_t>(codec.peers().max_streams, 50)) return;
      auto stream = codec.open();
      if (stream == 0) return;
      open.push_back(stream);
      bool end = what & 16;
      send_fields(stream, false, 0, end);
      state[stream] = end ? 3 : 1;
      return;
    }
    if (open.empty()) return;
    auto stream = open[c.byte() % open.size()];
    auto& s = state[stream];
    if (told[stream].reset) s = 3;
    switch (what % 8) {
      case 1:  // a response, perhaps an interim one
        if (!server || s != 0) return;
        if (bool interim = what & 32; !interim) s = what & 16 ? 3 : 1;
        send_fields(stream, false, what & 32 ? 103 : 200, s == 3);
        return;
      case 2:
      case 3:
      case 4: {
        if (s != 1) return;
        bool end = what & 16;
        std::string bytes(std::min<std::size_t>(codec.room(stream), c.byte() * 40u), static_cast<char>(what));
        if (server && heads_only[stream]) bytes.clear();
        sent[stream].data += bytes;
        codec.data(stream, bytes, end);
        if (end) s = 3;
        return;
      }
      case 5:
        if (s != 1) return;
        s = 3;
        send_fields(stream, true, 0, true);
        return;
      case 6:
        if (what & 16) {
          codec.reset(stream, c.byte());
          s = 3;
          told[stream].reset = told[stream].ended = true;
        }
        return;
      default:
        if (what == 15)
          codec.settings({.header_table_size = c.byte() * 20,
                          .max_streams = 5 + c.byte() % 20,
                          .initial_window = c.byte() * 50,
                          .max_frame = 16384 + c.byte()});
    }
  }
  Choices& c;
  Talker* other = nullptr;
  std::vector<std::uint32_t> open;
  std::map<std::uint32_t, int> state;  // 0: a response may begin, 1: a body is under way, 3: nothing more
  std::map<std::uint32_t, bool> heads_only;
  std::map<std::uint32_t, Sent> sent;
};

void deliver(Talker& from, Talker& to, std::size_t most) {
  auto& out = from.codec.out();
  auto bytes = out.substr(0, most);
  out.erase(0, most);
  if (!to.codec.take(bytes, 1)) {
    if (to.codec.failure().find("too many") == std::string::npos) {
      std::fprintf(stderr, "%s\n", to.codec.failure().c_str());
      wrong("one finds fault with the other");
    }
    std::exit(0);
  }
}

void talk(Choices& c) {
  Talker client(Role::client, c), server(Role::server, c);
  client.other = &server;
  server.other = &client;
  client.codec.start({});
  server.codec.start({.max_streams = 10});
  for (int i = 0; c.any() && i < 2000; i++) {
    auto who = c.byte();
    (who & 1 ? client : server).say();
    if (who & 2) deliver(client, server, 1 + c.byte() * (who & 8 ? 1 : 100));
    if (who & 4) deliver(server, client, 1 + c.byte() * (who & 8 ? 1 : 100));
  }
  while (!client.codec.out().empty() || !server.codec.out().empty()) {
    deliver(client, server, SIZE_MAX);
    deliver(server, client, SIZE_MAX);
  }
  for (auto* t : {&client, &server})
    for (auto& [stream, s] : t->sent) {
      if (client.told[stream].reset || server.told[stream].reset) continue;
      if (s.heard_heads != s.heads.size() || s.heard_data != s.data.size()) wrong("something was not heard");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  auto role = data[0] & 1 ? Role::client : Role::server;
  std::size_t piece = 2 + (data[0] >> 3) * 7;
  Choices c{data + 1, data + size};
  switch (data[0] >> 1 & 3) {
    case 0: {
      std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
      cut(role, bytes, piece);
      std::string hello = role == Role::server ? std::string(kH2Preface) : "";
      h2_append(hello, H2Type::settings, 0, 0, {});
      cut(role, hello + bytes, piece);
      break;
    }
    case 1:
      cut(role, frames(c, role), piece);
      break;
    default:
      talk(c);
  }
  return 0;
}
