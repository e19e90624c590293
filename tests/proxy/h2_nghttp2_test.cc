// Conversations with nghttp2's sessions: somebody else's reading of the same RFCs.
#include <nghttp2/nghttp2.h>

#include <deque>
#include <map>

#include "tests/proxy/h2_ends.h"

namespace retrial::proxy {
namespace {
using namespace h2_test;

// The other end. A body is sent as the windows allow.
class Other {
 public:
  struct Message {
    Fields fields, trailers;
    std::vector<std::string> interim;
    std::string body;
    bool head_read = false, ended = false;
    std::uint32_t reset = 0;
  };

  explicit Other(Role role) : server_(role == Role::server) {
    nghttp2_session_callbacks* c = nullptr;
    nghttp2_session_callbacks_new(&c);
    nghttp2_session_callbacks_set_on_header_callback(c, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(c, on_close);
    if (server_)
      nghttp2_session_server_new(&session_, c, this);
    else
      nghttp2_session_client_new(&session_, c, this);
    nghttp2_session_callbacks_del(c);
  }
  ~Other() { nghttp2_session_del(session_); }
  Other(const Other&) = delete;

  void settings(std::vector<nghttp2_settings_entry> entries) {
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, entries.data(), entries.size());
  }
  std::int32_t request(const Fields& fields, std::string body = {}, Fields trailers = {}) {
    auto nvs = of(fields);
    auto provider = body_of(std::move(body), std::move(trailers));
    bool none = bodies_.back().text.empty() && bodies_.back().trailers.empty();
    return nghttp2_submit_request(session_, nullptr, nvs.data(), nvs.size(), none ? nullptr : &provider, nullptr);
  }
  void respond(std::int32_t stream, const Fields& fields, std::string body, Fields trailers = {}) {
    auto nvs = of(fields);
    auto provider = body_of(std::move(body), std::move(trailers));
    nghttp2_submit_response(session_, stream, nvs.data(), nvs.size(), &provider);
  }
  void interim(std::int32_t stream, const Fields& fields) {
    auto nvs = of(fields);
    nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream, nullptr, nvs.data(), nvs.size(), nullptr);
  }
  nghttp2_session* session() { return session_; }

