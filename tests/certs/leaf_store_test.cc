#include "certs/leaf_store.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <thread>

namespace retrial::certs {
namespace {

constexpr Nanos kDay = 24 * 3600 * kSecond;

// What OpenSSL says of the leaf as a server's certificate for `name`, by the strict rules of RFC 5280 that Python 3.13
// turns on.
std::string verdict(const Authority& authority, const Credential& leaf, const std::string& name, Nanos at) {
  auto* store = X509_STORE_new();
  X509_STORE_add_cert(store, authority.credential().certificate.get());
  auto* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.certificate.get(), nullptr);
  auto* wanted = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_time(wanted, at / kSecond);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (!X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str())) X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), 0);
  X509_verify_cert(context);
  std::string out = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context));
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return out;
}

struct Leaves : testing::Test {
  ManualClock clock;
  LeafStore store{Authority::make(clock).value(), clock};
  std::string verdict_of(const std::string& name, Flaw flaw = Flaw::none) {
    return verdict(store.authority(), store.leaf(name, flaw).value(), name, clock.wall());
  }
};

TEST_F(Leaves, satisfy_strict_verification_for_names_and_addresses) {
  for (auto name : {"localhost", "queue.example.com", "my_queue", "xn--bcher-kva.example", "127.0.0.1", "10.1.2.3",
                    "::1", "fd00::12:3"})
    EXPECT_EQ(verdict_of(name), "ok") << name;
}

TEST_F(Leaves, are_for_their_own_name_alone) {
  auto leaf = store.leaf("queue.example.com").value();
  EXPECT_EQ(verdict(store.authority(), leaf, "blob.example.com", clock.wall()), "hostname mismatch");
  leaf = store.leaf("127.0.0.1").value();
  EXPECT_EQ(verdict(store.authority(), leaf, "127.0.0.2", clock.wall()), "IP address mismatch");
}

TEST_F(Leaves, a_name_of_more_than_64_characters_stands_in_the_san_alone) {
  std::string name = std::string(60, 'a') + "." + std::string(60, 'b') + ".example.com";
  auto leaf = store.leaf(name).value();
  EXPECT_EQ(verdict(store.authority(), leaf, name, clock.wall()), "ok");
  auto* subject = X509_get_subject_name(leaf.certificate.get());
  EXPECT_EQ(X509_NAME_get_index_by_NID(subject, NID_commonName, -1), -1);
  subject = X509_get_subject_name(store.leaf("short.example.com")->certificate.get());
  char text[128];
  X509_NAME_get_text_by_NID(subject, NID_commonName, text, sizeof text);
  EXPECT_STREQ(text, "short.example.com");
}

TEST_F(Leaves, are_valid_from_a_day_ago_for_less_than_200_days) {
  auto leaf = store.leaf("localhost").value();
  auto at = [&](Nanos wall) { return verdict(store.authority(), leaf, "localhost", wall); };
  EXPECT_EQ(at(clock.wall() - kDay + kSecond), "ok");
  EXPECT_EQ(at(clock.wall() + 170 * kDay), "ok");
  EXPECT_EQ(at(clock.wall() + 199 * kDay), "certificate has expired");
}

TEST_F(Leaves, end_no_later_than_the_authority) {
  clock.advance(store.authority().valid_until() - clock.wall() - 2 * kDay);
  auto leaf = store.leaf("localhost").value();
  EXPECT_EQ(verdict(store.authority(), leaf, "localhost", clock.wall()), "ok");
  int days = 0, seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notAfter(leaf.certificate.get()),
                           X509_get0_notAfter(store.authority().credential().certificate.get())),
            1);
  EXPECT_EQ(days, 0);
  EXPECT_EQ(seconds, 0);
  clock.advance(3 * kDay);
  auto late = store.leaf("another");
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().what.find("has expired"), std::string::npos);
}

TEST_F(Leaves, an_expired_one_is_wrong_in_nothing_else) {
  EXPECT_EQ(verdict_of("localhost", Flaw::expired), "certificate has expired");
  auto leaf = store.leaf("localhost", Flaw::expired).value();
  EXPECT_EQ(verdict(store.authority(), leaf, "localhost", clock.wall() - 2 * 3600 * kSecond), "ok");
}

TEST_F(Leaves, one_of_a_wrong_name_is_wrong_in_nothing_else) {
  EXPECT_EQ(verdict_of("localhost", Flaw::wrong_name), "hostname mismatch");
  EXPECT_EQ(verdict_of("127.0.0.1", Flaw::wrong_name), "IP address mismatch");
  auto leaf = store.leaf("localhost", Flaw::wrong_name).value();
  EXPECT_EQ(verdict(store.authority(), leaf, "wrong-name.retrial.invalid", clock.wall()), "ok");
}

// The agents know our leaves by these bytes: the authority's key identifier, in the form keyIdentifier of 20 bytes.
TEST_F(Leaves, name_their_authority_by_its_key_identifier) {
  auto* id = X509_get0_subject_key_id(store.authority().credential().certificate.get());
  ASSERT_EQ(ASN1_STRING_length(id), 20);
  std::string wanted = "\x80\x14" + std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(id)), 20);
  unsigned char* der = nullptr;
  auto size = i2d_X509(store.leaf("localhost")->certificate.get(), &der);
  EXPECT_NE(std::string(reinterpret_cast<char*>(der), static_cast<std::size_t>(size)).find(wanted), std::string::npos);
  OPENSSL_free(der);
}

