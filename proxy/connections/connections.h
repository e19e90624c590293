#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/connections/accepted.h"
#include "proxy/connections/client_connection.h"
#include "proxy/connections/distrust.h"
#include "proxy/connections/h2_fields.h"
#include "proxy/connections/service_pool.h"
#include "proxy/exchange/context.h"
#include "proxy/net/dialer.h"

namespace retrial::proxy {

// What a connection turned out to speak.
enum class Speech : std::uint8_t { http1, http2, opaque };

// All connections of one proxy, and what they share besides. Loop thread only.
struct Connections : Context {
  Connections(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options);
  ~Connections();

  std::vector<std::unique_ptr<ClientConnection>> clients;
  std::vector<char> scratch = std::vector<char>(64 << 10);  // what was just read, by whichever connection runs
  std::string text;                                         // the same for what is being written
  H2Fields fields;                                          // the same for a field section, with
  std::string field_room;                                   // what had to be changed of it
  std::size_t idle_services = 0;                            // connections that wait in pools

  H2Fields& no_fields() {
    fields.clear();
    field_room.clear();
    return fields;
  }
  void open(Captured captured);
  void open(Incoming incoming);
  void arrives();  // an event begins: a client that came in at a listener, whose time-outs are to be looked for
  void open_inside(Accepted accepted);  // of a CONNECT
  // What was set up begins to speak, and hears at once of what was put back on its client's socket.
  void begin(Accepted accepted, Speech speech);
  void begin(std::unique_ptr<ClientConnection> connection);
  void ended(ClientConnection& connection);                   // takes it out, and has the loop delete it
  std::shared_ptr<ServicePool> pool_for(const Route& route);  // forgotten once nobody has it and nothing waits in it
  void close_oldest_idle();                                   // of those that wait in all pools
  Dialer& dialer();
  void sweep();  // looks for time-outs, and at the memory

  // An event begins: false, nothing may be read for it now, as the memory has to be looked at first. It is told again.
  bool may_read();
  bool may_hold() const { return !memory_.spent(); }  // one more head of a client that may be heard
  bool has_room();                                    // for one more client, perhaps in the place of others
  TlsToService* security_of(const ServicePool& pool) const {
    return pool.route().security ? pool.route().security : security_of(pool.service());
  }
  TlsToService* security_of(const std::string& service) const {
    auto found = options.security_of.find(service);
    return found == options.security_of.end() ? options.to_services : found->second;
  }
  // A TLS client asked for something, or left and never did (Distrust).
  void trusted(const std::string& pair) {
    if (options.distrust) options.distrust->asked(pair);
  }
  void left_unasked(const std::string& pair) {
    if (options.distrust) options.distrust->left(pair);
  }

 private:
  void relieve();
  void shed(std::vector<ClientConnection*>& victims, std::string_view why);

  std::unordered_map<std::string, std::shared_ptr<ServicePool>> pools_;
  std::unique_ptr<Dialer> dialer_;
  std::unique_ptr<Timer> sweeper_;
  MemoryWatch memory_;
  Timer reliever_;
  bool relieves_ = false;
};

}  // namespace retrial::proxy
