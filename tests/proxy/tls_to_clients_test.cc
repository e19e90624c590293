#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include "tests/proxy/tls_ends.h"

namespace retrial::test {
namespace {

constexpr int kVersions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

std::string pattern(std::size_t size) {
  std::string bytes(size, 0);
  for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<char>(i * 31 + (i >> 11));
  return bytes;
}

struct KeptSession {
  ~KeptSession() { SSL_SESSION_free(session); }
  SSL_SESSION* session = nullptr;
};
// Keeps the newest session that a client's context was given.
void keep_sessions(Context& context, KeptSession& kept) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_app_data(context.context, &kept);
  SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION* session) {
    auto& k = *static_cast<KeptSession*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
    SSL_SESSION_free(k.session);
    k.session = session;
    return 1;
  });
}

TEST_F(TlsToClientsTest, a_client_that_trusts_the_authority_is_answered_with_its_name_and_its_protocol) {
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>("\x02h2\x08http/1.1"), 12);
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect("api.example", "http/1.1");
    ASSERT_TRUE(shake(line)) << line.client->failure;
    EXPECT_EQ(SSL_version(line.client->ssl), version);
    EXPECT_EQ(line.client->alpn(), "http/1.1");
    EXPECT_EQ(line.ours->tls()->alpn(), "http/1.1");
    EXPECT_EQ(line.reader->told, 1);
    line.client->say("GET");
    ASSERT_TRUE(until(line, [&] { return line.reader->heard == "GET"; }));
    line.ours->write("200");
    line.ours->write(" OK");
    line.ours->flush();
    ASSERT_TRUE(until(line, [&] { return line.client->heard == "200 OK"; }));
    EXPECT_EQ(line.ours->queued(), 0u);
  }
}

TEST_F(TlsToClientsTest, no_protocol_is_answered_where_none_is_given_or_it_was_not_offered) {
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>("\x02h2"), 3);
  for (auto alpn : {"", "http/1.1"}) {
    auto line = connect("api.example", alpn);
    ASSERT_TRUE(shake(line));
    EXPECT_EQ(line.client->alpn(), "");
    EXPECT_EQ(line.ours->tls()->alpn(), "");
  }
}

TEST_F(TlsToClientsTest, what_was_read_before_and_put_back_begins_the_handshake_wherever_it_was_cut) {
  for (std::size_t cut = 0;; cut++) {
    auto line = plain("api.example");
    SSL_do_handshake(line.client->ssl);
    auto theirs = std::exchange(line.client->fd, -1);
    line.client->send();
    line.client->fd = theirs;
    auto hello = std::exchange(line.client->out, "");
    if (cut > hello.size()) break;
    line.ours->put_back(std::string_view(hello).substr(0, cut));
    line.ours->secure(*ends.accept("api.example", ""));
    ASSERT_EQ(::send(theirs, hello.data() + cut, hello.size() - cut, 0), static_cast<ssize_t>(hello.size() - cut));
    ASSERT_TRUE(shake(line)) << cut;
  }
}

TEST_F(TlsToClientsTest, what_was_read_of_the_inside_and_put_back_is_read_again_though_half_a_record_waits_behind_it) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.ours->listen(false);
  int one = 1;
  ::setsockopt(line.client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  line.client->say("first");
  line.client->step();
  line.client->piece = 0;
  line.client->say("second");
  line.client->step();
  auto record = std::exchange(line.client->out, "");
  ASSERT_EQ(::send(line.client->fd, record.data(), 10, 0), 10);
  char room[64];
  auto read = [&] { return std::string(room, line.ours->read(room, sizeof room).bytes); };
  ASSERT_EQ(read(), "first");
  EXPECT_EQ(read(), "") << "half a record";
  EXPECT_FALSE(line.ours->has_back()) << "nothing that could be read";
  line.ours->put_back("first");
  EXPECT_TRUE(line.ours->has_back());
  EXPECT_EQ(read(), "first");
  ASSERT_EQ(::send(line.client->fd, record.data() + 10, record.size() - 10, 0),
            static_cast<ssize_t>(record.size() - 10));
  line.ours->put_back("put back, ");
  EXPECT_EQ(read(), "put back, ");
  EXPECT_EQ(read(), "second");
}

