// HPACK: the examples of RFC 7541, and nghttp2 as the other end.
#include "proxy/codec/h2_hpack.h"

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <optional>

namespace retrial::proxy {
namespace {

using namespace std::string_literals;
using Fields = std::vector<std::pair<std::string, std::string>>;

std::string bytes(std::string_view hex) {
  std::string out;
  int digits = 0, byte = 0;
  for (char c : hex) {
    if (c == ' ') continue;
    byte = byte * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    if (++digits % 2) continue;
    out += static_cast<char>(byte);
    byte = 0;
  }
  return out;
}
// The fields, or nothing if it is broken.
std::optional<Fields> read(HpackReader& reader, std::string_view block) {
  Fields all;
  HpackField f;
  reader.begin(block);
  for (;;) {
    switch (reader.next(f)) {
      case HpackReader::Step::field:
        all.emplace_back(f.name, f.value);
        if (!f.line.empty()) {
          EXPECT_EQ(f.line, all.back().first + ": " + all.back().second + "\r\n");
        }
        break;
      case HpackReader::Step::end:
        return all;
      case HpackReader::Step::broken:
        return {};
    }
  }
}
std::optional<Fields> read(std::string_view block) {
  HpackReader reader;
  return read(reader, block);
}
std::string write(HpackWriter& writer, const std::vector<H2Field>& fields) {
  std::string out(HpackWriter::bound(fields), 0);
  out.resize(static_cast<std::size_t>(writer.write(fields, out.data()) - out.data()));
  return out;
}

class Inflater {
 public:
  Inflater() { nghttp2_hd_inflate_new(&inflater_); }
  ~Inflater() { nghttp2_hd_inflate_del(inflater_); }
  Inflater(const Inflater&) = delete;
  void limit(std::uint32_t bytes) { nghttp2_hd_inflate_change_table_size(inflater_, bytes); }
  std::optional<Fields> read(std::string_view block) {
    Fields all;
    auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
    auto left = block.size();
    for (;;) {
      nghttp2_nv nv;
      int flags = 0;
      auto n = nghttp2_hd_inflate_hd2(inflater_, &nv, &flags, at, left, 1);
      if (n < 0) return {};
      at += n;
      left -= static_cast<std::size_t>(n);
      if (flags & NGHTTP2_HD_INFLATE_EMIT)
        all.emplace_back(std::string(reinterpret_cast<char*>(nv.name), nv.namelen),
                         std::string(reinterpret_cast<char*>(nv.value), nv.valuelen));
      if (flags & NGHTTP2_HD_INFLATE_FINAL) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    return all;
  }
  nghttp2_hd_inflater* get() { return inflater_; }

 private:
  nghttp2_hd_inflater* inflater_ = nullptr;
};
class Deflater {
 public:
  Deflater() { nghttp2_hd_deflate_new(&deflater_, 4096); }
  ~Deflater() { nghttp2_hd_deflate_del(deflater_); }
  Deflater(const Deflater&) = delete;
  void limit(std::uint32_t bytes) { nghttp2_hd_deflate_change_table_size(deflater_, bytes); }
  std::string write(const Fields& fields) {
    std::vector<nghttp2_nv> nvs;
    auto text = [](const std::string& s) { return reinterpret_cast<std::uint8_t*>(const_cast<char*>(s.data())); };
    for (auto& [n, v] : fields) nvs.push_back({text(n), text(v), n.size(), v.size(), NGHTTP2_NV_FLAG_NONE});
    std::string out(nghttp2_hd_deflate_bound(deflater_, nvs.data(), nvs.size()), 0);
    auto n = nghttp2_hd_deflate_hd(deflater_, text(out), out.size(), nvs.data(), nvs.size());
    out.resize(static_cast<std::size_t>(n));
    return out;
  }

