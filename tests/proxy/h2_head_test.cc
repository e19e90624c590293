// Which messages are malformed (RFC 9113 8).
#include "tests/proxy/h2_ends.h"

namespace retrial::proxy {
namespace {
using namespace h2_test;

Fields with(Fields all, const std::string& name, const std::string& value) {
  for (auto& [n, v] : all)
    if (n == name) v = value;
  return all;
}
Fields without(Fields all, std::string_view name) {
  std::erase_if(all, [&](auto& f) { return f.first == name; });
  return all;
}
// "" if the request is told, else why its stream was reset.
std::string request(const Fields& fields, H2Settings ours = {}) {
  Greeted server(Role::server, {}, ours);
  EXPECT_TRUE(server.take(headers(1, fields)));
  auto& why = server.codec.last_fault();
  if (why.empty()) {
    EXPECT_EQ(server.heard().size(), 1u);
    EXPECT_EQ(server.sent(), "");
    return "";
  }
  EXPECT_EQ(server.heard(), Told{});
  EXPECT_EQ(server.sent(), rst(1, H2Error::protocol_error));
  EXPECT_TRUE(why.starts_with("HEADERS on stream 1: "));
  return why.substr(21);
}
std::string response(const Fields& fields, bool end = true, std::string_view method = "GET") {
  Greeted client(Role::client);
  client.request(method);
  EXPECT_TRUE(client.take(headers(1, fields, end ? kWhole : kEndHeaders)));
  auto& why = client.codec.last_fault();
  if (why.empty()) {
    EXPECT_EQ(client.heard().size(), 1u);
    return "";
  }
  EXPECT_EQ(client.heard(), Told{"1 reset PROTOCOL_ERROR by us"});
  EXPECT_EQ(client.sent(), rst(1, H2Error::protocol_error));
  return why.substr(21);
}

TEST(H2Head, each_request_has_its_pseudo_fields_once_and_first) {
  EXPECT_EQ(request(get()), "");
  EXPECT_EQ(request(without(get(), ":method")), "no :method");
  EXPECT_EQ(request(without(get(), ":scheme")), "no :scheme, or none that is one");
  EXPECT_EQ(request(without(get(), ":path")), "no :path");
  EXPECT_EQ(request(without(get(), ":authority")), "neither :authority nor Host");
  EXPECT_EQ(request(without(get({{"host", "h"}}), ":authority")), "");
  for (auto name : {":method", ":scheme", ":path", ":authority"}) {
    auto twice = get();
    twice.emplace_back(name, "x");
    EXPECT_EQ(request(twice), "a pseudo-field twice") << name;
    auto late = without(get({{"x", "y"}}), name);
    late.emplace_back(name, "/");
    EXPECT_EQ(request(late), "a pseudo-field after a field") << name;
  }
  EXPECT_EQ(request(get({{":status", "200"}})), "a pseudo-field that is not known here");
  EXPECT_EQ(request(get({{":unknown", "1"}})), "a pseudo-field that is not known here");
  EXPECT_EQ(request(get({{":", "1"}})), "a pseudo-field that is not known here");
  EXPECT_EQ(request({}), "no :method");
}
TEST(H2Head, a_name_is_a_token_in_lower_case) {
  EXPECT_EQ(request(get({{"x!#$%&'*+-.^_`|~0", "1"}})), "");
  EXPECT_EQ(request(get({{"", "1"}})), "a field without a name");
  for (auto name : {"X", "Host", "a b", "a:", "a\r\nb", "a\tb", "\xc3\xa9", "a\x7f", "a(b"})
    EXPECT_EQ(request(get({{name, "1"}})), "a field's name is no token in lower case") << name;
  EXPECT_EQ(request(get({{"a\0"s, "1"}})), "a field's name is no token in lower case");
}
TEST(H2Head, a_value_holds_no_control_byte_and_no_white_space_around_it) {
  EXPECT_EQ(request(get({{"x", "a\tb \xc3\xa9"}, {"y", ""}})), "");
  for (auto& value : {"a\rb"s, "a\nb"s, "a\0b"s, "a\x7f"s, "\1"s, "a\r\nx-smuggled: 1"s})
    EXPECT_EQ(request(get({{"x", value}})), "a control byte in a field's value") << value;
  for (auto value : {" a", "a ", "\ta", "a\t", " "})
    EXPECT_EQ(request(get({{"x", value}})), "white space around a field's value") << value;
}
TEST(H2Head, no_field_of_http_1_connections_passes) {
  for (auto name : {"connection", "proxy-connection", "keep-alive", "upgrade", "transfer-encoding"})
    EXPECT_EQ(request(get({{name, "x"}})), "a field of HTTP/1 connections") << name;
  EXPECT_EQ(response({{":status", "200"}, {"transfer-encoding", "chunked"}}), "a field of HTTP/1 connections");
  EXPECT_EQ(request(get({{"te", "trailers"}})), "");
  EXPECT_EQ(request(get({{"te", "trailers, deflate"}})), "TE is not trailers");
}
TEST(H2Head, what_would_be_read_otherwise_in_http_1_is_malformed) {
  EXPECT_EQ(request(with(get(), ":path", "/a?b=c#d")), "");
  EXPECT_EQ(request(with(get(), ":path", "")), ":path begins with no /");
  EXPECT_EQ(request(with(get(), ":path", "a")), ":path begins with no /");
  EXPECT_EQ(request(with(get(), ":path", "http://b/")), ":path begins with no /");
  EXPECT_EQ(request(with(get(), ":path", "*")), ":path begins with no /");
  EXPECT_EQ(request(with(with(get(), ":path", "*"), ":method", "OPTIONS")), "");
  EXPECT_EQ(request(with(get(), ":path", "/ HTTP/1.1")), ":path holds a forbidden byte");
  EXPECT_EQ(request(with(get(), ":path", "/\xc3\xa9?\xff")), "");
  EXPECT_EQ(request(with(get(), ":path", "/\t")), ":path holds a forbidden byte");
  EXPECT_EQ(request(with(get(), ":path", "/\r\nx: y")), "a control byte in a field's value");
  EXPECT_EQ(request(with(get(), ":method", "GET / HTTP/1.1")), ":method is no token");
  EXPECT_EQ(request(with(get(), ":method", "")), ":method is no token");
  EXPECT_EQ(request(with(get(), ":method", "M-SEARCH")), "");
  for (auto scheme : {"", "1a", "ht tp", "http:", "http://b/?"})
    EXPECT_EQ(request(with(get(), ":scheme", scheme)), "no :scheme, or none that is one") << scheme;
  EXPECT_EQ(request(with(get(), ":scheme", "h2+x.y-1")), "");
}
TEST(H2Head, an_authority_is_a_host_and_host_is_the_same) {
  for (auto authority : {"u@a", "a/b", "a b", "a\"", "a?b"})
    EXPECT_EQ(request(with(get(), ":authority", authority)), ":authority is no host") << authority;
  for (auto authority : {"", ":80"})
    EXPECT_EQ(request(with(get(), ":authority", authority)), "neither :authority nor Host");
  EXPECT_EQ(request(with(get(), ":authority", "[::1]:80")), "");
  EXPECT_EQ(request(get({{"host", "a"}})), "");
  EXPECT_EQ(request(get({{"host", "A:80"}})), "");
  EXPECT_EQ(request(get({{"host", "a:443"}})), "Host is not that of :authority");
  EXPECT_EQ(request(with(get({{"host", "a:443"}}), ":scheme", "https")), "");
  EXPECT_EQ(request(get({{"host", "b"}})), "Host is not that of :authority");
  EXPECT_EQ(request(get({{"host", ""}})), "Host is not that of :authority");
  EXPECT_EQ(request(get({{"host", "a"}, {"host", "a"}})), "more than one Host");
  EXPECT_EQ(request(without(get({{"host", "u@a"}}), ":authority")), "Host is no host");
}
TEST(H2Head, connect_has_an_authority_alone_and_its_target_is_that) {
  Fields connect{{":method", "CONNECT"}, {":authority", "a:443"}};
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(headers(1, connect, kEndHeaders) + data(1, "any") + headers(1, {{"x", "y"}})));
  EXPECT_EQ(server.heard(), (Told{"1 CONNECT a:443 a:443", "1 data any", "1 reset PROTOCOL_ERROR by us"}));
  EXPECT_EQ(server.codec.last_fault(), "HEADERS on stream 1: in a tunnel");
  for (auto authority : {"a", ":443", "a:"})
    EXPECT_EQ(request({{":method", "CONNECT"}, {":authority", authority}}), "CONNECT needs host:port");
  EXPECT_EQ(request({{":method", "CONNECT"}}), "CONNECT needs host:port");
  EXPECT_EQ(request({{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}}), "CONNECT with :scheme or :path");
}
TEST(H2Head, a_protocol_is_known_only_where_we_said_so) {
  Fields websocket{
      {":method", "CONNECT"}, {":protocol", "websocket"}, {":scheme", "http"}, {":path", "/chat"}, {":authority", "a"}};
  H2Settings allowed{.connect_protocol = true};
  EXPECT_EQ(request(websocket), "a pseudo-field that is not known here");
  EXPECT_EQ(request(websocket, allowed), "");
  EXPECT_EQ(request(with(websocket, ":method", "GET"), allowed), ":protocol without CONNECT or :authority");
  EXPECT_EQ(request(without(websocket, ":authority"), allowed), ":protocol without CONNECT or :authority");
  EXPECT_EQ(request(without(websocket, ":path"), allowed), "no :path");
  EXPECT_EQ(request(with(websocket, ":protocol", "a b"), allowed), ":protocol is no token");
}
TEST(H2Head, a_body_has_the_length_that_was_said) {
  auto of = [](std::string_view length, std::string_view frames) {
    Greeted server(Role::server);
    EXPECT_TRUE(
        server.take(headers(1, post({{"content-length", std::string(length)}}), kEndHeaders) + std::string(frames)));
    return server.codec.last_fault();
  };
  constexpr auto kWrong = "DATA on stream 1: the body has not the length that was said";
  EXPECT_EQ(of("3", data(1, "ab") + data(1, "c", true)), "");
  EXPECT_EQ(of("3", data(1, "abc") + data(1, "", true)), "");
  EXPECT_EQ(of("3", data(1, "abc") + headers(1, {{"x", "y"}})), "");
  EXPECT_EQ(of("3", frame(H2Type::data, h2_flag::padded | kEndStream, 1, "\2abc\0\0"s)), "");
  EXPECT_EQ(of("3", data(1, "ab") + data(1, "cd")), kWrong);
  EXPECT_EQ(of("3", data(1, "ab", true)), kWrong);
  EXPECT_EQ(of("0", data(1, "a")), kWrong);
  EXPECT_EQ(of("3", data(1, "ab") + headers(1, {{"x", "y"}})),
            "HEADERS on stream 1: the body has not the length that was said");
  EXPECT_EQ(request(post({{"content-length", "3"}})), "the body has not the length that was said");
  EXPECT_EQ(request(post({{"content-length", "0"}})), "");
  for (auto length : {"", "-1", "+1", "1 ", "0x1", "1,1", "1234567890123456789"})
    EXPECT_NE(request(post({{"content-length", length}})), "") << length;
  EXPECT_EQ(request(post({{"content-length", "0"}, {"content-length", "0"}})), "more than one Content-Length");
}
TEST(H2Head, what_has_no_body_may_say_a_length_all_the_same) {
  auto of = [](std::string_view method, std::string_view status, std::string_view frames) {
    Greeted client(Role::client);
    client.request(method);
    EXPECT_TRUE(client.take(
        headers(1, {{":status", std::string(status)}, {"content-length", "3"}}, frames.empty() ? kWhole : kEndHeaders) +
        std::string(frames)));
    return client.codec.last_fault();
  };
  constexpr auto kWrong = " on stream 1: the body has not the length that was said";
  EXPECT_EQ(of("HEAD", "200", ""), "");
  EXPECT_EQ(of("HEAD", "200", data(1, "", true)), "");
  EXPECT_EQ(of("HEAD", "200", data(1, "abc", true)), "DATA"s + kWrong);
  EXPECT_EQ(of("GET", "204", ""), "");
  EXPECT_EQ(of("GET", "304", ""), "");
  EXPECT_EQ(of("GET", "304", data(1, "abc", true)), "DATA"s + kWrong);
  EXPECT_EQ(of("GET", "200", ""), "HEADERS"s + kWrong);
  EXPECT_EQ(of("GET", "200", data(1, "abc", true)), "");
}
TEST(H2Head, a_response_has_a_status_of_three_digits) {
  EXPECT_EQ(response({{":status", "200"}}), "");
  EXPECT_EQ(response({{":status", "999"}}), "");
  for (auto status : {"", "20", "2000", "2x0", "+20"})
    EXPECT_EQ(response({{":status", status}}), ":status is no number of three digits") << status;
  EXPECT_EQ(response({}), ":status is no number of three digits");
  EXPECT_EQ(response({{":status", "099"}}), ":status below 100");
  EXPECT_EQ(response({{":status", "101"}}, false), "101 is not of HTTP/2");
  EXPECT_EQ(response({{":status", "103"}}), "an interim response with END_STREAM");
  EXPECT_EQ(response({{":status", "200"}, {":path", "/"}}), "a pseudo-field that is not known here");
}
TEST(H2Head, trailers_end_the_stream_and_hold_no_pseudo_field) {
  auto of = [](const Fields& trailers, std::uint8_t flags) {
    Greeted server(Role::server);
    EXPECT_TRUE(server.take(headers(1, post(), kEndHeaders) + headers(1, trailers, flags)));
    return server.codec.last_fault();
  };
  EXPECT_EQ(of({{"x", "y"}}, kWhole), "");
  EXPECT_EQ(of({{"x", "y"}}, kEndHeaders), "HEADERS on stream 1: trailers without END_STREAM");
  EXPECT_EQ(of({{":method", "GET"}}, kWhole), "HEADERS on stream 1: a pseudo-field in trailers");
  EXPECT_EQ(of({{"connection", "x"}}, kWhole), "HEADERS on stream 1: a field of HTTP/1 connections");
}
TEST(H2Head, a_request_with_more_than_the_limits_is_told_as_too_large) {
  Greeted server(Role::server, {.head = 1000, .fields = 6});
  ASSERT_TRUE(server.take(headers(1, get({{"a", "1"}, {"b", std::string(1000, 'x')}, {"c", "1"}}))));
  EXPECT_EQ(server.heard(), Told{"1 GET / a a=1 too large end"});
  ASSERT_TRUE(server.take(headers(3, get({{"a", "1"}, {"b", "2"}, {"c", "3"}}))));
  EXPECT_EQ(server.heard(), Told{"3 GET / a a=1 b=2 too large end"});
  ASSERT_TRUE(server.take(headers(5, get({{"a", "1"}, {"b", "2"}}))));
  EXPECT_EQ(server.heard(), Told{"5 GET / a a=1 b=2 end"});
}
TEST(H2Head, a_response_with_more_than_the_limits_is_an_error_of_its_stream) {
  Greeted client(Role::client, {.head = 1000});
  client.request();
  ASSERT_TRUE(client.take(headers(1, {{":status", "200"}, {"x", std::string(1000, 'x')}})));
  EXPECT_EQ(client.heard(), Told{"1 reset ENHANCE_YOUR_CALM by us"});
  EXPECT_EQ(client.codec.last_fault(), "HEADERS on stream 1: more fields than are taken");
}
TEST(H2Head, what_forwarding_must_know_stands_in_the_head) {
  struct Listen : End {
    using End::End;
    void on_head(std::uint32_t, const Head& h, bool) override {
      calls++;
      auto& head = h;
      EXPECT_EQ(head.raw,
                "content-length: 3\r\ncontent-type: image/png\r\ncontent-encoding: gzip\r\n"
                "expect: 100-continue\r\ndate: x\r\n\r\n");
      EXPECT_TRUE(head.sized && head.encoded && head.expects_continue);
      EXPECT_FALSE(head.structured || head.unknown || head.bodiless || h.too_large);
      EXPECT_EQ(head.length, 3u);
      EXPECT_EQ(head.hosts, 1);
      EXPECT_EQ(h.scheme, "http");
      EXPECT_EQ(h.authority, "a");
      EXPECT_EQ(h.protocol, "");
    }
    int calls = 0;
  } server(Role::server);
  ASSERT_TRUE(server.codec.take(client_hello() + headers(1,
                                                         post({{"content-length", "3"},
                                                               {"content-type", "image/png"},
                                                               {"content-encoding", "gzip"},
                                                               {"expect", "100-continue"},
                                                               {"date", "x"}}),
                                                         kEndHeaders),
                                1));
  EXPECT_EQ(server.calls, 1);
}

}  // namespace
}  // namespace retrial::proxy
