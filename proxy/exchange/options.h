#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proxy/net/address.h"
#include "proxy/net/allow_list.h"
#include "proxy/net/ares_channel.h"
#include "proxy/net/memory.h"
#include "proxy/net/tls.h"
#include "trace/fault_spec.h"

namespace retrial::proxy {

class Distrust;

// A client connection with the service connection that was dialled for it. Both fds non-blocking, owned by whoever
// holds this.
struct Captured {
  int client = -1;
  int service = -1;
  Address original;             // what the client meant to reach
  pid_t pid = 0;                // who connected
  pid_t thread = 0;             // which of its threads
  trace::FaultSpec fault = {};  // tls-*, where Director::at_connect has said so; those of the connect were done already
};

// Where requests go.
struct Route {
  std::string host;  // a name, or an address without brackets; resolved at each dial
  std::uint16_t port = 0;
  bool tls = false;                                // https://
  bool http2 = false;                              // it is spoken to in HTTP/2, whatever the client speaks
  std::string server_name = {};                    // its name in TLS: asked for (SNI), and verified; empty: the host
  TlsToService* security = nullptr;                // how it is verified; null: as Options has it
  std::string service = {};                        // what the trace calls it; empty: "host:port"
  bool allow = false;                              // faults may reach it, wherever it is
  Nanos connect_timeout = 0, resolve_timeout = 0;  // 0: as Options has them
  std::shared_ptr<const AllowList> only = {};      // addresses that may be dialled; null: all
};

// How clients come in at a listener, and what is done with what they say.
enum class ListenMode : std::uint8_t {
  reverse,      // all of it is for one service
  forward,      // the request says where to: absolute-form, or CONNECT, inside which HTTP and TLS are understood too
  transparent,  // redirected: for where the client meant to connect
  envoy,        // an Envoy asks what to do with each of its requests, and tells what became of them
};
enum class Protocol : std::uint8_t {
  http,       // what cannot be read is answered 400, and the connection is closed
  automatic,  // first bytes that are no method token, HTTP/2 preface or ClientHello begin a tunnel; else as http
  tcp,        // always a tunnel
};
struct ListenerOptions {
  ListenMode mode = ListenMode::reverse;
  Protocol protocol = Protocol::http;
  Route route;                          // reverse; envoy: whom all requests are for; no host: they say so
  std::vector<Route> known;             // else: services of which more is said than where they are
  std::shared_ptr<const AllowList> to;  // forward only: where requests may go; null: everywhere
};

// A client that came in at a listener. The fd is non-blocking, and owned by whoever holds this.
struct Incoming {
  int client = -1;
  std::shared_ptr<const ListenerOptions> listener;
  Address original;  // transparent only: what it meant to reach
  pid_t pid = 0;     // who connected, where it is known
};

struct Options {
  bool keep_tags = false;  // leave the agents' headers in the request
  // Bytes of a message pass as they were sent. Otherwise as RFC 9110 7.6 and RFC 9112 have an intermediary change them:
  // fields of this connection alone are taken out, Via is added, a chunked body is framed anew.
  bool pristine = true;
  // Service connections are kept for the next request, whoever sends it. Otherwise each client connection has its own,
  // ended with it.
  bool pooled = false;
  // What cannot be read as HTTP/1 in one way only becomes a tunnel from there on (run). Otherwise it is answered 400.
  bool tunnel_unreadable = true;
  std::size_t head_limit = 256u << 10;  // bytes of a head; beyond it 431 (RFC 6585 5), or a tunnel
  std::size_t field_limit = 1000;       // header fields of a head; the same
  std::uint64_t body_limit = 0;         // bytes of a request's body; beyond it 413; 0: none
  Nanos head_timeout = 0;               // from a request's first byte to its head's last; beyond it 408; 0: none
  Nanos drain_grace = 0;             // how long a connection that is idle as a drain begins may still ask; 0: no more
  Nanos idle_timeout = 0;            // a client connection without a request; it is closed; 0: none
  Nanos body_timeout = 0;            // a request's body of which nothing comes; beyond it 408; 0: none
  std::size_t most_connections = 0;  // of clients; beyond it those that have been still longest end; 0: any number
  std::size_t most_idle_services = 256;            // connections to services that wait for a request
  std::shared_ptr<MemoryBudget> memory = nullptr;  // beyond it those that hold most end; null: no bound
  // From the beginning of a dial until an address of the name is known, and from then on until one is connected; beyond
  // either 504. 0: as long as the resolver, and the kernel, take.
  Nanos resolve_timeout = 0, connect_timeout = 0;
  ResolverSettings names = {};
  std::shared_ptr<const AllowList> faults_also = {};  // where faults may go besides loopback and private addresses
  std::size_t buffer_limit = 256u << 10;              // bytes held for a slow side before the other is no longer read
  TlsToClients* to_clients = nullptr;                 // null: TLS is a tunnel
  TlsToService* to_services = nullptr;                // for routes that have none of their own
  // By what the trace calls a service, in place of to_services (run).
  std::map<std::string, TlsToService*> security_of = {};
  // Clients that do not trust us: tunnelled from then on, by their service's name from run to run
  // (trace/calls/service_name.h). Null: the proxy keeps its own, by the service's address.
  Distrust* distrust = nullptr;
  // How busy a thread of a client has been so far (Exchange::busy); 0: not known. May be empty.
  std::function<Nanos(pid_t thread)> busy;
  // Ends a client's process (SIGKILL): true, it is ended, or was about to end. False: it is none that may be. Empty:
  // none may.
  std::function<bool(pid_t)> end_process;
  std::function<void(const std::string&)> say;  // one line for the log; may be empty
  std::uint64_t first_id = 1;  // of exchanges and connections; several proxies of one run count in steps
  std::uint64_t id_step = 1;
};

// What was seen besides exchanges. All counts are of this proxy's life.
struct Counts {
  std::uint64_t connections = 0;   // of clients
  std::uint64_t http2 = 0;         // of these, that speak HTTP/2
  std::uint64_t tunnels = 0;       // connections that were no HTTP/1, or stopped being it
  std::uint64_t upgraded = 0;      // of these, by 101 or CONNECT
  std::uint64_t refused = 0;       // answered 4xx by us: not readable, ambiguous, or beyond a limit
  std::uint64_t shed = 0;          // connections ended by us, for want of memory or of room for others
  std::uint64_t unreachable = 0;   // answered 502 by us: the service was not reached, or what it said could not be read
  std::uint64_t distrusting = 0;   // clients that did not trust our certificate
  std::uint64_t tls_failures = 0;  // handshakes that failed otherwise, on either side
  std::uint64_t sent_again = 0;    // requests, on another connection than one that was kept and had ended
  std::uint64_t frames = 0;        // of WebSocket, both ways

  Counts& operator+=(const Counts& other);
};

}  // namespace retrial::proxy
