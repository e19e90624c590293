#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "proxy/net/tls.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kLongest = (16 << 10) + 2048;  // RFC 5246 6.2.3

bool of_distrust(int alert) {
  return (alert >= SSL_AD_BAD_CERTIFICATE && alert <= SSL_AD_CERTIFICATE_UNKNOWN) || alert == SSL_AD_UNKNOWN_CA;
}
std::string word_of(int alert) {
  if (alert == SSL_AD_CERTIFICATE_REQUIRED) return "certificate required";  // OpenSSL 3.0 has no words for these two
  if (alert == SSL_AD_NO_APPLICATION_PROTOCOL) return "no application protocol";
  std::string text = SSL_alert_desc_string_long(alert);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

struct TlsEnd::Calls {
  // One record at a time: what OpenSSL is given it opens at once, and no buffer of its own has to be kept meanwhile.
  static int read(BIO* bio, char* into, int size) {
    auto& end = *static_cast<TlsEnd*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    auto n = std::min(record(end.input_), static_cast<std::size_t>(std::max(size, 0)));
    if (n == 0) return BIO_set_retry_read(bio), -1;
    std::memcpy(into, end.input_.data(), n);
    end.input_.remove_prefix(n);
    return static_cast<int>(n);
  }
  static int write(BIO* bio, const char* bytes, int size) {
    static_cast<TlsEnd*>(BIO_get_data(bio))->output_->append(bytes, static_cast<std::size_t>(size));
    return size;
  }
  static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH; }
  static void message(int sent, int, int type, const void* bytes, std::size_t size, SSL*, void* end) {
    if (sent && type == SSL3_RT_HANDSHAKE && size > 0 && *static_cast<const char*>(bytes) == SSL3_MT_CERTIFICATE)
      static_cast<TlsEnd*>(end)->shown_ = true;
  }
  static BIO_METHOD* method() {
    static BIO_METHOD* method = [] {
      auto* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "records of a socket");
      BIO_meth_set_read(m, read);
      BIO_meth_set_write(m, write);
      BIO_meth_set_ctrl(m, control);
      return m;
    }();
    return method;
  }
};

TlsEnd::TlsEnd(ssl_st* ssl) : ssl_(ssl) {
  auto* bio = BIO_new(Calls::method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_app_data(ssl, this);
  SSL_set_read_ahead(ssl, 1);
  SSL_set_msg_callback(ssl, Calls::message);
  SSL_set_msg_callback_arg(ssl, this);
}

TlsEnd::~TlsEnd() {
  // However the connection ended, its session is as good as before (RFC 5246 7.2.1).
  SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl_);
}

std::string_view TlsEnd::alpn() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}
const x509_st* TlsEnd::certificate() const { return SSL_get0_peer_certificate(ssl_); }
bool TlsEnd::resumed() const { return SSL_session_reused(ssl_); }
bool TlsEnd::holds() const { return !failed_ && !closed_ && SSL_pending(ssl_) > 0; }
std::string_view TlsEnd::peer() const { return SSL_is_server(ssl_) ? "client" : "service"; }

std::size_t TlsEnd::record(std::string_view bytes) {
  if (bytes.size() < kRecordHead) {
    bool may_be = bytes.empty() || (bytes[0] >= 20 && bytes[0] <= 24);
    return may_be ? 0 : bytes.size();
  }
  std::size_t size = static_cast<unsigned char>(bytes[3]) << 8 | static_cast<unsigned char>(bytes[4]);
  if (bytes[0] < 20 || bytes[0] > 24 || size > kLongest) return bytes.size();
  return bytes.size() < kRecordHead + size ? 0 : kRecordHead + size;
}

void TlsEnd::shake(std::string& output) {
  output_ = &output;
  auto result = SSL_do_handshake(ssl_);
  through_ = result == 1;
  if (through_)
    SSL_set_msg_callback(ssl_, nullptr);
  else
    fail(result);
}

std::size_t TlsEnd::open(char* into, std::size_t size, std::string& output) {
  output_ = &output;
  std::size_t all = 0;
  while (all < size && !failed_ && !closed_ && (SSL_pending(ssl_) > 0 || record(input_) > 0)) {
    auto n = SSL_read(ssl_, into + all, static_cast<int>(std::min<std::size_t>(size - all, 1 << 30)));
    if (n > 0)
      all += static_cast<std::size_t>(n);
    else
      fail(n);
  }
  return all;
}

void TlsEnd::seal(std::string_view inside, std::string& output) {
  output_ = &output;
  std::size_t written = 0;
  if (SSL_write_ex(ssl_, inside.data(), inside.size(), &written) != 1) fail(0);
}

void TlsEnd::notify(std::string& output) {
  if (!through_ || failed_ || std::exchange(notified_, true)) return;
  output_ = &output;
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

void TlsEnd::cut(std::string_view how) {
  failed_ = true;
  distrusted_ = shown_ && SSL_is_server(ssl_);
  failure_ = fmt::format("the {} {} {}", peer(), how,
                         distrusted_ ? "right after our certificate" : "before the TLS handshake was through");
}

void TlsEnd::fail(int result) {
  auto kind = SSL_get_error(ssl_, result);
  if (kind == SSL_ERROR_WANT_READ) return;
  if (kind == SSL_ERROR_ZERO_RETURN) {
    closed_ = true;
    if (!through_) cut("closed");
    return;
  }
  failed_ = true;
  auto error = ERR_peek_last_error();
  int alert = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET : -1;
  auto verified = SSL_get_verify_result(ssl_);
  if (alert >= 0 && alert <= 255) {
    distrusted_ = of_distrust(alert);
    failure_ = fmt::format("the {} sent the alert {}", peer(), word_of(alert));
  } else if (ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
    if (failure_.empty()) failure_ = X509_verify_cert_error_string(verified);
  } else {
    auto* reason = ERR_reason_error_string(error);
    failure_ = reason ? reason : fmt::format("TLS error {:x}", error);
  }
  ERR_clear_error();
}

}  // namespace retrial::proxy
