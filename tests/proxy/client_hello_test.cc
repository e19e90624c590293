#include "proxy/net/client_hello.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>

namespace retrial::proxy {
namespace {

// The ClientHello that OpenSSL sends.
std::string hello_of(const char* name, std::string_view alpn, int version = TLS1_3_VERSION) {
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> ctx(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  std::unique_ptr<SSL, void (*)(SSL*)> ssl(SSL_new(ctx.get()), SSL_free);
  SSL_set_max_proto_version(ssl.get(), version);
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  if (name) SSL_set_tlsext_host_name(ssl.get(), name);
  if (!alpn.empty())
    SSL_set_alpn_protos(ssl.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
  SSL_connect(ssl.get());
  char* data = nullptr;
  auto size = BIO_get_mem_data(SSL_get_wbio(ssl.get()), &data);
  return {data, static_cast<std::size_t>(size)};
}

// The same message in records of at most `size` bytes.
std::string in_records(std::string_view hello, std::size_t size) {
  std::string all;
  for (auto rest = hello.substr(5); !rest.empty();) {
    auto part = rest.substr(0, size);
    all += {22, 3, 1, static_cast<char>(part.size() >> 8), static_cast<char>(part.size())};
    all += part;
    rest.remove_prefix(part.size());
  }
  return all;
}

std::string u16(std::size_t n) { return {static_cast<char>(n >> 8), static_cast<char>(n)}; }
std::string extension(std::size_t type, const std::string& value) { return u16(type) + u16(value.size()) + value; }
std::string server_name(const std::string& name) {
  auto entry = std::string(1, 0) + u16(name.size()) + name;
  return extension(0, u16(entry.size()) + entry);
}
std::string with_extensions(const std::string& extensions, const std::string& before = {}) {
  std::string body = "\x03\x03" + std::string(32, 'r') + std::string(1, 0) + u16(2) + "\x13\x01" + "\x01" +
                     std::string(1, 0) + (before.empty() ? u16(extensions.size()) : before) + extensions;
  auto message = std::string("\x01", 1) + std::string(1, 0) + u16(body.size()) + body;
  return "\x16\x03\x01" + u16(message.size()) + message;
}

HelloStep step(std::string_view bytes) {
  ClientHello hello;
  return read_client_hello(bytes, hello);
}

TEST(ClientHello, names_and_protocols_are_read_from_what_OpenSSL_sends) {
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientHello hello;
    ASSERT_EQ(read_client_hello(hello_of("api.example.com", "\x02h2\x08http/1.1", version), hello), HelloStep::whole);
    EXPECT_EQ(hello.server_name, "api.example.com");
    EXPECT_EQ(hello.alpn, (std::vector<std::string>{"h2", "http/1.1"}));
  }
}

TEST(ClientHello, a_client_that_names_nothing_is_heard_too) {
  ClientHello hello{"old", {"old"}};
  ASSERT_EQ(read_client_hello(hello_of(nullptr, ""), hello), HelloStep::whole);
  EXPECT_EQ(hello.server_name, "");
  EXPECT_TRUE(hello.alpn.empty());
}

TEST(ClientHello, every_beginning_asks_for_more_and_what_follows_is_left) {
  for (std::size_t record : {16384, 100, 7, 1}) {
    auto bytes = in_records(hello_of("split.example", "\x08http/1.1"), record);
    for (std::size_t size = 0; size < bytes.size(); size++)
      ASSERT_EQ(step(std::string_view(bytes).substr(0, size)), HelloStep::more) << size << " in records of " << record;
    ClientHello hello;
    ASSERT_EQ(read_client_hello(bytes + "\x14\x03\x03", hello), HelloStep::whole) << record;
    EXPECT_EQ(hello.server_name, "split.example");
    EXPECT_EQ(hello.alpn, std::vector<std::string>{"http/1.1"});
  }
}

TEST(ClientHello, what_is_no_ClientHello_is_known_from_its_first_bytes) {
  using namespace std::literals;
  for (auto bytes : {"G"sv, "\x80\x2e\x01\x00\x02"sv, "\x17\x03\x03\x00\x05"sv, "\x16\x02"sv, "\x16\x03\x09"sv,
                     "\x16\x03\x01\x00\x00"sv, "\x16\x03\x01\x40\x01"sv, "\x16\x03\x01\x00\x20\x02"sv,
                     "\x16\x03\x01\x00\x20\x01\x02\x00\x00"sv})
    EXPECT_EQ(step(bytes), HelloStep::not_tls) << ::testing::PrintToString(bytes);
  EXPECT_EQ(step(""), HelloStep::more);
}

TEST(ClientHello, another_kind_of_record_in_the_middle_is_not_TLS) {
  auto bytes = in_records(hello_of("a.example", ""), 50);
  bytes[55] = 21;
  EXPECT_EQ(step(bytes), HelloStep::not_tls);
}

TEST(ClientHello, another_message_in_its_record_is_not_TLS_however_little_has_come_of_it) {
  auto bytes = with_extensions(server_name("a.example"));
  auto whole = bytes.size();
  bytes[4]++;
  EXPECT_EQ(step(bytes), HelloStep::not_tls);
  EXPECT_EQ(step(bytes + "x"), HelloStep::not_tls);
  EXPECT_EQ(step(bytes.substr(0, whole - 1)), HelloStep::not_tls);
}

TEST(ClientHello, extensions_by_hand_are_read_as_the_RFCs_have_them) {
  EXPECT_EQ(step(with_extensions(server_name("a.example"))), HelloStep::whole);
  EXPECT_EQ(step(with_extensions("")), HelloStep::whole);
  EXPECT_EQ(step(with_extensions(extension(0xfafa, ""))), HelloStep::whole);  // RFC 8701
  std::vector<std::pair<const char*, std::string>> bad = {
      {"empty name", with_extensions(server_name(""))},
      {"blank in a name", with_extensions(server_name("a b"))},
      {"NUL in a name", with_extensions(server_name(std::string("a\0b", 3)))},
      {"name of 256", with_extensions(server_name(std::string(256, 'a')))},
      {"two server_name", with_extensions(server_name("a") + server_name("b"))},
      {"bytes behind the list", with_extensions(extension(0, u16(4) + std::string(1, 0) + u16(1) + "a?"))},
      {"list longer than its extension", with_extensions(extension(0, u16(9) + std::string(1, 0) + u16(1) + "a"))},
      {"name longer than its list", with_extensions(extension(0, u16(4) + std::string(1, 0) + u16(2) + "a"))},
      {"empty ALPN list", with_extensions(extension(16, u16(0)))},
      {"empty protocol", with_extensions(extension(16, u16(1) + std::string(1, 0)))},
      {"protocol longer than its list", with_extensions(extension(16, u16(3) + "\x05h2"))},
      {"half an extension", with_extensions(server_name("a") + "\xff")},
      {"extensions too short", with_extensions(server_name("a"), u16(3))},
      {"extensions too long", with_extensions(server_name("a"), u16(300))},
  };
  for (auto& [what, bytes] : bad) EXPECT_EQ(step(bytes), HelloStep::not_tls) << what;
}

TEST(ClientHello, one_of_60_KiB_is_read_and_a_longer_one_than_64_KiB_is_not) {
  auto big = [](std::size_t size) { return with_extensions(extension(21, std::string(size, 0)) + server_name("a")); };
  auto records = [&](std::size_t size) {
    auto hello = big(size);
    return in_records(hello, 16384);
  };
  EXPECT_EQ(step(records(60'000)), HelloStep::whole);
  std::string endless;
  for (int i = 0; i < 70; i++)
    endless += "\x16\x03\x01" + u16(1024) + "\x01" + std::string(1, 0) + "\xff\xf0" + std::string(1020, 0);
  EXPECT_EQ(step(endless.substr(0, 60'000)), HelloStep::more);
  EXPECT_EQ(step(endless.substr(0, 65'536)), HelloStep::not_tls);
}

}  // namespace
}  // namespace retrial::proxy