TEST_F(Leaves, have_each_a_positive_serial_number_of_its_own) {
  auto serial = [](const Credential& c) { return X509_get0_serialNumber(c.certificate.get()); };
  auto one = store.leaf("a").value(), other = store.leaf("b").value();
  EXPECT_NE(ASN1_INTEGER_cmp(serial(one), serial(other)), 0);
  for (auto& c : {one, other, store.authority().credential()}) {
    EXPECT_EQ(ASN1_STRING_type(serial(c)), V_ASN1_INTEGER);  // V_ASN1_NEG_INTEGER below zero
    EXPECT_EQ(ASN1_STRING_length(serial(c)), 16);
  }
}

TEST_F(Leaves, of_a_loopback_address_are_for_localhost_too) {
  for (auto address : {"127.0.0.1", "127.1.2.3", "::1"}) {
    auto leaf = store.leaf(address).value();
    EXPECT_EQ(verdict(store.authority(), leaf, "localhost", clock.wall()), "ok") << address;
  }
  auto leaf = store.leaf("10.0.0.1").value();
  EXPECT_EQ(verdict(store.authority(), leaf, "localhost", clock.wall()), "hostname mismatch");
}

TEST_F(Leaves, of_an_address_have_the_names_that_are_given_for_clients_without_sni) {
  LeafStore named(Authority::make(clock).value(), clock, {"queue", "blob"});
  auto leaf = named.leaf("10.0.0.1").value();
  for (auto name : {"queue", "blob", "10.0.0.1"})
    EXPECT_EQ(verdict(named.authority(), leaf, name, clock.wall()), "ok") << name;
  EXPECT_EQ(verdict(named.authority(), named.leaf("queue").value(), "blob", clock.wall()), "hostname mismatch");
}

TEST_F(Leaves, like_a_services_certificate_have_its_names) {
  LeafStore services(Authority::make(clock).value(), clock, {"queue", "queue.example.com"});
  auto own = services.leaf("10.0.0.1").value();
  auto like = store.leaf_like(*own.certificate).value();
  for (auto name : {"queue", "queue.example.com", "10.0.0.1"})
    EXPECT_EQ(verdict(store.authority(), like, name, clock.wall()), "ok") << name;
  EXPECT_EQ(verdict(store.authority(), like, "10.0.0.2", clock.wall()), "IP address mismatch");
  EXPECT_EQ(store.leaf_like(*own.certificate)->certificate, like.certificate);
  EXPECT_NE(store.leaf_like(*services.leaf("queue")->certificate)->certificate, like.certificate);
  auto* subject = X509_get_subject_name(like.certificate.get());
  char name[65] = "";
  X509_NAME_get_text_by_NID(subject, NID_commonName, name, sizeof name);
  EXPECT_STREQ(name, "10.0.0.1");
}

TEST_F(Leaves, like_one_without_a_san_have_its_common_name_and_are_no_authority) {
  Authority service = Authority::make(clock).value();
  auto like = store.leaf_like(*service.credential().certificate).value();
  char name[65] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(like.certificate.get()), NID_commonName, name, sizeof name);
  EXPECT_EQ(name, service.name());
  EXPECT_EQ(X509_get_ext_by_NID(like.certificate.get(), NID_subject_alt_name, -1), -1);
  EXPECT_EQ(X509_check_ca(like.certificate.get()), 0);
  EXPECT_EQ(verdict(store.authority(), like, "queue", clock.wall()), "hostname mismatch");
}

TEST_F(Leaves, are_kept_whatever_case_the_name_was_asked_in) {
  auto one = store.leaf("Queue.Example.com").value();
  EXPECT_EQ(store.leaf("queue.example.com.")->certificate, one.certificate);
  EXPECT_NE(store.leaf("queue.example.com", Flaw::expired)->certificate, one.certificate);
  EXPECT_EQ(store.leaf("queue.example.com")->key, store.leaf("b")->key);
}

TEST_F(Leaves, the_longest_unused_of_1024_goes_first) {
  auto first = store.leaf("n0").value(), second = store.leaf("n1").value();
  for (int i = 2; i < 1024; i++) ASSERT_TRUE(store.leaf("n" + std::to_string(i)));
  EXPECT_EQ(store.leaf("n0")->certificate, first.certificate);
  ASSERT_TRUE(store.leaf("one-more"));
  EXPECT_EQ(store.leaf("n0")->certificate, first.certificate);
  EXPECT_NE(store.leaf("n1")->certificate, second.certificate);
}

TEST_F(Leaves, are_minted_anew_before_they_end) {
  auto one = store.leaf("localhost").value();
  clock.advance(140 * kDay);
  EXPECT_EQ(store.leaf("localhost")->certificate, one.certificate);
  clock.advance(20 * kDay);
  auto anew = store.leaf("localhost").value();
  EXPECT_NE(anew.certificate, one.certificate);
  EXPECT_EQ(store.leaf("localhost")->certificate, anew.certificate);
}

TEST_F(Leaves, what_is_no_host_name_gets_none) {
  using namespace std::string_literals;
  for (auto& name : {""s, "."s, "a..b"s, "*.example.com"s, "a b"s, "a,DNS:b"s, "a\0b"s, "b\xc3\xbc"s, "[::1]"s,
                     std::string(64, 'a'), std::string(254, 'a')}) {
    auto leaf = store.leaf(name);
    ASSERT_FALSE(leaf) << name;
    EXPECT_EQ(leaf.error().blame, Blame::client);
  }
}

TEST_F(Leaves, are_minted_for_many_threads_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; i++) {
        auto name = "n" + std::to_string(i % 60) + ".example.com";
        if (verdict_of(name) != "ok") wrong++;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Leaves, leave_no_error_behind_for_tls_to_stumble_over) {
  ASSERT_TRUE(store.leaf("localhost"));
  ASSERT_FALSE(store.leaf("a b"));
  EXPECT_EQ(ERR_peek_error(), 0u);
}

}  // namespace
}  // namespace retrial::certs
