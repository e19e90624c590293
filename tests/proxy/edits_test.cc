// What each fault makes of a response's bytes, however they are cut on their way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proxy/faults/earlier.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/registry.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;
using trace::FaultSpec;
using trace::Malformed;
using trace::Point;

constexpr std::string_view kSized = "HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 10\r\n\r\n";
constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kContent = "0123456789";
constexpr std::string_view kUntilClose = "HTTP/1.1 200 OK\r\n\r\n";

struct Sent {
  std::string bytes;
  Act act = Act::pass;
  std::string evidence;  // empty: it did not fire
  std::string spared;
  int status = 0;
  bool cuts_head = false;
  bool operator==(const Sent&) const = default;
};
// As an exchange does it, the body in two pieces.
Sent send_cut(Edit& edit, trace::Exchange e, std::string_view head, std::string_view body, std::size_t cut) {
  Sent sent;
  int fired = 0;
  auto note = [&](const Edit::Did& did) {
    if (did.fires) {
      fired++;
      sent.evidence = edit.evidence(e);
    }
    sent.cuts_head |= did.cuts_head;
    sent.spared = did.spares;
    sent.act = did.act;
    return did.act == Act::pass && did.spares.empty();
  };
  std::string text(head);
  auto of_head = edit.head(text, e, body.empty());
  if (of_head.cuts_head && body.empty()) e.client_status = 0;
  bool goes_on = note(of_head);
  sent.bytes = text;
  sent.status = edit.status(e.service_status);
  for (auto piece : {body.substr(0, cut), body.substr(cut)}) {
    bool last = piece.data() + piece.size() == body.data() + body.size();
    if (!sent.spared.empty())
      sent.bytes += piece;
    else if (goes_on && (last || !piece.empty()))
      goes_on = note(edit.body(piece, last, sent.bytes));
    if (last) break;
  }
  sent.bytes += edit.after_end();
  EXPECT_LE(fired, 1);
  return sent;
}
Sent send(const FaultSpec& fault, std::string_view head, std::string_view body, std::string method = "GET") {
  trace::Exchange e;
  e.method = method;
  e.service_status = e.client_status = 200;
  e.fault_id = "7";
  e.fault = fault;
  Earlier earlier;
  auto edit = [&] { return fault_named(fault.name)->edit(e, earlier); };
  auto whole = send_cut(*edit(), e, head, body, 0);
  for (std::size_t cut = 1; cut < body.size(); cut++) {
    auto again = send_cut(*edit(), e, head, body, cut);
    EXPECT_EQ(again.bytes, whole.bytes) << cut;
    EXPECT_EQ(again, whole) << cut;
  }
  return whole;
}
std::string all(std::string_view a, std::string_view b) { return std::string(a).append(b); }

TEST(Edits, a_cut_after_the_head_leaves_the_body_out) {
  FaultSpec fault{.name = FaultName::reset, .point = Point::after_response_head};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{std::string(kSized), Act::reset, "RST after the response's head", "", 200, true}));
  fault.name = FaultName::stall;
  EXPECT_EQ(send(fault, kChunked, kContent),
            (Sent{std::string(kChunked), Act::hold, "silence after the response's head", "", 200, true}));
}
TEST(Edits, a_cut_after_the_head_leaves_no_whole_response_where_there_is_no_body) {
  FaultSpec fault{.name = FaultName::close, .point = Point::after_response_head};
  EXPECT_EQ(send(fault, "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", ""),
            (Sent{"HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", Act::close,
                  "FIN after the response's head but for its last line", "", 200, true}));
}
TEST(Edits, a_cut_in_the_body_comes_after_half_of_it) {
  FaultSpec fault{.name = FaultName::reset, .point = Point::in_body};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{all(kSized, "01234"), Act::reset, "RST after 5 of 10 bytes of the response's body", "", 200}));
}
TEST(Edits, a_cut_in_a_body_without_a_length_comes_after_its_first_byte) {
  FaultSpec fault{.name = FaultName::close, .point = Point::in_body};
  EXPECT_EQ(send(fault, kChunked, kContent),
            (Sent{all(kChunked, "0"), Act::close, "FIN after 1 bytes of the response's body", "", 200}));
  EXPECT_EQ(send(fault, kUntilClose, "0123").bytes, all(kUntilClose, "0"));
}
TEST(Edits, a_cut_in_a_body_of_lines_without_a_length_comes_after_a_whole_one) {
  FaultSpec fault{.name = FaultName::close, .point = Point::in_body};
  auto cut = [&](std::string_view type, std::string_view framing, std::string_view body) {
    auto sent = send(fault, fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\n{}\r\n", type, framing), body);
    return sent.bytes.substr(sent.bytes.find("\r\n\r\n") + 4) + (sent.act == Act::close ? "|" : sent.spared);
  };
  std::string_view chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(cut("application/x-ndjson", chunked, "{\"a\":1}\n{\"a\":2}\n"), "{\"a\":1}\n|");
  EXPECT_EQ(cut("application/x-ndjson", chunked, "{\"a\":1}\n"), "{\"a\":1}\n|") << "before the end of the last chunk";
  EXPECT_EQ(cut("text/csv; charset=utf-8", chunked, "id,n\r\n1,a\r\n2,b\r\n"), "id,n\r\n1,a\r\n|");
  EXPECT_EQ(cut("text/event-stream", chunked, "id: 1\r\ndata: a\r\n\r\nid: 2\r\n\r\n"), "id: 1\r\ndata: a\r\n\r\n|");
  EXPECT_EQ(cut("text/plain", "", "one\ntwo\n"), "one\n|");
  EXPECT_EQ(cut("text/plain", "", "one\n"), "one\nthe response's body is no longer than what was to be passed");
  EXPECT_EQ(cut("text/plain", chunked, "one"), "one|");
  EXPECT_EQ(cut("application/json", chunked, "{\n}\n"), "{|");
}
TEST(Edits, a_cut_comes_after_as_many_bytes_of_content_as_were_asked_for) {
  FaultSpec fault{.name = FaultName::reset, .point = Point::in_body};
  fault.bytes = 7;
  EXPECT_EQ(send(fault, kChunked, kContent).bytes, all(kChunked, "0123456"));
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes, all(kSized, "0123456"));
  fault.bytes = 10;
  EXPECT_EQ(send(fault, kChunked, kContent).bytes, all(kChunked, "0123456789"));
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{all(kSized, "0123456789"), Act::pass, "",
                  "the response's body is no longer than what was to be passed", 200}));
  fault.bytes = 11;
  EXPECT_EQ(send(fault, kChunked, kContent),
            (Sent{all(kChunked, kContent), Act::pass, "", "the response's body is no longer than what was to be passed",
                  200}));
  fault.bytes = 0;
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes, kSized);
  EXPECT_EQ(send(fault, "HTTP/1.1 204 No Content\r\n\r\n", "").spared, "the response has no body");
}