 private:
  nghttp2_hd_deflater* deflater_ = nullptr;
};

// RFC 7541 Appendix C.3 and C.4, C.5 and C.6: without and with Huffman's code.
TEST(Hpack, the_requests_of_the_rfc_are_read) {
  Fields first{{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "www.example.com"}};
  auto second = first;
  second.emplace_back("cache-control", "no-cache");
  Fields third{{":method", "GET"},
               {":scheme", "https"},
               {":path", "/index.html"},
               {":authority", "www.example.com"},
               {"custom-key", "custom-value"}};
  HpackReader plain;
  EXPECT_EQ(read(plain, bytes("8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d")), first);
  EXPECT_EQ(read(plain, bytes("8286 84be 5808 6e6f 2d63 6163 6865")), second);
  EXPECT_EQ(read(plain, bytes("8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65")), third);
  HpackReader huffman;
  EXPECT_EQ(read(huffman, bytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff")), first);
  EXPECT_EQ(read(huffman, bytes("8286 84be 5886 a8eb 1064 9cbf")), second);
  EXPECT_EQ(read(huffman, bytes("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")), third);
}
TEST(Hpack, the_responses_of_the_rfc_are_read_with_a_table_of_256_bytes) {
  Fields first{{":status", "302"},
               {"cache-control", "private"},
               {"date", "Mon, 21 Oct 2013 20:13:21 GMT"},
               {"location", "https://www.example.com"}};
  auto second = first;
  second[0].second = "307";
  Fields third{{":status", "200"},
               {"cache-control", "private"},
               {"date", "Mon, 21 Oct 2013 20:13:22 GMT"},
               {"location", "https://www.example.com"},
               {"content-encoding", "gzip"},
               {"set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"}};
  HpackReader reader;
  reader.limit(256);
  EXPECT_EQ(
      read(reader, bytes("3fe1 01 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 "
                         "2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3")),
      first);
  EXPECT_EQ(read(reader, bytes("4883 640e ffc1 c0bf")), second);
  EXPECT_EQ(read(reader, bytes("88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad "
                               "94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 "
                               "65c0 03ed 4ee5 b106 3d50 07")),
            third);
}
TEST(Hpack, the_static_table_is_that_of_nghttp2) {
  Inflater other;
  auto fixed = hpack_static_table();
  ASSERT_EQ(fixed.size(), 61u);
  for (std::size_t i = 0; i < fixed.size(); i++) {
    auto* nv = nghttp2_hd_inflate_get_table_entry(other.get(), i + 1);
    EXPECT_EQ(fixed[i].name, std::string(reinterpret_cast<char*>(nv->name), nv->namelen));
    EXPECT_EQ(fixed[i].value, std::string(reinterpret_cast<char*>(nv->value), nv->valuelen));
    EXPECT_EQ(fixed[i].wrong, "");
  }
}
TEST(Hpack, every_byte_of_huffmans_code_is_read_as_nghttp2_reads_it) {
  // Each byte among others that are short, so that nghttp2 finds it worth its code.
  for (int c = 0; c < 256; c++) {
    auto value = std::string(20, 'a') + static_cast<char>(c) + std::string(20, 'e');
    Deflater other;
    auto block = other.write({{"x", value}});
    EXPECT_LT(block.size(), 41u) << c;
    EXPECT_EQ(read(block), (Fields{{"x", value}})) << c;
  }
}
TEST(Hpack, what_is_not_of_huffmans_code_is_broken) {
  EXPECT_EQ(read("\0\x81\xff\1a"s), std::nullopt);                  // more padding than seven bits
  EXPECT_EQ(read("\0\x81\x18\1a"s), std::nullopt);                  // padding of zeros
  EXPECT_EQ(read("\0\x84\xff\xff\xff\xff\1a"s), std::nullopt);      // EOS
  EXPECT_EQ(read("\0\x85\x1f\xff\xff\xff\xff\1a"s), std::nullopt);  // 'a', EOS
  EXPECT_EQ(read("\0\x81\x1f\1b"s), (Fields{{"a", "b"}}));
}
TEST(Hpack, what_is_cut_short_or_out_of_the_table_is_broken) {
  std::string whole = "\x40\1a\3xyz"s;
  for (std::size_t n = 1; n < whole.size(); n++) EXPECT_EQ(read(whole.substr(0, n)), std::nullopt) << n;
  EXPECT_EQ(read("\x80"), std::nullopt);
  EXPECT_EQ(read("\xbe"), std::nullopt);
  EXPECT_EQ(read("\x7f"), std::nullopt);
  EXPECT_EQ(read(whole + "\xbe"), (Fields{{"a", "xyz"}, {"a", "xyz"}}));
  EXPECT_EQ(read(whole + "\xbf"), std::nullopt);
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\1"), std::nullopt);
  EXPECT_EQ(read("\0\x7f\xff\xff\xff\x7f"s), std::nullopt);
}
TEST(Hpack, the_tables_size_changes_at_the_beginning_of_a_block_alone) {
  EXPECT_EQ(read("\x20\x3f\xe1\x1f\x82"), (Fields{{":method", "GET"}}));
  EXPECT_EQ(read("\x82\x20"), std::nullopt);
  EXPECT_EQ(read("\x3f\xe2\x1f"), std::nullopt);
  HpackReader reader;
  EXPECT_EQ(read(reader, "\x40\1a\1b"s), (Fields{{"a", "b"}}));
  reader.limit(0);
  EXPECT_EQ(read(reader, "\x20\x40\1c\1d"s), (Fields{{"c", "d"}}));
  EXPECT_EQ(read(reader, "\xbe"), std::nullopt);
  HpackReader another;
  another.limit(100);
  EXPECT_EQ(read(another, "\x82"), std::nullopt);  // it must say so first
  HpackReader between;
  between.limit(100);
  between.limit(4096);
  EXPECT_EQ(read(between, "\x3f\xe1\x1f\x82"), std::nullopt);  // the least, too
  HpackReader both;
  both.limit(100);
  both.limit(4096);
  EXPECT_EQ(read(both, "\x3f\x45\x3f\xe1\x1f\x82"), (Fields{{":method", "GET"}}));
}
TEST(Hpack, an_entry_that_is_larger_than_the_table_empties_it) {
  HpackReader reader;
  EXPECT_EQ(read(reader, "\x3f\x09\x40\1a\1b"s)->size(), 1u);  // 40 bytes: one entry of 34
  EXPECT_EQ(read(reader, "\xbe"), (Fields{{"a", "b"}}));
  EXPECT_EQ(read(reader,
                 "\x7e\x08"
                 "12345678"s),
            (Fields{{"a", "12345678"}}));  // by the name of what it drives out
  EXPECT_EQ(read(reader, "\xbe"), std::nullopt);
}
TEST(Hpack, an_entry_may_have_the_name_of_the_one_it_drives_out) {
  HpackReader reader;
  std::string name(40, 'n');
  EXPECT_EQ(read(reader, "\x3f\x45\x40\x28"s + name + "\3abc")->size(), 1u);  // 100 bytes
  for (int i = 0; i < 50; i++) {
    auto value = std::string(static_cast<std::size_t>(i % 20), 'v');
    EXPECT_EQ(read(reader, "\x7e" + std::string(1, static_cast<char>(value.size())) + value), (Fields{{name, value}}));
    EXPECT_EQ(read(reader, "\xbe"), (Fields{{name, value}}));
  }
}

TEST(Hpack, a_field_goes_into_the_table_when_it_comes_again) {
  HpackWriter writer;
  std::vector<H2Field> fields{{":method", "GET"}, {"a", "b"}};
  EXPECT_EQ(write(writer, fields), "\x82\0\1a\1b"s);
  EXPECT_EQ(write(writer, fields), "\x82\x40\1a\1b"s);
  EXPECT_EQ(write(writer, fields), "\x82\xbe");
  EXPECT_EQ(write(writer, {{":path", "/x"}, {"a", "c"}, {"a", "b"}}), "\4\2/x\0\1a\1c\xbe"s);
}
TEST(Hpack, what_is_sensitive_is_never_indexed) {
  HpackWriter writer;
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(write(writer, {{"authorization", "x", true}, {"y", "z", true}, {"content-type", "a", true}}),
              "\x1f\x08\1x\x10\1y\1z\x1f\x10\1a"s);
}
TEST(Hpack, a_table_that_the_peer_made_smaller_is_said_to_be) {
  HpackWriter writer;
  writer.limit(0);
  writer.limit(100);
  EXPECT_EQ(write(writer, {{":method", "GET"}}), "\x20\x3f\x45\x82"s);
  writer.limit(1 << 20);
  EXPECT_EQ(write(writer, {{":method", "GET"}}), "\x3f\xe1\x1f\x82"s);
  writer.limit(1 << 20);
  EXPECT_EQ(write(writer, {{":method", "GET"}}), "\x82");
}
TEST(Hpack, what_we_write_nghttp2_reads_and_what_it_writes_we_read) {
  HpackWriter writer;
  Inflater inflater;
  Deflater deflater;
  HpackReader reader;
  std::uint32_t x = 1;
  auto some = [&x](std::uint32_t n) { return ((x = x * 1664525 + 1013904223) >> 8) % n; };
  for (int block = 0; block < 3000; block++) {
    if (some(50) == 0) {
      auto bytes = some(3) == 0 ? 0 : some(6000);
      writer.limit(bytes);
      inflater.limit(bytes);
      deflater.limit(bytes);
      reader.limit(bytes);
    }
    Fields fields;
    for (auto n = some(12); n > 0; n--) {
      if (some(3) == 0) {
        auto& f = hpack_static_table()[some(61)];
        fields.emplace_back(f.name, some(2) ? std::string(f.value) : std::to_string(some(10)));
      } else {
        fields.emplace_back("x-" + std::to_string(some(40)),
                            std::string(some(20) == 0 ? some(3000) : some(20), 'a' + some(3)));
      }
    }
    std::vector<H2Field> views;
    for (auto& [n, v] : fields) views.push_back({n, v, some(10) == 0});
    ASSERT_EQ(inflater.read(write(writer, views)), fields) << block;
    ASSERT_EQ(read(reader, deflater.write(fields)), fields) << block;
  }
}

}  // namespace
}  // namespace retrial::proxy
