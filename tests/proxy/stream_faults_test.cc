// Faults of HTTP/2 and of gRPC: what they do when, and what they make of a response, however it is cut on its way.
#include <gtest/gtest.h>

#include "proxy/faults/earlier.h"
#include "proxy/faults/registry.h"
#include "trace/fault_name.h"
#include "trace/fault_table.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;
using trace::FaultSpec;
using trace::OfMessage;
using trace::Point;

constexpr std::string_view kHead = "HTTP/1.1 200 \r\ncontent-type: application/grpc+proto\r\n\r\n";
constexpr std::string_view kSized = "HTTP/1.1 200 \r\ncontent-length: 10\r\n\r\n";
constexpr std::string_view kPlain = "HTTP/1.1 200 \r\nserver: s\r\n\r\n";

trace::Exchange exchange_of(const FaultSpec& fault) {
  trace::Exchange e;
  e.stream = 5;
  e.client_status = 200;
  e.method = "POST";
  e.target = "/p.S/M";
  e.fault = fault;
  e.fault_id = "7";
  e.service_status = 200;
  e.grpc.is = true;
  return e;
}
std::string message(std::string_view bytes) {
  std::string out("\0\0\0\0", 4);
  return out.append(1, static_cast<char>(bytes.size())).append(bytes);
}

struct Sent {
  std::string head;
  std::string body;
  std::string late;  // what came after the pause
  Act act = Act::pass;
  std::string evidence;  // empty: it did not fire
  std::string spared;
  bool paused = false;
  bool operator==(const Sent&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Sent& s) {
  return out << testing::PrintToString(s.head) << testing::PrintToString(s.body) << " late "
             << testing::PrintToString(s.late) << " act " << static_cast<int>(s.act) << " | " << s.evidence << " | "
             << s.spared << (s.paused ? " | paused" : "");
}
// As an exchange does it. The pause is over behind the piece `wakes`, or behind the end.
Sent play(const FaultSpec& fault, std::string_view head, const std::vector<std::string_view>& pieces,
          std::size_t wakes) {
  auto e = exchange_of(fault);
  Earlier earlier;
  auto edit = fault_named(fault.name)->edit(e, earlier);
  Sent sent{.head = std::string(head)};
  int fired = 0;
  bool resting = false;
  auto note = [&](const Edit::Did& did) {
    if (did.fires && ++fired) sent.evidence = edit->evidence(e);
    sent.act = did.act;
    sent.spared = did.spares;
    sent.paused |= did.more;
    resting = did.more;
  };
  auto goes_on = [&] { return sent.act == Act::pass && sent.spared.empty(); };
  bool bodiless = pieces.empty();
  note(edit->head(sent.head, e, bodiless));
  for (std::size_t i = 0; i <= pieces.size(); i++) {
    bool last = i == pieces.size();
    auto piece = last ? std::string_view() : pieces[i];
    auto& out = sent.paused ? sent.late : sent.body;
    auto size = out.size();
    bool rested = resting;
    if (goes_on())
      note(edit->body(piece, last, out));
    else if (!sent.spared.empty())
      out += piece;
    if (rested && resting) {
      EXPECT_EQ(out.size(), size) << "came in the pause";
    }
    if (resting && (last || i >= wakes)) note(edit->more(sent.late));
  }
  EXPECT_FALSE(resting);
  EXPECT_LE(fired, 1);
  return sent;
}
// The same, whatever the pieces and however long the pause.
Sent send(const FaultSpec& fault, std::string_view head, std::string_view body) {
  constexpr auto kEnd = static_cast<std::size_t>(-1);
  auto whole = play(fault, head, body.empty() ? std::vector<std::string_view>{} : std::vector{body}, kEnd);
  for (std::size_t cut = 1; cut < body.size(); cut++)
    for (auto wakes : {kEnd, std::size_t{0}, std::size_t{1}})
      EXPECT_EQ(play(fault, head, {body.substr(0, cut), body.substr(cut)}, wakes), whole) << cut;
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < body.size(); i++) bytes.push_back(body.substr(i, 1));
  for (std::size_t wakes = 0; wakes <= bytes.size() && !bytes.empty(); wakes++)
    EXPECT_EQ(play(fault, head, bytes, wakes), whole) << "byte by byte, " << wakes;
  return whole;
}
FaultSpec of_message(OfMessage what, int nth) {
  FaultSpec fault{.name = FaultName::message, .delay = what == OfMessage::delay ? 20 * kMillisecond : 0};
  fault.of_message = what;
  fault.nth = nth;
  return fault;
}
const std::string kOne = message("one"), kTwo = message("second"), kThree = message("3"), kEmpty = message("");
const std::string kAll = kOne + kTwo + kThree;
std::string head() { return std::string(kHead); }

