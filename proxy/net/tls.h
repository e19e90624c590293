#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "certs/leaf_store.h"
#include "certs/stand_ins.h"

struct ssl_st;

namespace retrial::proxy {

// What is known of a service's certificate.
struct Verified {
  bool known = true;               // signed by an authority that we trust, and pinned where pins are given
  bool named = true;               // for the name that was asked for
  bool current = true;             // within its time
  certs::LeafStore* as = nullptr;  // what stands for the root that it goes back to; null: our own authority
  bool all() const { return known && named && current; }
};

// One end of a TLS 1.2 or 1.3 connection (OpenSSL 3) over a Socket, which owns it and moves its bytes (socket.h). Loop
// thread only.
class TlsEnd {
 public:
  explicit TlsEnd(ssl_st* ssl);  // takes it over
  ~TlsEnd();
  TlsEnd(const TlsEnd&) = delete;

  bool through() const { return through_; }  // the handshake is
  std::string_view alpn() const;             // as negotiated; empty: none. After the handshake
  bool resumed() const;
  // Why it failed, in words for a log line: "the client sent the alert unknown ca", "certificate has expired".
  const std::string& failure() const { return failure_; }
  // Of a service, after the handshake. Less than all() only where the settings say `mirrors`.
  const Verified& verified() const { return verified_; }
  // The peer's, as long as this lives; null: it has shown none.
  const x509_st* certificate() const;
  // The peer told us that it does not trust us (an alert of bad_certificate, unknown_ca, certificate_unknown and their
  // like, RFC 8446 6.2), or it closed right after our certificate.
  bool distrusted() const { return distrusted_; }
  bool shown() const { return shown_; }  // our certificate was sent

 private:
  friend class Socket;
  friend class TlsToClients;
  friend class TlsToService;
  struct Calls;  // from OpenSSL

  // For the Socket: bytes in, bytes out, as far as `input` goes; it keeps nothing of it. Records are appended to
  // `output`. Once failed_ or closed_, nothing more is opened.
  void shake(std::string& output);
  std::size_t open(char* into, std::size_t size, std::string& output);  // the inside of what came
  void seal(std::string_view inside, std::string& output);              // after the handshake
  void notify(std::string& output);                                     // close_notify; once
  void cut(std::string_view how);  // the peer left before the handshake was through
  bool holds() const;              // what open() would give without any input
  // How long the first record of `bytes` is; 0: not whole. All of them, where they can be none.
  static std::size_t record(std::string_view bytes);
  void fail(int result);
  std::string_view peer() const;

  ssl_st* ssl_;
  std::string_view input_;         // while one of the above runs
  std::string* output_ = nullptr;  // likewise
  std::string name_;               // of the peer: a service's
  std::string alpn_;               // to be answered to a client
  std::string failure_;
  Verified verified_;
  bool through_ = false;
  bool failed_ = false;
  bool closed_ = false;    // its close_notify was read
  bool notified_ = false;  // ours was sent
  bool shown_ = false;     // our certificate was sent
  bool distrusted_ = false;
  bool owes_notify_ = true;  // the peer, before its FIN
};

// Our side towards clients: leaves by SNI, tickets for resumption. One for all loops; thread-safe after construction.
class TlsToClients {
 public:
  // `strangers`: of an authority that nobody trusts. Both must outlive it.
  explicit TlsToClients(certs::LeafStore& leaves, certs::LeafStore* strangers = nullptr);
  ~TlsToClients();
  // An end that answers a ClientHello for `name` (its SNI, or the address where there is none), and chooses `alpn` from
  // its list (empty: no ALPN is answered).
  Result<std::unique_ptr<TlsEnd>> accept(std::string_view name, std::string_view alpn,
                                         certs::Flaw flaw = certs::Flaw::none);
  // The same before `service`, whose handshake is through: the client is shown what the service has shown us, so that
  // it judges as it would have judged the service. A certificate that is expired, or for other names, is so in ours;
  // one of an unknown authority is signed by that of the strangers. `name` empty: the client has sent none, and gets
  // the names of the service's certificate (or `address`).
  Result<std::unique_ptr<TlsEnd>> accept_like(const TlsEnd& service, std::string_view name, std::string_view address,
                                              std::string_view alpn, certs::Flaw flaw = certs::Flaw::none);

 private:
  struct State;
  Result<std::unique_ptr<TlsEnd>> accept(const certs::Credential& leaf, std::string_view alpn, certs::Flaw flaw);
  std::unique_ptr<State> state_;
};

// How a service's certificate is verified, and what we show it: the TLS keys of [service.NAME].
struct ServiceTlsSettings {
  std::filesystem::path ca;       // PEM, in place of the system's store; empty: the system's
  std::vector<std::string> pins;  // "sha256/BASE64" of the SubjectPublicKeyInfo (RFC 7469 2.4); one must match
  bool verify = true;
  std::filesystem::path certificate;  // PEM chain and key that are shown to the service; empty: none
  std::filesystem::path key;
  bool close_notify = true;                      // false: it ends without, and all that it has said counts as whole
  std::vector<std::filesystem::path> also = {};  // PEM: more roots
  // A certificate that does not verify does not fail the handshake: TlsEnd::verified tells of it.
  bool mirrors = false;
  certs::StandIns* stand_ins = nullptr;  // more roots, as programs name them. Must outlive what is made of this
  bool operator==(const ServiceTlsSettings&) const = default;
};

// Our side towards one service: verification, client certificate, sessions kept for resumption (by name). One for all
// loops; thread-safe after construction.
class TlsToService {
 public:
  // Reads the files; an error names the file and what is wrong with it.
  static Result<std::unique_ptr<TlsToService>> make(const ServiceTlsSettings& settings);
  ~TlsToService();
  // An end that says ClientHello with `name` as SNI (not for an address, RFC 6066 3) and offers `alpn`. A certificate
  // that does not verify fails the handshake, unless the settings say `mirrors`.
  Result<std::unique_ptr<TlsEnd>> connect(std::string_view name, const std::vector<std::string>& alpn);

 private:
  struct State;
  explicit TlsToService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace retrial::proxy
