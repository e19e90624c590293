// What an Envoy says, as protobuf has it: messages that Google's library has written, ours beside them, and broken
// ones.
#include <gtest/gtest.h>

#include "base/text.h"
#include "proxy/codec/envoy_log.h"
#include "proxy/codec/grpc_messages.h"
#include "proxy/codec/protobuf.h"

namespace retrial::proxy {
namespace {
using namespace std::string_literals;
using Part = Processing::Part;

std::string bytes_of(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return out;
}
// By Google's library, from the Envoy project's definitions.
const std::string kRequest = bytes_of(
    "125f0a5b0a0f0a073a6d6574686f641a04504f53540a110a053a706174681a082f7061793f783d310a190a0a3a617574686f726974791a0b6f"
    "72"
    "646572733a383038300a1a0a15782d656e766f792d617474656d70742d636f756e741a013218015a021001");
const std::string kResponse = bytes_of(
    "1a120a100a0e0a073a73746174757312033530334a760a1b656e766f792e66696c746572732e687474702e6578745f70726f6312570a55"
    "0a15726573706f6e73652e636f64655f64657461696c73123c1a3a757073747265616d5f72657365745f6265666f72655f726573706f6e"
    "73655f737461727465647b636f6e6e656374696f6e5f6661696c7572657d5001");
const std::string kLog = bytes_of(
    "0a051203686f7012d8010aa5010a262a090880e2cfaa06108827320310e8074a041080897a520510c08db701620408011004c001021a480803"
    "1204687474701a0b6f72646572733a383038302a042f70617932066375726c2f384a05312d322d3360056a1a0a15782d656e766f792d617474"
    "656d70742d636f756e7412013222310a0308c8011807221a0a0c636f6e74656e742d74797065120a746578742f706c61696e320c7669615f75"
    "7073747265616d0a2e0a2182010278018a01190a170a077265747269616c120c0a0a0a047365656e120220011a0908011a01612a022f78");

TEST(ExtProc, request_headers_are_read_as_an_Envoy_writes_them) {
  Processing seen;
  ASSERT_EQ(read_processing(kRequest, 100, seen), "");
  EXPECT_EQ(seen.part, Part::request_headers);
  EXPECT_TRUE(seen.end);
  EXPECT_TRUE(seen.bodies);
  EXPECT_FALSE(seen.full_duplex);
  ASSERT_EQ(seen.fields.size(), 4u);
  EXPECT_EQ(seen.fields[1].name, ":path");
  EXPECT_EQ(seen.fields[1].value, "/pay?x=1");
  EXPECT_EQ(seen.fields[3].name, "x-envoy-attempt-count");
  EXPECT_EQ(seen.fields[3].value, "2");
}
TEST(ExtProc, an_answer_of_the_Envoys_own_is_known_by_its_details) {
  Processing seen;
  ASSERT_EQ(read_processing(kResponse, 100, seen), "");
  EXPECT_EQ(seen.part, Part::response_headers);
  EXPECT_EQ(seen.fields.at(0).value, "503") << "in value, not in raw_value";
  EXPECT_TRUE(seen.observing);
  EXPECT_FALSE(of_service(seen));
  EXPECT_EQ(seen.code_details, "upstream_reset_before_response_started{connection_failure}");
  seen.code_details = "via_upstream";
  EXPECT_TRUE(of_service(seen));
}
TEST(ExtProc, answers_are_written_as_Googles_library_writes_them) {
  auto written = [](auto&& put) {
    std::string out;
    put(out);
    return out;
  };
  EXPECT_EQ(written([](auto& o) { put_goes_on(o, Part::request_headers); }), bytes_of("0a00"));
  EXPECT_EQ(written([](auto& o) { put_goes_on(o, Part::response_trailers); }), bytes_of("3200"));
  EXPECT_EQ(written([](auto& o) {
              put_immediate(o, {.status = 503, .fields = {{"x-a", "b"}}, .body = "gone", .details = "retrial-1-2"});
            }),
            bytes_of("3a280a0308f703120e0a0c0a080a03782d611a016218021a04676f6e652a0b7265747269616c2d312d32"));
  EXPECT_EQ(written([](auto& o) {
              put_immediate(o, {.status = 200, .grpc_code = 14, .fields = {}, .body = "try later", .details = "d"});
            }),
            bytes_of("3a170a0308c8011a09747279206c617465722202080e2a0164"));
  EXPECT_EQ(written([](auto& o) { put_patience(o, 3500 * kMillisecond); }), bytes_of("520808031080cab5ee01"));
  EXPECT_EQ(written([](auto& o) { put_changed_head(o, {.name = "etag", .values = {"x"}}); }),
            bytes_of("12130a11120f0a0d0a090a04657461671a01781802"));
  EXPECT_EQ(written([](auto& o) { put_changed_head(o, {.name = "etag", .values = {}}); }),
            bytes_of("120a0a081206120465746167"));
  EXPECT_EQ(written([](auto& o) {
              put_goes_on(o, Part::request_headers);
              put_seen(o);
            }),
            bytes_of("0a00421b0a190a077265747269616c120e2a0c0a0a0a047365656e12022001"));
}
TEST(ExtProc, what_is_cut_short_or_has_a_wrong_byte_is_refused_or_read_and_nothing_is_read_beyond_it) {
  for (auto& whole : {kRequest, kResponse}) {
    for (std::size_t size = 0; size < whole.size(); size++) {
      auto cut = std::make_unique<char[]>(size);  // its own memory, so that a sanitizer sees what is beyond
      std::copy_n(whole.data(), size, cut.get());
      Processing seen;
      read_processing({cut.get(), size}, 100, seen);
    }
    for (std::size_t at = 0; at < whole.size(); at++)
      for (char other : {'\0', '\x7f', '\xff'}) {
        auto wrong = whole;
        wrong[at] = other;
        Processing seen;
        read_processing(wrong, 100, seen);
      }
  }
  Processing seen;
  EXPECT_EQ(read_processing("", 100, seen), "it holds neither headers, a body nor trailers");
  EXPECT_EQ(read_processing("\x12\x05", 100, seen), "it is no ProcessingRequest");
  EXPECT_EQ(read_processing("\x13", 100, seen), "it is no ProcessingRequest") << "a group";
  EXPECT_EQ(read_processing(kRequest, 3, seen), "more header fields than are allowed");
}
TEST(ExtProc, a_header_that_would_end_its_line_is_refused) {
  for (auto [name, value] :
       {std::pair("a"s, "b\r\nc: d"s), std::pair("a\n"s, "b"s), std::pair(""s, "b"s), std::pair("a"s, "\0"s)}) {
    std::string field, map, headers, message;
    proto_put(field, 1, name);
    proto_put(field, 3, value);
    proto_put(map, 1, field);
    proto_put(headers, 1, map);
    proto_put(message, 2, headers);
    Processing seen;
    EXPECT_EQ(read_processing(message, 100, seen), "a header field with bytes that none may have") << name;
  }
}

TEST(EnvoyLog, entries_are_read_as_an_Envoy_writes_them) {
  LogReader reader(kLog);
  EXPECT_FALSE(reader.broken());
  LogEntry e;
  ASSERT_TRUE(reader.next(100, e));
  EXPECT_EQ(e.method, "POST");
  EXPECT_EQ(e.authority, "orders:8080");
  EXPECT_EQ(e.path, "/pay");
  EXPECT_EQ(e.began, 1'700'000'000 * kSecond + 5000);
  EXPECT_EQ(e.request_read, 1000);
  EXPECT_EQ(e.answered, 2 * kMillisecond);
  EXPECT_EQ(e.service_done, 3 * kMillisecond);
  EXPECT_EQ(e.told, kSecond + 4);
  EXPECT_EQ(e.status, 200);
  EXPECT_EQ(e.request_bytes, 5u);
  EXPECT_EQ(e.response_bytes, 7u);
  EXPECT_EQ(e.code_details, "via_upstream");
  ASSERT_EQ(e.request_fields.size(), 3u);
  EXPECT_EQ(e.request_fields[0].name, "x-envoy-attempt-count");
  EXPECT_EQ(e.request_fields[2].name, "x-request-id");
  EXPECT_EQ(e.request_fields[2].value, "1-2-3");
  EXPECT_FALSE(e.processed);
  EXPECT_FALSE(e.client_left);
  ASSERT_TRUE(reader.next(100, e));
  EXPECT_EQ(e.method, "GET");
  EXPECT_TRUE(e.client_left);
  EXPECT_TRUE(e.processed);
  EXPECT_TRUE(e.request_fields.empty()) << "nothing of the one before";
  EXPECT_FALSE(reader.next(100, e));
  EXPECT_EQ(reader.left_out(), 0u);
}
TEST(EnvoyLog, what_is_cut_short_or_has_a_wrong_byte_is_left_out_or_read) {
  for (std::size_t at = 0; at < kLog.size(); at++) {
    auto wrong = kLog;
    wrong[at] ^= static_cast<char>(0xff);
    for (auto& bytes : {kLog.substr(0, at), wrong}) {
      auto own = std::make_unique<char[]>(bytes.size());
      std::copy_n(bytes.data(), bytes.size(), own.get());
      LogReader reader({own.get(), bytes.size()});
      LogEntry e;
      while (reader.next(100, e)) EXPECT_FALSE(e.method.empty());
    }
  }
}

std::vector<std::string> taken(std::string_view bytes, std::size_t piece, GrpcMessages& messages) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    auto some = bytes.substr(from, piece);
    for (std::string_view message; messages.next(some, message);) all.emplace_back(message);
  }
  return all;
}
TEST(GrpcMessages, are_the_same_in_whatever_pieces_they_come) {
  std::string bytes;
  for (auto& message : {"one"s, ""s, std::string(300, 'x'), "last"s}) grpc_put(bytes, message);
  std::vector<std::string> all{"one", "", std::string(300, 'x'), "last"};
  for (std::size_t piece = 1; piece <= bytes.size(); piece++) {
    GrpcMessages messages(300);
    EXPECT_EQ(taken(bytes, piece, messages), all) << piece;
    EXPECT_TRUE(messages.wrong() == GrpcMessages::Wrong::nothing);
  }
}
TEST(GrpcMessages, one_that_is_compressed_or_too_large_is_the_end_of_them) {
  std::string large, packed, good;
  grpc_put(good, "a");
  grpc_put(large, std::string(301, 'x'));
  packed = large;
  packed[0] = 1;
  for (std::size_t piece : {1ul, 4ul, 1000ul}) {
    GrpcMessages messages(300), others(300);
    EXPECT_EQ(taken(good + large + good, piece, messages), std::vector<std::string>{"a"});
    EXPECT_TRUE(messages.wrong() == GrpcMessages::Wrong::too_large);
    EXPECT_LE(messages.holds(), 64u) << "nothing of it is kept";
    EXPECT_EQ(taken(good + packed, piece, others), std::vector<std::string>{"a"});
    EXPECT_TRUE(others.wrong() == GrpcMessages::Wrong::compressed);
  }
}

TEST(Protobuf, fields_are_read_by_number_whatever_their_kind_and_an_unknown_one_is_passed_over) {
  auto message = "\x08\xac\x02\x11\1\2\3\4\5\6\7\x08\x1d\1\0\0\0\x22\3abc\xfa\x07\0"s;
  EXPECT_EQ(proto_number(message, 1), 300u);
  EXPECT_EQ(proto_number(message, 2), 0x0807060504030201u);
  EXPECT_EQ(proto_number(message, 3), 1u);
  EXPECT_EQ(proto_bytes(message, 4), "abc");
  EXPECT_EQ(proto_bytes(message, 5), "");
  ProtoReader reader(message);
  ProtoField f;
  for (int n = 0; n < 5; n++) EXPECT_TRUE(reader.next(f));
  EXPECT_EQ(f.number, 127u);
  EXPECT_FALSE(reader.next(f));
  EXPECT_FALSE(reader.broken());
}
TEST(Protobuf, a_number_without_an_end_a_field_of_number_0_and_lengths_beyond_the_message_break_it) {
  for (auto& bytes : {"\x08"s, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x00\x01"s, "\x0a\x02x"s,
                      "\x11\1\2"s, "\x0c"s, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s}) {
    ProtoReader reader(bytes);
    ProtoField f;
    while (reader.next(f)) {
    }
    EXPECT_TRUE(reader.broken());
  }
}

}  // namespace
}  // namespace retrial::proxy