TEST_F(TlsToClientsTest, records_that_come_byte_by_byte_are_put_together) {
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect();
    line.client->piece = 1;
    line.client->say("one byte at a time");
    ASSERT_TRUE(until(line, [&] { return line.reader->heard == "one byte at a time"; }));
    line.ours->write("heard");
    line.ours->flush();
    ASSERT_TRUE(until(line, [&] { return line.client->heard == "heard"; }));
  }
}

TEST_F(TlsToClientsTest, what_is_written_before_the_handshake_is_through_follows_it) {
  auto line = connect();
  line.ours->write("early");
  line.ours->flush();
  EXPECT_EQ(line.client->heard, "");
  EXPECT_GE(line.ours->queued(), 5u);
  ASSERT_TRUE(until(line, [&] { return line.client->heard == "early"; }));
}

TEST_F(TlsToClientsTest, what_was_written_before_it_was_secured_stays_outside) {
  auto line = plain("api.example");
  line.ours->write("clear");
  line.ours->secure(*ends.accept("api.example", ""));
  std::string clear(5, 0);
  ASSERT_TRUE(run_until(loop, [&] {
    line.ours->flush();
    return ::recv(line.client->fd, clear.data(), 5, MSG_DONTWAIT) == 5;
  }));
  EXPECT_EQ(clear, "clear");
  ASSERT_TRUE(shake(line));
}

TEST_F(TlsToClientsTest, small_writes_go_out_in_one_record) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  for (int i = 0; i < 100; i++) line.ours->write("x");
  line.ours->flush();
  std::string raw(4096, 0);
  auto n = ::recv(line.client->fd, raw.data(), raw.size(), MSG_DONTWAIT);
  EXPECT_EQ(n, 5 + 100 + 1 + 16);  // head, bytes, type, tag
}

TEST_F(TlsToClientsTest, what_is_left_unread_is_told_again_though_the_kernel_has_nothing_more) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.reader->piece = 3;
  auto text = pattern(1000);
  line.client->say(text);
  ASSERT_TRUE(until(line, [&] { return line.reader->heard == text; }));
}

TEST_F(TlsToClientsTest, nothing_is_told_while_it_does_not_listen_and_all_of_it_afterwards) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  line.reader->piece = 10;
  line.reader->stops = true;
  line.client->say("0123456789abcdef");
  ASSERT_TRUE(until(line, [&] { return !line.reader->heard.empty(); }));
  auto told = line.reader->told;
  rest(line);
  EXPECT_EQ(line.reader->heard, "0123456789");
  EXPECT_EQ(line.reader->told, told);
  line.ours->listen(true);
  ASSERT_TRUE(until(line, [&] { return line.reader->heard == "0123456789abcdef"; }));
}

TEST_F(TlsToClientsTest, a_handshake_goes_on_while_it_does_not_listen) {
  auto line = plain("api.example");
  line.ours->listen(false);
  line.ours->secure(*ends.accept("api.example", ""));
  ASSERT_TRUE(shake(line));
}

