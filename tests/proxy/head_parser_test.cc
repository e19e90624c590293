#include "proxy/codec/head_parser.h"

#include <gtest/gtest.h>

#include "proxy/codec/h1_facts.h"

namespace retrial::proxy {
namespace {

using Step = HeadParser::Step;

// A head, read at once and in pieces of every size: all must come to the same.
struct Read {
  std::string text;
  Step step = Step::more;
  std::size_t size = 0;
  std::vector<Field> fields;
  std::shared_ptr<Head> kept = std::make_shared<Head>();
  Head& head = *kept;
};
Read read(bool request, std::string_view text, bool answers_head = false, std::size_t most = 10) {
  Read whole;
  for (std::size_t piece = text.size(); piece > 0; piece--) {
    Read r;
    r.text = text;
    HeadParser parser;
    parser.begin(request, most);
    for (std::size_t end = 0; r.step == Step::more && end < text.size();) {
      end = std::min(end + piece, text.size());
      std::string so_far(text.substr(0, end));  // a piece's bytes, and not one behind them
      r.step = parser.take(so_far, r.fields);
    }
    r.size = parser.size();
    if (piece == text.size()) {
      whole.text = r.text;
      whole.step = r.step;
      whole.size = r.size;
      whole.fields = r.fields;
      std::string valid_host;
      if (whole.step == Step::whole)
        parser.bind(std::string_view(whole.text).substr(0, whole.size), whole.fields, answers_head, whole.head,
                    valid_host);
      continue;
    }
    EXPECT_EQ(r.step, whole.step) << text << " in pieces of " << piece;
    if (r.step != Step::whole) continue;
    EXPECT_EQ(r.size, whole.size) << text << " in pieces of " << piece;
    EXPECT_EQ(r.fields.size(), whole.fields.size()) << text << " in pieces of " << piece;
    for (std::size_t i = 0; i < r.fields.size(); i++) {
      EXPECT_EQ(r.fields[i].name, whole.fields[i].name);
      EXPECT_EQ(r.fields[i].name_end, whole.fields[i].name_end);
      EXPECT_EQ(r.fields[i].value, whole.fields[i].value);
      EXPECT_EQ(r.fields[i].value_end, whole.fields[i].value_end);
      EXPECT_EQ(r.fields[i].known, whole.fields[i].known);
    }
  }
  return whole;
}
// The rest of a request's head.
Read request(std::string_view fields, std::string_view line = "POST /a HTTP/1.1") {
  auto r = read(true, std::string(line) + "\r\nHost: x\r\n" + std::string(fields) + "\r\n");
  EXPECT_EQ(r.step, Step::whole) << fields;
  r.head.raw = std::string_view(r.text).substr(0, r.size);
  return r;
}
std::string value(const Read& r, std::size_t n) {
  auto& f = r.fields.at(n);
  return r.text.substr(f.value, f.value_end - f.value);
}
bool refused(std::string_view text, bool is_request = true) { return read(is_request, text).step == Step::refused; }

TEST(HeadParser, a_head_ends_at_its_empty_line_and_not_before) {
  std::string_view head = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(read(true, head).size, head.size());
  EXPECT_EQ(read(true, std::string(head) + "GET /").size, head.size());
  for (std::size_t n = 1; n < head.size(); n++) EXPECT_EQ(read(true, head.substr(0, n)).step, Step::more) << n;
}
TEST(HeadParser, values_lose_the_white_space_around_them_and_nothing_else) {
  auto r = request("A: \t b\tc \t\r\nB:\r\nC: \r\nD:\xe9\xff\r\n");
  EXPECT_EQ(value(r, 1), "b\tc");
  EXPECT_EQ(value(r, 2), "");
  EXPECT_EQ(value(r, 3), "");
  EXPECT_EQ(value(r, 4), "\xe9\xff");
}
TEST(HeadParser, start_lines_have_one_form_only) {
  for (std::string_view line :
       {"GET  /a HTTP/1.1", "GET /a  HTTP/1.1", " GET /a HTTP/1.1", "GET\t/a HTTP/1.1", "GET /a HTTP/1.1 ", "GET /a",
        "GET", "/a HTTP/1.1", "GET /a http/1.1", "GET /a HTTP/1.10", "GET /a HTTP/01.1", "GET /a HTTP/2.0",
        "GET /a b HTTP/1.1", "G(T /a HTTP/1.1", "G\xc3T /a HTTP/1.1", "HTTP/1.1 200 OK"})
    EXPECT_TRUE(refused(std::string(line) + "\r\nHost: x\r\n\r\n")) << line;
  for (std::string_view line :
       {"HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK", "HTTP/1.1 200OK", "HTTP/1.1 099 OK", "HTTP/2 200 OK",
        "http/1.1 200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 200 O\x01K", "HTTP/1.1", "ICY 200 OK", ""})
    EXPECT_TRUE(refused(std::string(line) + "\r\n\r\n", false)) << line;
  for (std::string_view line : {"HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 999 \xe9 a\tb", "HTTP/1.7 200 OK"})
    EXPECT_EQ(read(false, std::string(line) + "\r\n\r\n").step, Step::whole) << line;
}
TEST(HeadParser, names_are_tokens_and_stand_at_their_colons) {
  for (std::string_view line : {"A : 1", " A: 1", "\tA: 1", ": 1", "A", "A\t: 1", "A B: 1", "A(: 1", "\xe9: 1",
                                "A\x00: 1", "A: \x01", "A: \x7f", "A: b\rc", "A\r: 1", "\rA: 1"})
    EXPECT_TRUE(refused("GET / HTTP/1.1\r\n" + std::string(line) + "\r\n\r\n")) << line;
}
// In a fold of case by one bit a CR is a '-', and a control byte a digit.
TEST(HeadParser, bytes_that_fold_to_a_known_name_are_not_that_name) {
  for (std::string_view name : {"Content\rLength", "Transfer\rEncoding", "Keep\rAlive", "User\rAgent", "Content\rType",
                                "Accept\rEncoding", "HTTP\x12-Settings", "Proxy\rConnection"})
    EXPECT_TRUE(refused("GET / HTTP/1.1\r\n" + std::string(name) + ": 1\r\n\r\n")) << name;
  EXPECT_FALSE(folds_to("content\rlength", "content-length"));
  EXPECT_FALSE(folds_to("KEEP\rALIVE", "keep-alive"));
  EXPECT_TRUE(folds_to("KEEP-aLIVE", "keep-alive"));
  EXPECT_TRUE(folds_to("CLOSE", "close"));
  EXPECT_FALSE(folds_to("CLOSE!", "close"));
}
TEST(HeadParser, known_names_are_known_in_every_case) {
  for (auto [name, known] : {std::pair{"CONTENT-LENGTH", FieldName::content_length},
                             {"content-Length", FieldName::content_length},
                             {"tRaNsFeR-eNcOdInG", FieldName::transfer_encoding},
                             {"TE", FieldName::te},
                             {"te", FieldName::te},
                             {"UPGRADE", FieldName::upgrade},
                             {"HTTP2-settings", FieldName::http2_settings},
                             {"Proxy-Connection", FieldName::proxy_connection},
                             {"KEEP-Alive", FieldName::keep_alive},
                             {"CONNECTION", FieldName::connection},
                             {"expect", FieldName::expect},
                             {"HOST", FieldName::host},
                             {"Content-Encodind", FieldName::other},
                             {"Xontent-Length", FieldName::other},
                             {"ta", FieldName::other},
                             {"Connections", FieldName::other},
                             {"Connectiom", FieldName::other},
                             {"X", FieldName::other}})
    EXPECT_EQ(field_name(name), known) << name;
}
TEST(HeadParser, a_length_is_decimal_digits_alone) {
  for (std::string_view length :
       {"", "+1", "-1", " ", "1 1", "0x1", "1,1", "1, 1", "1;", "1.0", "12345678901234567890"})
    EXPECT_TRUE(refused("POST / HTTP/1.1\r\nContent-Length: " + std::string(length) + "\r\n\r\n")) << length;
  EXPECT_EQ(request("Content-Length: 000000000000000012\r\n").head.length, 12u);
  EXPECT_EQ(request("Content-Length: 999999999999999999\r\n").head.length, 999999999999999999u);
}
TEST(HeadParser, what_another_reader_could_read_in_another_way_is_named) {
  EXPECT_EQ(request("").head.ambiguous, "");
  EXPECT_EQ(request("Content-Length: 1\r\n").head.ambiguous, "");
  EXPECT_EQ(request("Transfer-Encoding: chunked\r\n").head.ambiguous, "");
  EXPECT_EQ(request("Transfer-Encoding: \tCHUNKED \r\n").head.ambiguous, "");
  for (std::string_view fields :
       {"Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked,\r\n", "Transfer-Encoding:\r\n", "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: chunked;a=b\r\n", "Transfer-Encoding: chunked, chunked\r\n", "A: 1\r\n b\r\n",
        "A: 1\r\n\tb\r\n", "A: 1\r\n \r\n", "A: 1\nB: 2\r\n", "A: 1\n"})
    EXPECT_NE(request(fields).head.ambiguous, "") << fields;
  EXPECT_NE(request("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0").head.ambiguous, "");
}
TEST(HeadParser, a_control_byte_in_a_target_is_read_in_more_than_one_way) {
  for (std::string_view target : {"/\x01", "/\x7f", "/a\r", "/a\rb", "http://a/\r"}) {
    auto r = request("", "GET " + std::string(target) + " HTTP/1.1");
    EXPECT_NE(r.head.ambiguous, "") << target;
    EXPECT_NE(r.head.invalid, "") << target;
  }
}
TEST(HeadParser, a_field_that_frames_the_message_has_one_line) {
  for (std::string_view fields : {"Content-Length: 1\r\n 2\r\n", "Content-Length: 1\r\n \r\n",
                                  "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: chunked\r\n\t, gzip\r\n"}) {
    EXPECT_TRUE(refused("POST / HTTP/1.1\r\n" + std::string(fields) + "\r\n")) << fields;
    EXPECT_TRUE(refused("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n", false)) << fields;
  }
}
TEST(HeadParser, a_folded_value_goes_on_to_its_last_line) {
  auto r = read(false, "HTTP/1.1 200 OK\r\nA: b\r\n  c \r\n\td\t\r\n \r\nB: 1\r\n\r\n");
  ASSERT_EQ(r.step, Step::whole);
  EXPECT_EQ(value(r, 0), "b\r\n  c \r\n\td");
  EXPECT_EQ(value(r, 1), "1");
  EXPECT_TRUE(r.head.folded);
  EXPECT_EQ(r.head.ambiguous, "");
}
TEST(HeadParser, a_connection_goes_on_by_version_and_by_word) {
  EXPECT_TRUE(request("").head.keep_alive);
  EXPECT_FALSE(request("", "GET / HTTP/1.0").head.keep_alive);
  EXPECT_FALSE(request("Connection: close\r\n").head.keep_alive);
  EXPECT_FALSE(request("Connection: CLOSE\r\n").head.keep_alive);
  EXPECT_FALSE(request("Connection: a, close\r\n").head.keep_alive);
  EXPECT_FALSE(request("Connection: keep-alive\r\nConnection: close\r\n").head.keep_alive);
  EXPECT_TRUE(request("Connection: closed\r\n").head.keep_alive);
  EXPECT_TRUE(request("Connection: Keep-Alive\r\n", "GET / HTTP/1.0").head.keep_alive);
  EXPECT_TRUE(request("Connection: x ,\tkeep-alive,\r\n", "GET / HTTP/1.0").head.keep_alive);
}
TEST(HeadParser, an_upgrade_needs_both_fields_and_http_1_1) {
  EXPECT_TRUE(request("Upgrade: a\r\nConnection: upgrade\r\n").head.upgrades);
  EXPECT_TRUE(request("Connection: keep-alive, Upgrade\r\nUpgrade: a\r\n").head.upgrades);
  EXPECT_FALSE(request("Upgrade: a\r\n").head.upgrades);
  EXPECT_FALSE(request("Connection: upgrade\r\n").head.upgrades);
  EXPECT_FALSE(request("Upgrade: a\r\nConnection: upgrade\r\n", "GET / HTTP/1.0").head.upgrades);
}
TEST(HeadParser, where_a_response_ends_follows_from_status_request_and_fields) {
  auto framing = [](std::string_view text, bool to_head = false) {
    auto r = read(false, text, to_head);
    EXPECT_EQ(r.step, Step::whole) << text;
    auto& h = r.head;
    return std::string(h.bodiless      ? "none"
                       : h.chunked     ? "chunks"
                       : h.until_close ? "close"
                                       : "length") +
           (h.keep_alive ? "" : ", last");
  };
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\n\r\n"), "close, last");
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\n\r\n", true), "none");
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "none");
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"), "length");
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", true), "none");
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), "chunks");
  EXPECT_EQ(framing("HTTP/1.1 100 Continue\r\nContent-Length: 1\r\n\r\n"), "none");
  EXPECT_EQ(framing("HTTP/1.1 204 No Content\r\n\r\n"), "none");
  EXPECT_EQ(framing("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), "none");
  EXPECT_EQ(framing("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n"), "length, last");
}
TEST(HeadParser, as_many_fields_as_allowed_and_not_one_more) {
  std::string text = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10; i++) text += "A: 1\r\n";
  EXPECT_EQ(read(true, text + "\r\n").step, Step::whole);
  EXPECT_EQ(read(true, text + "A: 1\r\n\r\n").step, Step::too_many_fields);
}
TEST(HeadParser, what_can_be_no_request_is_refused_at_its_first_wrong_byte) {
  EXPECT_TRUE(refused("\x16"));
  EXPECT_TRUE(refused("GET\t"));
  EXPECT_TRUE(refused(std::string(65, 'A')));
  EXPECT_EQ(read(true, std::string(64, 'A')).step, Step::more);
}
TEST(HeadParser, a_target_has_one_of_its_four_forms) {
  for (std::string_view good :
       {"GET /", "GET /a?b=http://c", "GET http://a", "GET HTTP://u:p@a:80/b", "GET https://[::1]:1?c",
        "GET a+b-c.1://x", "OPTIONS *", "GET /\xc3\xa9?\xff", "CONNECT a:1", "CONNECT [::1]:443"})
    EXPECT_EQ(request("", std::string(good) + " HTTP/1.1").head.invalid, "") << good;
  for (std::string_view bad : {"GET *",
                               "GET a",
                               "GET a:80",
                               "GET http:/a",
                               "GET http:///a",
                               "GET ://a",
                               "GET http://",
                               "GET http://u@",
                               "GET http://:80/",
                               "GET 1http://a",
                               "GET a?b=http://c",
                               "GET http://a#b",
                               "GET http://a\"b/",
                               "GET http://a,b/",
                               "GET http://\xc3\xa9/",
                               "CONNECT \xc3\xa9:1",
                               "GET /\x7f",
                               "CONNECT a",
                               "CONNECT :1",
                               "CONNECT a:",
                               "CONNECT /",
                               "CONNECT http://a:1",
                               "CONNECT u@a:1"})
    EXPECT_NE(request("", std::string(bad) + " HTTP/1.1").head.invalid, "") << bad;
}
TEST(Lists, hold_a_token_as_a_whole_member) {
  EXPECT_TRUE(lists("a, Close ,b", "close"));
  EXPECT_TRUE(lists("close", "close"));
  EXPECT_TRUE(lists(",,\tclose\t", "close"));
  EXPECT_FALSE(lists("", "close"));
  EXPECT_FALSE(lists("closed, enclose, close;q=1, clo se", "close"));
}

}  // namespace
}  // namespace retrial::proxy