TEST(MessageFault, leaves_out_the_nth_message_whole) {
  EXPECT_EQ(
      send(of_message(OfMessage::drop, 2), kHead, kAll),
      (Sent{.head = head(), .body = kOne + kThree, .evidence = "message 2 of the response, of 6 bytes, was left out"}));
  EXPECT_EQ(send(of_message(OfMessage::drop, 1), kHead, kAll).body, kTwo + kThree);
  EXPECT_EQ(send(of_message(OfMessage::drop, 3), kHead, kAll).body, kOne + kTwo);
  EXPECT_EQ(
      send(of_message(OfMessage::drop, 2), kHead, kOne + kEmpty + kThree),
      (Sent{.head = head(), .body = kOne + kThree, .evidence = "message 2 of the response, of 0 bytes, was left out"}));
}
TEST(MessageFault, cuts_the_nth_message_under_its_whole_prefix_and_passes_nothing_after_it) {
  EXPECT_EQ(send(of_message(OfMessage::truncate, 2), kHead, kAll),
            (Sent{.head = head(),
                  .body = kOne + kTwo.substr(0, 5 + 3),
                  .evidence = "3 of 6 bytes of message 2 of the response, and nothing of the body after them"}));
  EXPECT_EQ(send(of_message(OfMessage::truncate, 3), kHead, kAll),
            (Sent{.head = head(),
                  .body = kOne + kTwo + kThree.substr(0, 5),
                  .evidence = "0 of 1 bytes of message 3 of the response, and nothing of the body after them"}));
}
TEST(MessageFault, changes_one_bit_in_the_middle_of_the_nth_message) {
  EXPECT_EQ(send(of_message(OfMessage::corrupt, 2), kHead, kAll),
            (Sent{.head = head(),
                  .body = kOne + message("secnnd") + kThree,
                  .evidence = "byte 3 of message 2 of the response was 0x6f, and 0x6e was passed"}));
  EXPECT_EQ(send(of_message(OfMessage::corrupt, 3), kHead, kAll).body, kOne + kTwo + message("2"));
}
TEST(MessageFault, holds_the_nth_message_and_what_follows_it) {
  EXPECT_EQ(send(of_message(OfMessage::delay, 3), kHead, kAll),
            (Sent{.head = head(),
                  .body = kOne + kTwo,
                  .late = kThree,
                  .evidence = "message 3 of the response, of 1 bytes, and what follows it were held for 20 ms",
                  .paused = true}));
  auto second = send(of_message(OfMessage::delay, 2), kHead, kAll);
  EXPECT_EQ(second.body, kOne);
  EXPECT_EQ(second.late, kTwo + kThree);
}
TEST(MessageFault, spares_an_empty_message_that_could_not_be_cut_or_changed) {
  for (auto what : {OfMessage::truncate, OfMessage::corrupt})
    EXPECT_EQ(send(of_message(what, 2), kHead, kOne + kEmpty + kThree),
              (Sent{.head = head(), .body = kOne + kEmpty + kThree, .spared = "this message is empty"}));
}
TEST(MessageFault, spares_a_call_that_ends_before_its_message) {
  for (auto what : {OfMessage::delay, OfMessage::drop, OfMessage::truncate, OfMessage::corrupt}) {
    EXPECT_EQ(send(of_message(what, 4), kHead, kAll),
              (Sent{.head = head(), .body = kAll, .spared = "the call ended before this message"}));
    for (std::size_t size = 1; size < 5; size++)
      EXPECT_EQ(
          send(of_message(what, 2), kHead, kOne + kTwo.substr(0, size)),
          (Sent{.head = head(), .body = kOne + kTwo.substr(0, size), .spared = "the call ended before this message"}));
    EXPECT_EQ(send(of_message(what, 1), kHead, ""),
              (Sent{.head = head(), .spared = "the service ended the call with its head"}));
    EXPECT_EQ(send(of_message(what, 1), kPlain, kAll),
              (Sent{.head = std::string(kPlain), .body = kAll, .spared = "the response is none of gRPC"}));
  }
  EXPECT_EQ(send(of_message(OfMessage::corrupt, 2), kHead, kOne + kTwo.substr(0, 7)).spared,
            "the call ended in this message");
}
TEST(MessageFault, reads_the_length_of_a_message_in_all_four_bytes) {
  std::string large("\0\0\1\2\3", 5);
  large.append(0x10203, 'x');
  auto body = large + kOne;
  auto sent = play(of_message(OfMessage::drop, 2), kHead, {body}, 0);
  EXPECT_EQ(sent.body, large);
  EXPECT_EQ(play(of_message(OfMessage::drop, 1), kHead, {body}, 0).body, kOne);
}