  bool take(std::string_view bytes) {
    auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return nghttp2_session_mem_recv(session_, at, bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  std::string sent() {
    std::string all;
    const std::uint8_t* at = nullptr;
    for (ssize_t n; (n = nghttp2_session_mem_send(session_, &at)) > 0;)
      all.append(reinterpret_cast<const char*>(at), static_cast<std::size_t>(n));
    return all;
  }
  std::map<std::int32_t, Message> messages;

 private:
  struct Body {
    std::string text;
    Fields trailers;
  };
  static std::vector<nghttp2_nv> of(const Fields& fields) {
    std::vector<nghttp2_nv> nvs;
    auto bytes = [](const std::string& s) { return reinterpret_cast<std::uint8_t*>(const_cast<char*>(s.data())); };
    for (auto& [n, v] : fields) nvs.push_back({bytes(n), bytes(v), n.size(), v.size(), NGHTTP2_NV_FLAG_NONE});
    return nvs;
  }
  nghttp2_data_provider body_of(std::string body, Fields trailers) {
    auto& kept = bodies_.emplace_back(std::move(body), std::move(trailers));
    return {{.ptr = &kept},
            [](nghttp2_session* session, std::int32_t stream, std::uint8_t* to, std::size_t size, std::uint32_t* flags,
               nghttp2_data_source* source, void*) -> ssize_t {
              auto& b = *static_cast<Body*>(source->ptr);
              auto n = b.text.copy(reinterpret_cast<char*>(to), size);
              b.text.erase(0, n);
              if (!b.text.empty()) return static_cast<ssize_t>(n);
              *flags |= NGHTTP2_DATA_FLAG_EOF;
              if (!b.trailers.empty()) {
                *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
                auto nvs = of(b.trailers);
                nghttp2_submit_trailer(session, stream, nvs.data(), nvs.size());
              }
              return static_cast<ssize_t>(n);
            }};
  }
  static int on_header(nghttp2_session*, const nghttp2_frame* f, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
    auto& m = static_cast<Other*>(self)->messages[f->hd.stream_id];
    std::string n(reinterpret_cast<const char*>(name), name_size), v(reinterpret_cast<const char*>(value), value_size);
    if (n == ":status" && v[0] == '1')
      m.interim.push_back(v);
    else if (m.head_read)
      m.trailers.emplace_back(n, v);
    else
      m.fields.emplace_back(n, v);
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* at, std::size_t size,
                     void* self) {
    static_cast<Other*>(self)->messages[stream].body.append(reinterpret_cast<const char*>(at), size);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* f, void* self) {
    if (f->hd.type == NGHTTP2_HEADERS) {
      auto& m = static_cast<Other*>(self)->messages[f->hd.stream_id];
      m.head_read = !m.fields.empty() && m.fields[0].first.starts_with(':');
      if (!m.head_read) m.fields.clear();  // an interim one's
    }
    if ((f->hd.type == NGHTTP2_DATA || f->hd.type == NGHTTP2_HEADERS) && (f->hd.flags & NGHTTP2_FLAG_END_STREAM))
      static_cast<Other*>(self)->messages[f->hd.stream_id].ended = true;
    return 0;
  }
  static int on_close(nghttp2_session*, std::int32_t stream, std::uint32_t code, void* self) {
    static_cast<Other*>(self)->messages[stream].reset = code;
    return 0;
  }

  bool server_;
  nghttp2_session* session_ = nullptr;
  std::deque<Body> bodies_;
};

// Ours. What it has to send goes out as there is room.
struct Ours : End {
  using End::End;
  void on_room(std::uint32_t) override { push(); }
  void on_data(std::uint32_t stream, std::string_view bytes, bool end) override {
    bodies[stream].append(bytes);
    if (consumes) codec.consumed(stream, bytes.size());
    if (end) told.push_back(std::to_string(stream) + " ended");
  }
  void send(std::uint32_t stream, std::string body, std::vector<H2Field> trailing = {}) {
    waiting[stream] = std::move(body);
    trailers[stream] = std::move(trailing);
    push();
  }
  void push() {
    for (auto it = waiting.begin(); it != waiting.end();) {
      auto& [stream, body] = *it;
      auto n = std::min(body.size(), codec.room(stream));
      bool whole = n == body.size();
      auto& trailing = trailers[stream];
      codec.data(stream, std::string_view(body).substr(0, n), whole && trailing.empty());
      body.erase(0, n);
      if (whole && !trailing.empty()) codec.trailers(stream, trailing);
      it = whole ? waiting.erase(it) : std::next(it);
    }
  }
  std::map<std::uint32_t, std::string> bodies, waiting;
  std::map<std::uint32_t, std::vector<H2Field>> trailers;
};

// Until neither has anything to say. In pieces of a size that is no frame's.
void talk(Ours& ours, Other& other) {
  for (bool more = true; more;) {
    auto a = ours.sent();
    ASSERT_TRUE(a.empty() || other.take(a));
    auto b = other.sent();
    for (std::size_t from = 0; from < b.size(); from += 1013)
      ASSERT_TRUE(ours.codec.take(std::string_view(b).substr(from, 1013), 1)) << ours.codec.failure();
    more = !a.empty() || !b.empty();
  }
}
std::string noise(std::size_t size) {
  std::string text(size, 0);
  std::uint32_t x = 1;
  for (auto& c : text) c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  return text;
}

TEST(H2WithNghttp2, a_request_with_body_and_trailers_is_answered_with_the_same) {
  for (bool we_serve : {true, false}) {
    Ours ours(we_serve ? Role::server : Role::client);
    Other other(we_serve ? Role::client : Role::server);
    ours.consumes = true;
    other.settings({});
    auto up = noise(300'000), down = noise(500'000);
    if (we_serve) {
      auto stream = static_cast<std::uint32_t>(other.request(post({{"x-a", "1"}}), up, {{"x-sum", "2"}}));
      talk(ours, other);
      EXPECT_EQ(ours.heard(), (Told{"settings", "1 POST / a x-a=1", "1 trailers x-sum=2"}));
      EXPECT_TRUE(ours.bodies[stream] == up);
      H2Field early[] = {{":status", "103"}, {"link", "l"}}, head[] = {{":status", "200"}, {"x-b", "3"}};
      ours.codec.head(stream, early, false);
      ours.codec.head(stream, head, false);
      ours.send(stream, down, {{"grpc-status", "0"}});
      talk(ours, other);
    } else {
      talk(ours, other);
      auto stream = ours.codec.open();
      H2Field head[] = {{":method", "POST"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {"x-a", "1"}};
      ours.codec.head(stream, head, false);
      ours.send(stream, up, {{"x-sum", "2"}});
      talk(ours, other);
      auto& m = other.messages[1];
      EXPECT_EQ(m.fields, post({{"x-a", "1"}}));
      EXPECT_EQ(m.trailers, (Fields{{"x-sum", "2"}}));
      EXPECT_TRUE(m.body == up && m.ended);
      ours.heard();
      other.interim(1, {{":status", "103"}});
      other.respond(1, {{":status", "200"}, {"x-b", "3"}}, down, {{"grpc-status", "0"}});
      talk(ours, other);
      EXPECT_EQ(ours.heard(), (Told{"1 103", "1 200 x-b=3", "1 trailers grpc-status=0"}));
      EXPECT_TRUE(ours.bodies[1] == down);
    }
    if (we_serve) {
      auto& m = other.messages[1];
      EXPECT_EQ(m.interim, std::vector<std::string>{"103"});
      EXPECT_TRUE(m.body == down && m.ended);
      EXPECT_EQ(m.trailers, (Fields{{"grpc-status", "0"}}));
    }
    EXPECT_EQ(ours.codec.streams(), 0u);
    EXPECT_EQ(ours.codec.faults(), 0u);
  }
}
TEST(H2WithNghttp2, many_requests_with_fields_that_come_and_go_share_the_tables) {
  for (std::uint32_t table : {4096u, 0u, 100u, 65536u}) {
    Ours server(Role::server, {}, {.header_table_size = table, .max_streams = 100});
    Other client(Role::client);
    client.settings({{NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, table}});
    talk(server, client);
    for (int i = 0; i < 300; i++) {
      auto n = std::to_string(i), seldom = std::to_string(i % 7);
      auto fields =
          get({{"x-" + n, n}, {"x-often", seldom}, {"cookie", std::string(static_cast<std::size_t>(i), 'c')}});
      auto stream = static_cast<std::uint32_t>(client.request(fields));
      talk(server, client);
      auto told = server.heard();
      auto request = std::to_string(stream);
      request.append(" GET / a x-").append(n).append("=").append(n).append(" x-often=").append(seldom);
      request.append(" cookie=").append(static_cast<std::size_t>(i), 'c').append(" end");
      ASSERT_EQ(told.back(), request);
      H2Field head[] = {{":status", "200"}, {"x-n", n}, {"x-often", seldom}, {"secret", n, true}, {"etag", n}};
      server.codec.head(stream, head, true);
      talk(server, client);
      ASSERT_EQ(client.messages[static_cast<std::int32_t>(stream)].fields,
                (Fields{{":status", "200"}, {"x-n", n}, {"x-often", seldom}, {"secret", n}, {"etag", n}}));
      if (i == 150)
        client.settings({{NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 0}, {NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 200}});
      if (i == 200) server.codec.settings({.header_table_size = 64, .max_streams = 100});
    }
  }
}
TEST(H2WithNghttp2, a_stream_that_we_do_not_consume_is_stopped_by_its_window_alone) {
  Ours server(Role::server, {.window = 70'000});
  Other client(Role::client);
  client.settings({});
  talk(server, client);
  client.request(post(), noise(200'000));
  client.request(post(), noise(60'000));
  talk(server, client);
  EXPECT_EQ(server.bodies[1].size(), 70'000u);
  EXPECT_EQ(server.bodies[3].size(), 60'000u);
  server.consumes = true;
  server.codec.consumed(1, 70'000);
  talk(server, client);
  EXPECT_TRUE(server.bodies[1] == noise(200'000));
}
TEST(H2WithNghttp2, a_code_of_a_reset_arrives_and_so_does_that_of_a_goaway) {
  Ours server(Role::server);
  Other client(Role::client);
  client.settings({});
  client.request(post(), noise(10));
  client.request(get());
  client.request(post(), "x", {{"y", "z"}});
  talk(server, client);
  server.codec.reset(1, static_cast<std::uint32_t>(H2Error::enhance_your_calm));
  nghttp2_submit_rst_stream(client.session(), NGHTTP2_FLAG_NONE, 3, NGHTTP2_CANCEL);
  talk(server, client);
  EXPECT_EQ(client.messages[1].reset, 11u);
  EXPECT_EQ(server.heard().back(), "3 reset CANCEL");
  server.codec.goaway(3, static_cast<std::uint32_t>(H2Error::internal_error), "why not");
  auto out = server.sent();
  client.take(out);
  EXPECT_EQ(client.messages[5].reset, 7u);  // to nghttp2 a stream above the last was refused
}
TEST(H2WithNghttp2, a_head_of_60_kilobytes_passes_in_many_fields) {
  for (bool we_serve : {true, false}) {
    Ours ours(we_serve ? Role::server : Role::client);
    Other other(we_serve ? Role::client : Role::server);
    other.settings({});
    talk(ours, other);
    auto fields = get();
    for (int i = 0; i < 100; i++) fields.emplace_back("x-" + std::to_string(i), std::string(600, 'v'));
    if (we_serve) {
      other.request(fields);
      talk(ours, other);
      EXPECT_EQ(ours.heard().back().size(), std::string("1 GET / a end").size() + 100u * 604u + 190u);
    } else {
      std::vector<H2Field> all;
      for (auto& [n, v] : fields) all.push_back({n, v});
      ours.codec.head(ours.codec.open(), all, true);
      talk(ours, other);
      EXPECT_EQ(other.messages[1].fields, fields);
    }
  }
}
TEST(H2WithNghttp2, a_tunnel_by_extended_connect_passes_bytes_both_ways) {
  Ours server(Role::server, {}, {.connect_protocol = true});
  Other client(Role::client);
  client.settings({});
  talk(server, client);
  EXPECT_EQ(nghttp2_session_get_remote_settings(client.session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL), 1u);
  client.request(
      {{":method", "CONNECT"}, {":protocol", "websocket"}, {":scheme", "http"}, {":path", "/ws"}, {":authority", "a"}},
      "ping");
  talk(server, client);
  EXPECT_EQ(server.heard(), (Told{"settings", "1 CONNECT /ws a", "1 ended"}));
  EXPECT_EQ(server.bodies[1], "ping");
  H2Field head[] = {{":status", "200"}};
  server.codec.head(1, head, false);
  server.codec.data(1, "pong", true);
  talk(server, client);
  EXPECT_EQ(client.messages[1].body, "pong");
}

}  // namespace
}  // namespace retrial::proxy
