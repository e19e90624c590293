#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/exchange/conversation.h"
#include "proxy/exchange/distrust.h"
#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/service_pool.h"
#include "proxy/faults/connection.h"
#include "proxy/faults/earlier.h"
#include "proxy/proxy.h"

namespace retrial::proxy {

class Opening;
struct Ends;

// What a connection turned out to speak.
enum class Speech : std::uint8_t { http1, http2, opaque };

// What the connections of one proxy share.
struct House {
  House(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options);
  ~House();

  Loop& loop;
  const Clock& clock;
  Director& director;
  Recorder& recorder;
  Options options;

  std::vector<std::unique_ptr<Opening>> openings;
  std::vector<std::unique_ptr<Conversation>> conversations;
  std::vector<char> scratch = std::vector<char>(64 << 10);  // what was just read, by whichever session runs
  std::string text;                                         // the same for what is being written
  H2Fields fields;                                          // the same for a field section, with
  std::string field_room;                                   // what had to be changed of it
  Counts counts;
  Earlier earlier;
  ConnectionFaults connection_faults;
  Nanos last_activity = 0;
  Nanos longest_gap = 0;
  bool draining = false;

  H2Fields& no_fields() {
    fields.clear();
    field_room.clear();
    return fields;
  }
  void active(Nanos now);
  std::uint64_t next_connection() { return step(counts.connections); }
  std::uint64_t next_exchange() { return step(exchanges_); }
  void open(Captured captured);
  void open(Incoming incoming);
  void open_inside(Ends ends);  // of a CONNECT
  // An opening ends in a conversation, which hears at once of what was put back on its client's socket.
  void begin(Ends ends, Speech speech);
  void ended(Conversation& conversation);  // it is dead: takes it out, and has the loop delete it
  void ended(Opening& opening);
  ServicePool& pool_for(const Route& route);  // there as long as the house
  Resolver& resolver();
  void sweep();  // looks for time-outs
  TlsToService* security_of(const Route& route) const { return route.security ? route.security : options.to_services; }
  TlsToService* security_of(const std::string& service) const {
    auto found = options.security_of.find(service);
    return found == options.security_of.end() ? options.to_services : found->second;
  }
  Distrust& distrust() { return options.distrust ? *options.distrust : distrust_; }
  void say(const std::string& line) const {
    if (options.say) options.say(line);
  }

 private:
  std::uint64_t step(std::uint64_t& counter) const { return options.first_id + counter++ * options.id_step; }

  std::unordered_map<std::string, std::unique_ptr<ServicePool>> pools_;
  std::unique_ptr<Resolver> resolver_;
  Distrust distrust_;
  std::unique_ptr<Timer> sweeper_;
  std::uint64_t exchanges_ = 0;
};

}  // namespace retrial::proxy