TEST(LateStatusFault, comes_after_the_services_head_in_place_of_all_else) {
  FaultSpec fault{.name = FaultName::late_status, .status = trace::kGrpcStatus + trace::grpc_code::internal};
  EXPECT_EQ(send(fault, kHead, kAll),
            (Sent{.head = head(),
                  .act = Act::answer,
                  .evidence = "INTERNAL in trailers after the service's head, in place of its messages"}));
  EXPECT_EQ(send(fault, kHead, "").spared, "the service ended the call with its head");
  auto e = exchange_of(fault);
  Earlier earlier;
  EXPECT_EQ(fault_named(fault.name)->edit(e, earlier)->status(200), 2013);
}
TEST(SlowTrailersFault, holds_the_end_and_nothing_else) {
  FaultSpec fault{.name = FaultName::slow_trailers, .delay = 20 * kMillisecond};
  EXPECT_EQ(send(fault, kHead, kAll), (Sent{.head = head(),
                                            .body = kAll,
                                            .evidence = "the response's end, with its trailers, was held for 20 ms",
                                            .paused = true}));
  EXPECT_EQ(send(fault, kHead, "").spared, "the service ended its response with the head");
}

FaultSpec rst(std::uint32_t code, Point point) {
  FaultSpec fault{.name = FaultName::rst_stream, .point = point};
  fault.code = code;
  return fault;
}
TEST(RstStreamFault, strikes_in_the_response_as_a_reset_does) {
  EXPECT_EQ(send(rst(8, Point::after_response_head), kHead, kAll),
            (Sent{.head = head(), .act = Act::abort, .evidence = "RST_STREAM (cancel) after the response's head"}));
  EXPECT_EQ(send(rst(2, Point::in_body), kSized, "0123456789"),
            (Sent{.head = std::string(kSized),
                  .body = "01234",
                  .act = Act::abort,
                  .evidence = "RST_STREAM (internal-error) after 5 of 10 bytes of the response's body"}));
  auto fault = rst(2, Point::in_body);
  fault.bytes = 7;
  EXPECT_EQ(send(fault, kHead, kAll),
            (Sent{.head = head(),
                  .body = kAll.substr(0, 7),
                  .act = Act::abort,
                  .evidence = "RST_STREAM (internal-error) after 7 bytes of the response's body"}));
}
TEST(RstStreamFault, in_a_stream_of_messages_comes_after_the_first_of_them) {
  auto first = message("first"), second = message("second one");
  Sent cut{.head = head(),
           .body = first,
           .act = Act::abort,
           .evidence = "RST_STREAM (internal-error) after the first message of the response, 10 bytes"};
  EXPECT_EQ(send(rst(2, Point::in_body), kHead, first + second), cut);
  EXPECT_EQ(send(rst(2, Point::in_body), kHead, first), cut) << "before the trailers, where there is one alone";
  auto fin = rst(0, Point::in_body);
  fin.name = FaultName::close;
  cut.act = Act::close;
  cut.evidence = "FIN after the first message of the response, 10 bytes";
  EXPECT_EQ(send(fin, kHead, first + second), cut);
}
// It is END_STREAM, and not the head's last line, that makes such a response whole.
TEST(RstStreamFault, leaves_a_head_whole_that_ends_its_response) {
  for (auto name : {FaultName::rst_stream, FaultName::reset, FaultName::stall}) {
    auto fault = rst(8, Point::after_response_head);
    fault.name = name;
    EXPECT_EQ(send(fault, kPlain, "").head, kPlain);
  }
}