TEST(Edits, a_truncated_body_has_the_length_that_it_tells) {
  FaultSpec fault{.name = FaultName::truncate};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 5\r\n\r\n01234", Act::pass,
                  "5 of 10 bytes of the response's body, told as its length", "", 200}));
  fault.bytes = 0;
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes, "HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 0\r\n\r\n");
  fault.bytes = 10;
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes, all(kSized, "0123456789"));
  EXPECT_EQ(send(fault, kSized, "0123456789").spared, "the response's body is no longer than what was to be passed");
}
TEST(Edits, a_truncated_chunked_body_ends_as_one_does) {
  FaultSpec fault{.name = FaultName::truncate};
  fault.bytes = 6;
  EXPECT_EQ(send(fault, kChunked, kContent).bytes, all(kChunked, "012345"));
  EXPECT_EQ(send(fault, kUntilClose, "0123456789").bytes, all(kUntilClose, "012345"));
  EXPECT_EQ(send(fault, kUntilClose, "0123456789").evidence,
            "6 bytes of the response's body, ended as if there were no more");
  fault.bytes = trace::kHalf;
  EXPECT_EQ(send(fault, kChunked, kContent).bytes, all(kChunked, "0"));
}
TEST(Edits, a_corrupted_body_has_one_bit_that_is_another) {
  FaultSpec fault{.name = FaultName::corrupt};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{all(kSized, "0123446789"), Act::pass, "byte 5 of the response's body was 0x35, and 0x34 was passed",
                  "", 200}));
  fault.at = 6;
  EXPECT_EQ(send(fault, kChunked, kContent).bytes, all(kChunked, "0123457789"));
  fault.at = 10;
  EXPECT_EQ(send(fault, kChunked, kContent),
            (Sent{all(kChunked, kContent), Act::pass, "",
                  "the response's body ended before the byte that was to be another", 200}));
}

TEST(Edits, a_wrong_length_tells_more_and_waits_or_less_and_goes_on) {
  FaultSpec fault{.name = FaultName::wrong_length};
  fault.by = 2;
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 12\r\n\r\n0123456789", Act::hold,
                  "a Content-Length of 12 before 10 bytes of body", "", 200}));
  EXPECT_EQ(send(fault, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "").act, Act::hold);
  fault.by = -3;
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 7\r\n\r\n0123456789", Act::pass,
                  "a Content-Length of 7 before 10 bytes of body", "", 200}));
  EXPECT_EQ(send(fault, kChunked, kContent).spared, "the response tells no length");
  fault.by = 2;
  EXPECT_EQ(send(fault, kSized, "", "HEAD").spared, "the response has no body");
}

