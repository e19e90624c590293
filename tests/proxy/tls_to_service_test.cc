#include <fmt/format.h>
#include <openssl/sha.h>

#include "tests/proxy/tls_ends.h"

namespace retrial::test {
namespace {

using proxy::ServiceTlsSettings;
using proxy::TlsToService;
constexpr int kVersions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

std::string pin_of(X509* certificate) {
  unsigned char* der = nullptr;
  auto size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  unsigned char digest[32], text[64];
  SHA256(der, static_cast<std::size_t>(size), digest);
  OPENSSL_free(der);
  EVP_EncodeBlock(text, digest, 32);
  return "sha256/" + std::string(reinterpret_cast<char*>(text));
}
void write_file(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }
template <class Write>
std::string pem(Write write) {
  std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
  write(bio.get());
  char* data = nullptr;
  auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

// A Socket of ours with TLS towards a service that is nothing but OpenSSL.
class TlsToServiceTest : public ::testing::Test {
 protected:
  TlsToServiceTest() : folder(make_folder()), context(TLS_server_method()) {
    write_file(folder / "ca.pem", leaves.authority().pem());
    show("api.example");
    SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("s"), 1);
  }
  ~TlsToServiceTest() override { std::filesystem::remove_all(folder); }
  static std::filesystem::path make_folder() {
    auto name = (std::filesystem::temp_directory_path() / "retrial-tls-XXXXXX").string();
    return ::mkdtemp(name.data());
  }
  void show(std::string_view name, certs::Flaw flaw = certs::Flaw::none) {
    leaf = *leaves.leaf(name, flaw);
    SSL_CTX_use_cert_and_key(context, leaf.certificate.get(), leaf.key.get(), nullptr, 1);
  }
  ServiceTlsSettings trusting() const { return {.ca = folder / "ca.pem", .pins = {}, .certificate = {}, .key = {}}; }

  struct Line {
    std::unique_ptr<Reader> reader;
    std::unique_ptr<Socket> ours;
    std::unique_ptr<RawTls> service;
  };
  Line connect(TlsToService& to, std::string_view name = "api.example", const std::vector<std::string>& alpn = {}) {
    auto [ours, theirs] = tcp_pair();
    Line line{std::make_unique<Reader>(), nullptr, std::make_unique<RawTls>(context, true)};
    line.ours = std::make_unique<Socket>(loop, ours, *line.reader);
    line.service->fd = theirs;
    line.ours->secure(*to.connect(name, alpn));
    return line;
  }
  bool until(Line& line, const std::function<bool()>& so) {
    return run_until(loop, [&] {
      line.service->step();
      return so();
    });
  }
  bool shake(Line& line) {
    return until(line, [&] { return line.service->through() && line.ours->ready_to_send(); });
  }
  std::string failure(const ServiceTlsSettings& settings, std::string_view name = "api.example") {
    auto to = TlsToService::make(settings);
    if (!to) return to.error().line();
    auto line = connect(**to, name);
    if (!until(line, [&] { return line.ours->ready_to_send() || !line.reader->ends.empty(); })) return "nothing came";
    if (line.ours->ready_to_send()) return "";
    EXPECT_EQ(line.reader->ends, std::vector{Got::failed});
    return line.ours->failure();
  }

  Loop loop;
  SystemClock clock;
  certs::LeafStore leaves{new_authority(), clock};
  std::filesystem::path folder;
  Context context;
  certs::Credential leaf;
};

TEST_F(TlsToServiceTest, a_service_hears_the_name_and_the_protocols_and_both_speak) {
  std::string offer;
  SSL_CTX_set_alpn_select_cb(
      context,
      [](SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned length,
         void* heard) {
        static_cast<std::string*>(heard)->assign(reinterpret_cast<const char*>(offered), length);
        *chosen = offered + 4;
        *size = 8;
        return SSL_TLSEXT_ERR_OK;
      },
      &offer);
  auto to = TlsToService::make(trusting());
  ASSERT_TRUE(to);
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect(**to, "api.example", {"h2", "http/1.1"});
    line.ours->write("early");
    line.ours->flush();
    line.service->say("hello");
    ASSERT_TRUE(until(line, [&] { return line.reader->heard == "hello" && line.service->heard == "early"; }));
    EXPECT_STREQ(SSL_get_servername(line.service->ssl, TLSEXT_NAMETYPE_host_name), "api.example");
    EXPECT_EQ(offer, "\x02h2\x08http/1.1");
    EXPECT_EQ(line.ours->tls()->alpn(), "http/1.1");
    EXPECT_FALSE(line.ours->tls()->resumed() && version == TLS1_2_VERSION);
  }
}

TEST_F(TlsToServiceTest, a_service_that_is_still_being_connected_is_spoken_to_afterwards) {
  auto to = TlsToService::make(trusting());
  Port port;
  Line line{std::make_unique<Reader>(), nullptr, std::make_unique<RawTls>(context, true)};
  line.ours = std::make_unique<Socket>(loop, begin_connect(port.address), *line.reader, true);
  line.ours->secure(*(*to)->connect("api.example", {}));
  line.ours->write("early");
  line.ours->flush();
  line.service->fd = port.accept();
  ASSERT_TRUE(until(line, [&] { return line.service->heard == "early"; }));
  EXPECT_EQ(line.reader->told, 1);
}

TEST_F(TlsToServiceTest, a_service_that_refuses_the_connect_fails_so_under_TLS_too) {
  auto to = TlsToService::make(trusting());
  Port port;
  Reader reader;
  port.close();
  Socket ours(loop, begin_connect(port.address), reader, true);
  ours.secure(*(*to)->connect("api.example", {}));
  ASSERT_TRUE(run_until(loop, [&] { return !reader.ends.empty(); }));
  EXPECT_EQ(reader.ends, std::vector{Got::failed});
  EXPECT_EQ(ours.failure(), "Connection refused");
}

TEST_F(TlsToServiceTest, a_certificate_of_the_name_or_the_address_is_verified_against_the_authority_given) {
  EXPECT_EQ(failure(trusting()), "");
  EXPECT_EQ(failure(trusting(), "api.example."), "");
  EXPECT_EQ(failure(trusting(), "API.example"), "");
  EXPECT_EQ(failure(trusting(), "other.example"), "hostname mismatch");
  show("127.0.0.1");
  EXPECT_EQ(failure(trusting(), "127.0.0.1"), "");
  EXPECT_EQ(failure(trusting(), "127.0.0.2"), "IP address mismatch");
  show("::1");
  EXPECT_EQ(failure(trusting(), "[::1]"), "");
}

TEST_F(TlsToServiceTest, what_is_wrong_with_a_certificate_is_said_and_the_service_is_told) {
  EXPECT_EQ(failure({}), "unable to get local issuer certificate");
  show("api.example", certs::Flaw::expired);
  EXPECT_EQ(failure(trusting()), "certificate has expired");
  show("api.example", certs::Flaw::wrong_name);
  EXPECT_EQ(failure(trusting()), "hostname mismatch");
  auto to = TlsToService::make({});
  auto line = connect(**to);
  ASSERT_TRUE(until(line, [&] { return line.service->failed; }));
  EXPECT_EQ(line.service->failure, "tlsv1 alert unknown ca");
  EXPECT_FALSE(line.ours->tls()->distrusted());
}

TEST_F(TlsToServiceTest, without_verification_any_certificate_will_do) {
  show("other.example", certs::Flaw::expired);
  EXPECT_EQ(failure({.verify = false}), "");
}

TEST_F(TlsToServiceTest, one_pin_has_to_match_a_key_of_the_chain) {
  auto of_leaf = pin_of(leaf.certificate.get());
  auto of_authority = pin_of(leaves.authority().credential().certificate.get());
  auto of_nobody = "sha256/" + std::string(43, 'A') + "=";
  auto settings = trusting();
  settings.pins = {of_nobody, of_leaf};
  EXPECT_EQ(failure(settings), "");
  settings.pins = {of_authority};
  EXPECT_EQ(failure(settings), "");
  settings.pins = {of_nobody};
  EXPECT_EQ(failure(settings), "none of the certificate's keys is pinned");
  // Unverified, a chain says whose key the leaf's is, and nothing of the others.
  settings.verify = false;
  EXPECT_EQ(failure(settings), "none of the certificate's keys is pinned");
  settings.pins = {of_leaf};
  EXPECT_EQ(failure(settings), "");
  settings.pins = {of_authority};
  EXPECT_EQ(failure(settings), "none of the certificate's keys is pinned");
}

TEST_F(TlsToServiceTest, a_service_that_is_no_TLS_or_an_old_one_fails_in_words) {
  auto to = TlsToService::make(trusting());
  auto line = connect(**to);
  ASSERT_EQ(::send(line.service->fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, 0), 28);
  ASSERT_TRUE(run_until(loop, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.ours->failure(), "wrong version number");
  auto closing = connect(**to);
  ::close(std::exchange(closing.service->fd, -1));
  ASSERT_TRUE(run_until(loop, [&] { return !closing.reader->ends.empty(); }));
  EXPECT_EQ(closing.reader->ends, std::vector{Got::failed});
  EXPECT_TRUE(closing.ours->failure().starts_with("the service ")) << closing.ours->failure();
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  EXPECT_EQ(failure(trusting()), "the service sent the alert protocol version");
}

TEST_F(TlsToServiceTest, sessions_are_resumed_by_name_however_the_last_connection_ended) {
  for (int version : kVersions)
    for (bool hard : {false, true}) {
      SSL_CTX_set_max_proto_version(context, version);
      auto to = TlsToService::make(trusting());
      auto once = [&](std::string_view name) {
        auto line = connect(**to, name);
        line.service->say("ticket");
        EXPECT_TRUE(until(line, [&] { return line.reader->heard == "ticket"; }));
        bool resumed = line.ours->tls()->resumed();
        EXPECT_EQ(resumed, line.service->resumed());
        if (hard) line.ours->reset();
        return resumed;
      };
      EXPECT_FALSE(once("api.example"));
      EXPECT_TRUE(once("api.example"));
      EXPECT_TRUE(once("api.example"));
      show("other.example");
      EXPECT_FALSE(once("other.example"));
      show("api.example");
    }
}

TEST_F(TlsToServiceTest, a_client_certificate_is_shown_where_one_is_given) {
  auto ours = *leaves.leaf("client");
  auto cert = folder / "client.pem", key = folder / "client.key";
  write_file(cert, pem([&](BIO* b) { PEM_write_bio_X509(b, ours.certificate.get()); }));
  write_file(key,
             pem([&](BIO* b) { PEM_write_bio_PrivateKey(b, ours.key.get(), nullptr, nullptr, 0, nullptr, nullptr); }));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(context, [](X509_STORE_CTX*, void*) { return 1; }, nullptr);
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto settings = trusting();
    settings.certificate = cert;
    settings.key = key;
    auto with = TlsToService::make(settings);
    ASSERT_TRUE(with) << with.error().line();
    auto line = connect(**with);
    ASSERT_TRUE(shake(line));
    EXPECT_TRUE(SSL_get0_peer_certificate(line.service->ssl));
    // In TLS 1.3 our handshake is through before the service has looked for a certificate.
    auto without = TlsToService::make(trusting());
    auto bare = connect(**without);
    ASSERT_TRUE(until(bare, [&] { return !bare.reader->ends.empty(); }));
    EXPECT_EQ(bare.reader->ends, std::vector{Got::failed});
    EXPECT_EQ(bare.ours->failure(), version == TLS1_3_VERSION ? "the service sent the alert certificate required"
                                                              : "the service sent the alert handshake failure");
  }
}

TEST_F(TlsToServiceTest, settings_that_cannot_be_used_are_refused_with_the_file_and_the_reason) {
  auto refused = [](ServiceTlsSettings s) {
    auto to = TlsToService::make(s);
    return to ? "" : to.error().line();
  };
  auto ours = *leaves.leaf("client");
  auto other = *certs::LeafStore(new_authority(), clock).leaf("client");
  auto file = [&](const char* name, const std::string& text) {
    write_file(folder / name, text);
    return folder / name;
  };
  auto key_pem = [&](const certs::Credential& c, const char* secret) {
    return pem([&](BIO* b) {
      PEM_write_bio_PrivateKey(b, c.key.get(), secret ? EVP_aes_128_cbc() : nullptr,
                               reinterpret_cast<const unsigned char*>(secret), secret ? 6 : 0, nullptr, nullptr);
    });
  };
  auto cert = file("c.pem", pem([&](BIO* b) { PEM_write_bio_X509(b, ours.certificate.get()); }));
  auto junk = file("junk", "no PEM at all\n");
  auto begins = [&](const std::filesystem::path& path, const char* what) { return path.string() + ": " + what; };
  auto gone = folder / "gone.pem";
  for (auto& path : {gone, junk})
    EXPECT_TRUE(refused({.ca = path}).starts_with(begins(path, "no certificates of an authority can be read")));
  EXPECT_TRUE(refused({.certificate = junk}).starts_with(begins(junk, "no certificate can be read")));
  EXPECT_TRUE(refused({.certificate = cert, .key = junk}).starts_with(begins(junk, "no key can be read")));
  auto secret = file("secret.key", key_pem(ours, "secret"));
  EXPECT_TRUE(refused({.certificate = cert, .key = secret}).starts_with(begins(secret, "no key can be read")));
  auto strange = file("strange.key", key_pem(other, nullptr));
  EXPECT_TRUE(
      refused({.certificate = cert, .key = strange}).starts_with(begins(strange, "the key of another certificate")));
  EXPECT_TRUE(refused({.key = strange}).starts_with(begins(strange, "a key, and no certificate")));
  for (auto pin : {"sha1/AAAA", "AAAA", "sha256/AAAA", "sha256/"})
    EXPECT_TRUE(refused({.pins = {pin}}).starts_with(std::string(pin) + ": no pin")) << pin;
}

TEST_F(TlsToServiceTest, the_services_close_notify_reads_as_fin_and_its_RST_as_rst) {
  auto to = TlsToService::make(trusting());
  auto line = connect(**to);
  ASSERT_TRUE(shake(line));
  line.service->say("bye");
  line.service->step();
  SSL_shutdown(line.service->ssl);
  ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->heard, "bye");
  EXPECT_EQ(line.reader->ends, std::vector{Got::fin});
  auto other = connect(**to);
  ASSERT_TRUE(shake(other));
  for (int i = 0; i < 5; i++) loop.round(false);
  abort_connection(std::exchange(other.service->fd, -1));
  ASSERT_TRUE(run_until(loop, [&] { return !other.reader->ends.empty(); }));
  EXPECT_EQ(other.reader->ends, std::vector{Got::rst});
}

}  // namespace
}  // namespace retrial::test