struct Asked {
  std::vector<Act> acts;  // at each step
  std::string spared;     // at the request's head
  std::string evidence;
  bool operator==(const Asked&) const = default;
};
Asked ask(const FaultSpec& fault, bool streams = true, bool grpc = true, bool fresh = false) {
  auto e = exchange_of(fault);
  e.fresh = fresh;
  e.request_bytes = 9;
  Scene scene{.exchange = e, .streams = streams, .grpc = grpc};
  auto& does = *fault_named(fault.name);
  Asked asked;
  asked.spared = does.spares(Step::request_head, scene);
  for (auto step : {Step::request_head, Step::head_sent, Step::request_end, Step::response_head, Step::response_end})
    asked.acts.push_back(does.at(step, scene));
  asked.evidence = does.evidence(Act::pass, scene);
  return asked;
}
using Acts = std::vector<Act>;
constexpr auto P = Act::pass;

TEST(RstStreamFault, strikes_at_each_point_of_a_request) {
  EXPECT_EQ(ask(rst(7, Point::before_request)),
            (Asked{{Act::abort, P, P, P, P},
                   "",
                   "RST_STREAM (refused-stream) after the request's head was read; the service heard nothing"}));
  EXPECT_EQ(
      ask(rst(8, Point::after_head)),
      (Asked{
          {P, Act::abort, P, P, P}, "", "RST_STREAM (cancel) after the service had heard the request's head alone"}));
  EXPECT_EQ(ask(rst(2, Point::after_request)),
            (Asked{{Act::drop, P, Act::abort, P, P},
                   "",
                   "RST_STREAM (internal-error) after the request with 9 bytes of body was read; the service heard "
                   "nothing"}));
  EXPECT_EQ(ask(rst(7, Point::idle)),
            (Asked{{Act::abort, P, P, P, P},
                   "",
                   "RST_STREAM (refused-stream) to a request on a connection that was used before; the service heard "
                   "nothing"}));
  EXPECT_EQ(ask(rst(7, Point::idle), true, true, true).spared, "this connection is fresh, and no idle one");
}
TEST(GoawayFault, comes_at_the_requests_head) {
  FaultSpec fault{.name = FaultName::goaway};
  EXPECT_EQ(ask(fault), (Asked{{Act::goaway, P, P, P, P},
                               "",
                               "GOAWAY (no-error) whose last stream came before stream 5; the service heard nothing"}));
  fault.code = 11;
  EXPECT_EQ(ask(fault).evidence,
            "GOAWAY (enhance-your-calm) whose last stream came before stream 5; the service heard nothing");
}