TEST_F(TlsToClientsTest, ten_mebibytes_go_both_ways_under_back_pressure) {
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect();
    ASSERT_TRUE(shake(line));
    auto bytes = pattern(10 << 20);
    line.client->reads = false;
    std::size_t written = 0;
    auto write = [&] {
      while (written < bytes.size() && line.ours->queued() < (256 << 10)) {
        line.ours->write(std::string_view(bytes).substr(written, 50'000));
        written = std::min(written + 50'000, bytes.size());
      }
      line.ours->flush();
    };
    line.client->say(bytes);
    ASSERT_TRUE(until(line,
                      [&] {
                        write();
                        line.client->reads = line.reader->heard.size() >= bytes.size() / 2;
                        return line.reader->heard.size() == bytes.size() && line.client->heard.size() == bytes.size();
                      }))
        << line.reader->heard.size() << " " << line.client->heard.size();
    EXPECT_TRUE(line.reader->heard == bytes);
    EXPECT_TRUE(line.client->heard == bytes);
  }
}

TEST_F(TlsToClientsTest, a_client_resumes_its_session) {
  for (int version : kVersions) {
    KeptSession kept;
    keep_sessions(context, kept);
    SSL_CTX_set_max_proto_version(context, version);
    {
      auto line = connect();
      ASSERT_TRUE(shake(line));
      ASSERT_TRUE(until(line, [&] { return kept.session; }));
      EXPECT_FALSE(line.ours->tls()->resumed());
    }
    auto line = connect("api.example", "", certs::Flaw::none, kept.session);
    ASSERT_TRUE(shake(line));
    EXPECT_TRUE(line.client->resumed());
    EXPECT_TRUE(line.ours->tls()->resumed());
  }
}

TEST_F(TlsToClientsTest, a_flawed_leaf_is_shown_also_to_who_could_resume_and_begins_no_session) {
  for (int version : kVersions) {
    KeptSession kept;
    keep_sessions(context, kept);
    SSL_CTX_set_max_proto_version(context, version);
    {
      auto line = connect();
      ASSERT_TRUE(shake(line));
      ASSERT_TRUE(until(line, [&] { return kept.session; }));
    }
    auto line = connect("api.example", "", certs::Flaw::expired, kept.session);
    ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
    EXPECT_EQ(SSL_get_verify_result(line.client->ssl), X509_V_ERR_CERT_HAS_EXPIRED);
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  KeptSession kept;
  keep_sessions(context, kept);
  auto line = connect("api.example", "", certs::Flaw::wrong_name);
  ASSERT_TRUE(shake(line));
  rest(line);
  EXPECT_TRUE(!kept.session || !SSL_SESSION_is_resumable(kept.session));
}

TEST_F(TlsToClientsTest, a_client_that_does_not_trust_us_is_noticed_by_its_alert) {
  for (int version : kVersions)
    for (auto [flaw, words] : {std::pair{certs::Flaw::expired, "the client sent the alert certificate expired"},
                               {certs::Flaw::wrong_name, "the client sent the alert bad certificate"},
                               {certs::Flaw::none, ""}}) {
      SSL_CTX_set_max_proto_version(context, version);
      Context stranger(TLS_client_method());
      SSL_CTX_set_max_proto_version(stranger, version);
      SSL_CTX_set_verify(stranger, SSL_VERIFY_PEER, nullptr);
      bool strange = flaw == certs::Flaw::none;
      auto line = plain("api.example");
      if (strange) {
        auto fd = std::exchange(line.client->fd, -1);
        line.client = std::make_unique<RawTls>(stranger);
        line.client->fd = fd;
        words = "the client sent the alert unknown ca";
      }
      line.ours->secure(*ends.accept("api.example", "", flaw));
      ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
      EXPECT_EQ(line.reader->ends, std::vector{Got::failed});
      EXPECT_EQ(line.ours->failure(), words);
      EXPECT_TRUE(line.ours->tls()->distrusted());
      EXPECT_TRUE(line.ours->gone());
      char room[8];
      EXPECT_EQ(line.ours->read(room, sizeof room).got, Got::nothing);
    }
}

TEST_F(TlsToClientsTest, a_client_that_leaves_right_after_our_certificate_does_not_trust_us) {
  for (int version : kVersions)
    for (bool hard : {false, true}) {
      SSL_CTX_set_max_proto_version(context, version);
      auto line = plain("api.example");
      SSL_do_handshake(line.client->ssl);
      line.client->send();
      line.ours->secure(*ends.accept("api.example", ""));
      run_until(loop, [&] { return ::recv(line.client->fd, nullptr, 0, MSG_PEEK) == 0; });
      auto fd = std::exchange(line.client->fd, -1);
      if (hard) {
        abort_connection(fd);
      } else {
        std::string flight(65536, 0);
        run_until(loop, [&] { return ::recv(fd, flight.data(), flight.size(), 0) > 0; });
        ::close(fd);
      }
      ASSERT_TRUE(run_until(loop, [&] { return !line.reader->ends.empty(); }));
      EXPECT_EQ(line.reader->ends, std::vector{Got::failed});
      EXPECT_TRUE(line.ours->tls()->distrusted());
      EXPECT_EQ(line.ours->failure(), hard ? "the client reset right after our certificate"
                                           : "the client closed right after our certificate");
    }
}

TEST_F(TlsToClientsTest, a_client_that_leaves_before_our_certificate_is_no_stranger) {
  auto line = connect();
  ::close(std::exchange(line.client->fd, -1));
  ASSERT_TRUE(run_until(loop, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->ends, std::vector{Got::failed});
  EXPECT_FALSE(line.ours->tls()->distrusted());
  EXPECT_EQ(line.ours->failure(), "the client closed before the TLS handshake was through");
}

TEST_F(TlsToClientsTest, old_versions_weak_ciphers_and_no_TLS_at_all_fail_in_words) {
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  auto old = connect();
  ASSERT_TRUE(until(old, [&] { return !old.reader->ends.empty(); }));
  EXPECT_EQ(old.ours->failure(), "unsupported protocol");
  EXPECT_FALSE(old.ours->tls()->distrusted());
  ASSERT_TRUE(until(old, [&] { return old.client->failed; }));  // it is told so
  EXPECT_EQ(old.client->failure, "tlsv1 alert protocol version");

  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-NULL-SHA");
  auto weak = connect();
  ASSERT_TRUE(until(weak, [&] { return !weak.reader->ends.empty(); }));
  EXPECT_EQ(weak.ours->failure(), "no shared cipher");

  auto none = connect();
  ASSERT_EQ(::send(none.client->fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
  ASSERT_TRUE(run_until(loop, [&] { return !none.reader->ends.empty(); }));
  EXPECT_EQ(none.reader->ends, std::vector{Got::failed});
  EXPECT_EQ(none.ours->failure(), "http request");
}

TEST_F(TlsToClientsTest, a_renegotiation_is_refused_and_the_connection_goes_on) {
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  auto line = connect();
  ASSERT_TRUE(shake(line));
  EXPECT_EQ(SSL_get_secure_renegotiation_support(line.client->ssl), 1);
  ASSERT_EQ(SSL_renegotiate(line.client->ssl), 1);
  SSL_do_handshake(line.client->ssl);
  ASSERT_TRUE(until(line, [&] { return line.client->failed; }));
  EXPECT_EQ(line.client->failure, "no renegotiation");
}

TEST_F(TlsToClientsTest, finish_sends_what_is_queued_then_close_notify_then_FIN_and_goes_on_reading) {
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect();
    ASSERT_TRUE(shake(line));
    auto bytes = pattern(300'000);
    line.ours->write(bytes);
    line.ours->finish();
    line.ours->flush();
    ASSERT_TRUE(until(line, [&] { return line.client->fin; }));
    rest(line);
    EXPECT_TRUE(line.client->heard == bytes);
    EXPECT_TRUE(line.client->closed);
    line.client->say("still here");
    ASSERT_TRUE(until(line, [&] { return line.reader->heard == "still here"; }));
  }
}

TEST_F(TlsToClientsTest, close_says_close_notify_and_FIN_though_input_is_unread) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.client->say("unread");
  line.client->step();
  line.ours->close();
  ASSERT_TRUE(until(line, [&] { return line.client->fin || line.client->rst; }));
  rest(line);
  EXPECT_TRUE(line.client->closed);
  EXPECT_FALSE(line.client->rst);
}

TEST_F(TlsToClientsTest, reset_is_an_RST_without_close_notify) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.ours->reset();
  ASSERT_TRUE(until(line, [&] { return line.client->rst; }));
  EXPECT_FALSE(line.client->closed);
  EXPECT_FALSE(line.client->fin);
}

TEST_F(TlsToClientsTest, a_reset_in_the_middle_of_the_handshake_is_an_RST_after_our_first_flight) {
  auto line = plain("api.example");
  SSL_do_handshake(line.client->ssl);
  line.client->send();
  ASSERT_TRUE(run_until(loop, [&] { return line.reader->heard.size() > 100; }));
  line.ours->put_back(line.reader->heard);
  line.ours->secure(*ends.accept("api.example", ""));
  line.ours->reset();
  std::string flight(65536, 0);
  EXPECT_GT(::recv(line.client->fd, flight.data(), flight.size(), MSG_DONTWAIT), 500);
  EXPECT_EQ(::recv(line.client->fd, flight.data(), flight.size(), MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_F(TlsToClientsTest, the_clients_close_notify_reads_as_fin_once_and_a_later_RST_is_told) {
  for (int version : kVersions) {
    SSL_CTX_set_max_proto_version(context, version);
    auto line = connect();
    ASSERT_TRUE(shake(line));
    line.client->say("last");
    line.client->step();
    SSL_shutdown(line.client->ssl);
    ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
    EXPECT_EQ(line.reader->heard, "last");
    EXPECT_TRUE(line.ours->ended());
    line.ours->write("answer");
    line.ours->flush();
    rest(line);
    EXPECT_EQ(line.reader->ends, std::vector{Got::fin});
    line.client->step();
    abort_connection(std::exchange(line.client->fd, -1));
    ASSERT_TRUE(run_until(loop, [&] { return line.reader->ends.size() == 2; }));
    EXPECT_EQ(line.reader->ends, (std::vector{Got::fin, Got::rst}));
  }
}

TEST_F(TlsToClientsTest, what_follows_a_close_notify_is_read_a_piece_at_a_time_up_to_an_RST) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  SSL_shutdown(line.client->ssl);
  ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
  std::string much(1 << 20, 'a');
  std::size_t said = 0;
  for (ssize_t n; (n = ::send(line.client->fd, much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL)) > 0;)
    said += static_cast<std::size_t>(n);
  auto told = line.reader->told;
  int left = 1;
  ASSERT_TRUE(run_until(loop, [&] { return ::ioctl(line.client->fd, SIOCOUTQ, &left) == 0 && left == 0; }));
  EXPECT_GT(line.reader->told - told, static_cast<int>(said / (1 << 20)));
  abort_connection(std::exchange(line.client->fd, -1));
  ASSERT_TRUE(until(line, [&] { return line.reader->ends.size() == 2; }));
  EXPECT_EQ(line.reader->ends[1], Got::rst);
  EXPECT_EQ(line.reader->heard, "");
}
TEST_F(TlsToClientsTest, a_close_notify_that_comes_together_with_the_last_bytes_is_told_after_them) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.client->piece = 0;
  line.client->say("last");
  line.client->step();
  SSL_shutdown(line.client->ssl);
  line.client->send();
  line.client->piece = 1 << 20;
  ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->heard, "last");
  EXPECT_EQ(line.reader->ends, std::vector{Got::fin});
}

TEST_F(TlsToClientsTest, a_FIN_without_close_notify_reads_as_fin_and_half_a_record_before_it_as_nothing) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.client->piece = 0;
  line.client->say("cut");
  line.client->step();
  ASSERT_GT(line.client->out.size(), 10u);
  ASSERT_EQ(::send(line.client->fd, line.client->out.data(), 10, 0), 10);
  ::shutdown(line.client->fd, SHUT_WR);
  ASSERT_TRUE(run_until(loop, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->ends, std::vector{Got::fin});
  EXPECT_EQ(line.reader->heard, "");
}

TEST_F(TlsToClientsTest, a_clients_RST_is_told_after_what_it_had_said) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.client->say("said");
  line.client->step();
  ASSERT_TRUE(run_until(loop, [&] { return line.reader->heard == "said"; }));
  abort_connection(std::exchange(line.client->fd, -1));
  ASSERT_TRUE(run_until(loop, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->ends, std::vector{Got::rst});
}

TEST_F(TlsToClientsTest, a_record_that_was_tampered_with_fails_the_connection) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  rest(line);
  line.client->piece = 0;
  line.client->say("tamper");
  line.client->step();
  auto record = line.client->out;
  record.back() ^= 1;
  ASSERT_EQ(::send(line.client->fd, record.data(), record.size(), 0), static_cast<ssize_t>(record.size()));
  ASSERT_TRUE(until(line, [&] { return !line.reader->ends.empty(); }));
  EXPECT_EQ(line.reader->ends, std::vector{Got::failed});
  EXPECT_EQ(line.ours->failure(), "decryption failed or bad record mac");
  EXPECT_EQ(line.reader->heard, "");
}

TEST_F(TlsToClientsTest, a_client_that_changes_its_keys_is_followed) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  ASSERT_EQ(SSL_key_update(line.client->ssl, SSL_KEY_UPDATE_REQUESTED), 1);
  line.client->say("new keys");
  ASSERT_TRUE(until(line, [&] { return line.reader->heard == "new keys"; }));
  line.ours->write("mine too");
  line.ours->flush();
  ASSERT_TRUE(until(line, [&] { return line.client->heard == "mine too"; }));
}

TEST_F(TlsToClientsTest, a_pace_holds_for_the_inside) {
  auto line = connect();
  ASSERT_TRUE(shake(line));
  line.ours->pace(500'000, 100);
  auto bytes = pattern(5000);
  line.ours->write(bytes);
  line.ours->flush();
  EXPECT_GE(line.ours->queued(), 4900u);
  ASSERT_TRUE(until(line, [&] { return line.client->heard == bytes; }));
  EXPECT_EQ(line.ours->queued(), 0u);
}

}  // namespace
}  // namespace retrial::test
