#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <mutex>

#include "proxy/net/pins.h"
#include "proxy/net/sessions.h"
#include "proxy/net/tls.h"
#include "proxy/net/tls_context.h"

namespace retrial::proxy {
namespace {

bool is_address(const std::string& name) {
  in6_addr ip;
  return inet_pton(AF_INET, name.c_str(), &ip) == 1 || inet_pton(AF_INET6, name.c_str(), &ip) == 1;
}

// The name as it stands in SNI and in certificates: "[::1]" without its brackets, "example.com." without its root.
std::string plain(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) return std::string(name.substr(1, name.size() - 2));
  if (name.ends_with('.')) name.remove_suffix(1);
  return std::string(name);
}

Error wrong(const std::filesystem::path& file, std::string what) {
  return {openssl_reason(std::move(what)), file.string(), Blame::user};
}

std::optional<Error> use_files(SSL_CTX* c, const ServiceTlsSettings& s) {
  // OpenSSL's default asks for a passphrase at the terminal.
  SSL_CTX_set_default_passwd_cb(c, [](char*, int, int, void*) { return -1; });
  if (!s.ca.empty() && SSL_CTX_load_verify_file(c, s.ca.c_str()) != 1)
    return wrong(s.ca, "no certificates of an authority can be read (expected PEM)");
  for (auto& file : s.also)
    if (SSL_CTX_load_verify_file(c, file.c_str()) != 1)
      return wrong(file, "no certificates of an authority can be read (expected PEM)");
  auto& key = s.key.empty() ? s.certificate : s.key;
  if (s.certificate.empty()) {
    if (!s.key.empty()) return Error{"a key, and no certificate that it belongs to", s.key.string(), Blame::user};
  } else if (SSL_CTX_use_certificate_chain_file(c, s.certificate.c_str()) != 1) {
    return wrong(s.certificate, "no certificate can be read (expected PEM)");
  } else if (SSL_CTX_use_PrivateKey_file(c, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH)
      return wrong(key, "the key of another certificate than " + s.certificate.string());
    return wrong(key, "no key can be read (expected PEM without a passphrase)");
  } else if (SSL_CTX_check_private_key(c) != 1) {
    return wrong(key, "the key of another certificate than " + s.certificate.string());
  }
  ERR_clear_error();
  return std::nullopt;
}

TlsEnd& end_of(X509_STORE_CTX* chain) {
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  return *static_cast<TlsEnd*>(SSL_get_app_data(ssl));
}

}  // namespace

struct TlsToService::State {
  static int new_session(SSL* ssl, SSL_SESSION* session);
  static int verify(X509_STORE_CTX* chain, void* state);
  static int note(int good, X509_STORE_CTX* chain);
  bool pinned(X509_STORE_CTX* chain) const;
  void take_named();

  Context context{SSL_CTX_new(TLS_client_method())};
  Sessions sessions;
  Pins pins;
  bool verifies = true;
  bool close_notify = true;
  bool mirrors = false;
  bool system_roots = false;  // are to be read, when the first service asks for them: that takes tens of milliseconds
  std::once_flag roots_read;
  certs::StandIns* stand_ins = nullptr;
  std::size_t named = 0;  // of its roots are in the context
};

int TlsToService::State::new_session(SSL* ssl, SSL_SESSION* session) {
  auto* state = static_cast<State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  auto& end = *static_cast<TlsEnd*>(SSL_get_app_data(ssl));
  if (!end.verified_.all() || end.verified_.as) return 0;  // resumed, it would count as verified by our own roots
  state->sessions.put(end.name_, session);
  return 1;  // it is ours now
}

// Goes on whatever is found: all of it is told.
int TlsToService::State::note(int good, X509_STORE_CTX* chain) {
  if (good) return 1;
  auto& verified = end_of(chain).verified_;
  switch (X509_STORE_CTX_get_error(chain)) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      verified.named = false;
      break;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      verified.current = false;
      break;
    default:
      verified.known = false;
  }
  return 1;
}