TEST(StreamFaults, spare_what_has_no_streams) {
  for (auto name : {FaultName::rst_stream, FaultName::goaway, FaultName::slow_trailers})
    for (auto grpc : {false, true}) {
      EXPECT_EQ(ask({.name = name}, false, grpc).spared, "this is no HTTP/2, and has no streams");
      EXPECT_EQ(ask({.name = name}, true, grpc).spared, "");
    }
}
TEST(StreamFaults, of_grpc_spare_what_is_no_call) {
  FaultSpec lost{.name = FaultName::lost_response, .telling = trace::Telling::error, .status = 2014};
  for (auto& fault : {FaultSpec{.name = FaultName::error, .status = 2014}, lost, FaultSpec{.name = FaultName::message},
                      FaultSpec{.name = FaultName::late_status, .status = 2013}}) {
    EXPECT_EQ(ask(fault, true, false).spared, "this is no gRPC call") << show(fault);
    EXPECT_EQ(ask(fault, true, true).spared, "") << show(fault);
  }
  for (auto& fault : {FaultSpec{.name = FaultName::error, .status = 503}, FaultSpec{.name = FaultName::lost_response},
                      FaultSpec{.name = FaultName::corrupt}, FaultSpec{.name = FaultName::drip, .bytes = 1}})
    EXPECT_EQ(ask(fault, true, false).spared, "") << show(fault);
}
TEST(StreamFaults, of_http_1s_text_spare_http_2) {
  FaultSpec fault{.name = FaultName::malformed};
  EXPECT_EQ(ask(fault, false).spared, "");
  EXPECT_EQ(ask(fault).spared, "HTTP/2 has no status line");
  fault.part = trace::Malformed::header;
  EXPECT_EQ(ask(fault).spared, "HTTP/2 has no field without a colon");
  fault.part = trace::Malformed::chunk;
  EXPECT_EQ(ask(fault).spared, "HTTP/2 has no chunks");
  fault.name = FaultName::duplicate;
  EXPECT_EQ(ask(fault, false).spared, "");
  EXPECT_EQ(ask(fault).spared, "HTTP/2 has no second response on a stream");
}

TEST(StreamFaults, a_status_of_grpc_is_told_by_its_name) {
  FaultSpec fault{.name = FaultName::error, .status = 2014};
  EXPECT_EQ(ask(fault).evidence,
            "UNAVAILABLE was answered after the request with 9 bytes of body; the service heard nothing");
  auto e = exchange_of({.name = FaultName::lost_response, .telling = trace::Telling::error, .status = 2014});
  Scene scene{.exchange = e, .withheld = 31, .streams = true, .grpc = true};
  EXPECT_EQ(fault_named(e.fault.name)->evidence(Act::answer, scene),
            "UNAVAILABLE after 31 response bytes were withheld; the service had answered OK");
}
TEST(StreamFaults, a_response_is_not_lost_whose_head_alone_tells_of_an_error) {
  auto e = exchange_of({.name = FaultName::lost_response});
  Scene scene{.exchange = e, .streams = true, .grpc = true};
  auto& lost = *fault_named(FaultName::lost_response);
  EXPECT_EQ(lost.at(Step::response_head, scene), Act::drop);
  EXPECT_EQ(lost.at(Step::response_end, scene), Act::reset);
  e.service_status = 2005;  // Trailers-Only
  EXPECT_EQ(lost.at(Step::response_head, scene), Act::pass);
  EXPECT_EQ(lost.spares(Step::response_head, scene), "the service's own answer is an error, and passed untouched");
}