TEST(Edits, a_header_is_left_out_changed_or_doubled) {
  FaultSpec fault{.name = FaultName::drop_header, .header = "server"};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", Act::pass,
                  "the header server of the response was left out", "", 200}));
  fault.header = "ETag";
  EXPECT_EQ(send(fault, kSized, "0123456789").spared, "the response has no such header");
  fault = {.name = FaultName::set_header, .header = "Server: a: b"};
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes,
            "HTTP/1.1 200 OK\r\nServer: a: b\r\nContent-Length: 10\r\n\r\n0123456789");
  fault.header = "X: ";
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes,
            "HTTP/1.1 200 OK\r\nServer: s\r\nContent-Length: 10\r\nX: \r\n\r\n0123456789");
  fault = {.name = FaultName::double_header, .header = "Server"};
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes,
            "HTTP/1.1 200 OK\r\nServer: s\r\nServer: s\r\nContent-Length: 10\r\n\r\n0123456789");
  fault.header = "Server: t";
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes,
            "HTTP/1.1 200 OK\r\nServer: s\r\nServer: t\r\nContent-Length: 10\r\n\r\n0123456789");
  fault.header = "ETag";
  EXPECT_EQ(send(fault, kSized, "0123456789").spared, "the response has no such header");
}
TEST(Edits, a_malformed_response_is_marked_and_ends_the_connection) {
  FaultSpec fault{.name = FaultName::malformed};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 retrial-7\r\nServer: s\r\nContent-Length: 10\r\n\r\n0123456789", Act::close,
                  "a status line without a status, then the service's own fields and body, then FIN", "", 0}));
  fault.part = Malformed::header;
  EXPECT_EQ(send(fault, kSized, "0123456789").bytes,
            "HTTP/1.1 200 OK\r\nretrial-7 is no header\r\nServer: s\r\nContent-Length: 10\r\n\r\n0123456789");
  fault.part = Malformed::chunk;
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{"HTTP/1.1 200 OK\r\nServer: s\r\nTransfer-Encoding: chunked\r\n\r\nretrial-7\r\n", Act::close,
                  "a chunk whose size is no number in place of the response's body, then FIN", "", 200}));
}

TEST(Edits, a_duplicated_response_comes_twice) {
  FaultSpec fault{.name = FaultName::duplicate};
  auto once = all(kSized, "0123456789");
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{once + once, Act::pass, "the response's 60 bytes came twice", "", 200}));
  EXPECT_EQ(send(fault, kUntilClose, "0123").spared,
            "the response ends with its connection: nothing can come after it");
  auto chunked = send(fault, kChunked, kContent);
  EXPECT_EQ(chunked.bytes, all(all(kChunked, kContent), all(kChunked, "a\r\n0123456789\r\n0\r\n\r\n")));
}

TEST(Edits, a_stale_response_is_the_last_one_to_the_same_request_line) {
  trace::Exchange e;
  e.method = "GET";
  e.target = "/x";
  e.service_status = 404;
  Earlier earlier;
  auto& stale = *fault_named(FaultName::stale);
  EXPECT_EQ(earlier.find(e), nullptr);
  EXPECT_EQ(send_cut(*stale.edit(e, earlier), e, kSized, "0123456789", 3).spared,
            "no earlier response to this request was kept");
  for (std::size_t cut = 0; cut < 10; cut++)
    EXPECT_EQ(send_cut(*earlier.keeping(e), e, kSized, "0123456789", cut).bytes, all(kSized, "0123456789"));
  auto* kept = earlier.find(e);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->head, kSized);
  EXPECT_EQ(kept->body, "0123456789");
  EXPECT_EQ(send_cut(*stale.edit(e, earlier), e, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n", "no", 1),
            (Sent{all(kSized, "0123456789"), Act::pass,
                  "an earlier response (200, 60 bytes) in place of the service's own (404)", "", 200}));
}

TEST(HeadText, finds_fields_whatever_their_case_folds_and_line_ends) {
  std::string_view head = "HTTP/1.1 200 OK\nA: 1\r\nLong: x\r\n  y\r\nlong:z\r\n\r\n";
  auto first = field_in(head, "LONG");
  ASSERT_TRUE(first);
  EXPECT_EQ(head.substr(first->line, first->line_end - first->line), "Long: x\r\n  y\r\n");
  EXPECT_EQ(head.substr(first->value, first->value_end - first->value), "x\r\n  y");
  auto second = field_in(head, "long", first->line_end);
  ASSERT_TRUE(second);
  EXPECT_EQ(head.substr(second->value, second->value_end - second->value), "z");
  EXPECT_FALSE(field_in(head, "HTTP/1.1 200 OK\nA"));
  EXPECT_FALSE(field_in(head, "Lon"));
  EXPECT_EQ(framing_in("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 5\r\n\r\n").chunked,
            true);
  EXPECT_EQ(framing_in("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n").length, std::nullopt);
}

}  // namespace
}  // namespace retrial::proxy