bool TlsToService::State::pinned(X509_STORE_CTX* chain) const {
  if (pins.empty() || pins.match(X509_STORE_CTX_get0_cert(chain))) return true;
  // Of a chain that was not verified only the leaf's key is known to be the service's.
  if (!verifies || !end_of(chain).verified_.known) return false;
  auto* all = X509_STORE_CTX_get0_chain(chain);
  for (int i = 0; i < sk_X509_num(all); i++)
    if (pins.match(sk_X509_value(all, i))) return true;
  return false;
}

int TlsToService::State::verify(X509_STORE_CTX* chain, void* self) {
  auto& state = *static_cast<State*>(self);
  auto& end = end_of(chain);
  if (state.mirrors) X509_STORE_CTX_set_verify_cb(chain, note);
  // With `note` it fails only where it could not even begin.
  if (state.verifies && X509_verify_cert(chain) != 1) {
    if (!state.mirrors) return 0;
    end.verified_.known = false;
  }
  auto* whole = X509_STORE_CTX_get0_chain(chain);
  if (state.stand_ins && end.verified_.known && sk_X509_num(whole) > 0)
    end.verified_.as = state.stand_ins->standing_for(*sk_X509_value(whole, sk_X509_num(whole) - 1));
  bool pinned = state.pinned(chain);
  if (state.mirrors) {
    end.verified_.known = end.verified_.known && pinned;
    if (!pinned) end.verified_.as = nullptr;
    X509_STORE_CTX_set_error(chain, X509_V_OK);
    return 1;
  }
  if (pinned) return 1;
  end.failure_ = "none of the certificate's keys is pinned";
  X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

// What programs have named since the last time.
void TlsToService::State::take_named() {
  if (!stand_ins) return;
  auto& roots = stand_ins->roots();
  for (; named < roots.size(); named++)
    if (roots[named]) X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), roots[named].get());
}

TlsToService::TlsToService(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsToService::~TlsToService() = default;

Result<std::unique_ptr<TlsToService>> TlsToService::make(const ServiceTlsSettings& settings) {
  auto state = std::make_unique<State>();
  auto pins = Pins::read(settings.pins);
  if (!pins) return std::unexpected(pins.error());
  state->pins = std::move(*pins);
  state->verifies = settings.verify;
  state->close_notify = settings.close_notify;
  state->mirrors = settings.mirrors;
  state->stand_ins = settings.stand_ins;
  state->system_roots = settings.ca.empty();
  auto* c = state->context.get();
  harden(c);
  if (auto error = use_files(c, settings)) return std::unexpected(std::move(*error));
  if (!settings.verify || settings.mirrors) SSL_CTX_set_security_level(c, 0);
  // Some clients take a certificate for good that is itself among their roots (Go, Python from 3.13 on).
  if (settings.mirrors) X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(c), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_app_data(c, state.get());
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(c, State::verify, state.get());
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(c, State::new_session);
  return std::unique_ptr<TlsToService>(new TlsToService(std::move(state)));
}

Result<std::unique_ptr<TlsEnd>> TlsToService::connect(std::string_view given, const std::vector<std::string>& alpn) {
  auto* context = state_->context.get();
  if (state_->system_roots) std::call_once(state_->roots_read, SSL_CTX_set_default_verify_paths, context);
  state_->take_named();
  auto* ssl = SSL_new(context);
  if (!ssl) return fail(openssl_reason("a TLS connection cannot be made"));
  auto end = std::make_unique<TlsEnd>(ssl);
  end->name_ = plain(given);
  end->owes_notify_ = state_->close_notify;
  auto& name = end->name_;
  bool is_name = !is_address(name);
  bool good = !is_name || SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (state_->verifies)
    good = good && (is_name ? SSL_set1_host(ssl, name.c_str())
                            : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str())) == 1;
  std::string wire;
  for (auto& protocol : alpn) {
    if (protocol.empty() || protocol.size() > 255) return fail("no ALPN protocol: \"" + protocol + "\"");
    wire.append(1, static_cast<char>(protocol.size())).append(protocol);
  }
  if (!wire.empty())
    good = good && SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(wire.data()),
                                       static_cast<unsigned>(wire.size())) == 0;
  if (!good) return fail(openssl_reason("no name that TLS can ask for"), name);
  if (auto session = state_->sessions.take(name)) SSL_set_session(ssl, session.get());
  SSL_set_connect_state(ssl);
  return end;
}

}  // namespace retrial::proxy