// What the faults of HTTP/1 make of a response that ends with its stream.
TEST(StreamFaults, a_body_without_a_length_is_cut_and_changed_as_one_with) {
  FaultSpec fault{.name = FaultName::truncate};
  fault.bytes = 3;
  EXPECT_EQ(send(fault, kPlain, "0123456789"),
            (Sent{.head = std::string(kPlain),
                  .body = "012",
                  .evidence = "3 bytes of the response's body, ended as if there were no more"}));
  EXPECT_EQ(send(fault, kSized, "0123456789").head, "HTTP/1.1 200 \r\ncontent-length: 3\r\n\r\n");
  fault = {.name = FaultName::corrupt, .at = 3};
  EXPECT_EQ(send(fault, kPlain, "0123456789").body, "0122456789");
}
TEST(StreamFaults, a_body_that_lost_its_length_ends_with_its_stream_alone) {
  FaultSpec fault{.name = FaultName::drop_header, .header = "Content-Length"};
  EXPECT_EQ(send(fault, kSized, "0123456789"),
            (Sent{.head = "HTTP/1.1 200 \r\n\r\n",
                  .body = "0123456789",
                  .evidence = "the header Content-Length of the response was left out"}));
}
TEST(StreamFaults, a_drip_is_so_many_bytes_and_a_pause) {
  FaultSpec fault{.name = FaultName::drip, .delay = 20 * kMillisecond};
  fault.bytes = 4;
  auto drip = fault_named(fault.name)->drip(fault);
  EXPECT_EQ(drip.bytes, 4u);
  EXPECT_EQ(drip.every, 20 * kMillisecond);
  Earlier earlier;
  EXPECT_EQ(fault_named(fault.name)->edit(exchange_of(fault), earlier), nullptr);
}

Sent stale(Earlier& earlier, trace::Exchange& e, std::string_view head, std::string_view body) {
  auto edit = fault_named(FaultName::stale)->edit(e, earlier);
  Sent sent{.head = std::string(head)};
  auto did = edit->head(sent.head, e, body.empty());
  sent.spared = did.spares;
  if (did.fires) sent.evidence = edit->evidence(e);
  if (!did.spares.empty()) return sent;
  for (std::size_t i = 0; i < body.size(); i++) edit->body(body.substr(i, 1), false, sent.body);
  edit->body({}, true, sent.body);
  return sent;
}
void keep(Earlier& earlier, const trace::Exchange& e, std::string_view head, std::string_view body) {
  auto edit = earlier.keeping(e);
  std::string text(head), out;
  if (!edit->head(text, e, body.empty()).spares.empty()) return;
  edit->body(body, false, out);
  edit->body({}, true, out);
  EXPECT_EQ(out, body);
}
TEST(StreamFaults, a_stale_response_has_an_earlier_head_and_an_earlier_body_apart) {
  Earlier earlier;
  auto e = exchange_of({.name = FaultName::stale});
  EXPECT_EQ(stale(earlier, e, kHead, kOne).spared, "no earlier response to this request was kept");
  keep(earlier, e, kPlain, kTwo);
  EXPECT_EQ(stale(earlier, e, kHead, kOne + kThree),
            (Sent{.head = std::string(kPlain),
                  .body = kTwo,
                  .evidence = "an earlier response (200, 39 bytes) in place of the service's own (200)"}));
  e.stream = 0;
  EXPECT_TRUE(earlier.has(e));  // what was said in HTTP/2 can be said in HTTP/1
}
TEST(StreamFaults, a_stale_response_is_none_where_a_head_holds_the_calls_status) {
  Earlier earlier;
  auto e = exchange_of({.name = FaultName::stale});
  keep(earlier, e, kHead, "");
  EXPECT_FALSE(earlier.has(e));
  keep(earlier, e, kHead, kOne);
  EXPECT_EQ(stale(earlier, e, kHead, "").spared, "the service ended the call with its head");
  e.grpc.is = false;
  EXPECT_EQ(stale(earlier, e, kPlain, "").body, kOne);
}

TEST(StreamFaults, all_have_somebody_who_carries_them_out) {
  for (auto& row : trace::fault_rows()) {
    bool has_exchange = !row.of_connection && row.fault != FaultName::none;
    EXPECT_EQ(fault_named(row.fault) != nullptr, has_exchange) << row.word;
  }
}

}  // namespace
}  // namespace retrial::proxy
