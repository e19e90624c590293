#pragma once
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/conversation.h"

namespace retrial::test {

// One end of an HTTP/2 connection that says and hears frames as a test tells it to. Frames are raw, HPACK is nghttp2's.
// A frame in words, said and heard alike:
//   HEADERS 1 end | :method: GET | !cookie: a     fields in order; "!": never to be indexed; CONTINUATION is put
//   together DATA 1 end hello RST_STREAM 1 CANCEL GOAWAY 1 NO_ERROR why SETTINGS 3=100 4=262144 PING 12345678, PING ack
//   12345678 WINDOW_UPDATE 1 100
// WINDOW_UPDATE and acknowledgements of SETTINGS are not heard, but counted. SETTINGS are acknowledged.
class H2End {
 public:
  enum class Role { client, service };
  H2End(std::unique_ptr<Peer> peer, Role role);
  ~H2End();
  H2End(const H2End&) = delete;

  // As a client: the preface; as a service: its SETTINGS. `settings` as in words.
  void greets(std::string_view settings = "4=16777216");
  void hears_greeting();  // the preface, or the first SETTINGS

  void say(std::string_view frame);  // several: a line each
  std::size_t unsent();              // bytes of what was said that the kernel has not taken yet
  void data(std::uint32_t stream, std::string_view bytes, bool end = false);
  // As much of it as the windows allow, in frames of 16384 bytes; how much.
  std::size_t data_that_fits(std::uint32_t stream, std::string_view bytes, bool end);

  void hears(std::string_view frame);              // exactly this next; several: a line each
  std::string next();                              // in words; "": the connection has ended, or nothing comes
  std::string next_if_any();                       // of what has come; "": nothing
  std::string hears_body(std::uint32_t stream);    // DATA of that stream alone, up to its END_STREAM
  std::string heard_so_far(std::uint32_t stream);  // of DATA of that stream alone; nothing waits
  void hears_nothing();
  void hears_fin();
  void hears_rst();
  void gives_back(bool windows) { gives_back_ = windows; }  // WINDOW_UPDATE for all DATA that it hears; on at first

  Peer& peer() { return *peer_; }
  std::int64_t room(std::uint32_t stream) const;  // that the other side has left us
  std::uint32_t setting(int number) const;        // of the other side
  bool ended(std::uint32_t stream) const { return ended_.contains(stream); }
  std::map<std::uint32_t, std::uint64_t> updates;  // WINDOW_UPDATE by stream, bytes

 private:
  bool frame();  // a whole one is in
  std::string bytes_of(std::string_view frames);
  void send(std::string_view bytes);
  std::string read();
  void settled();
  std::string fields(std::string block);
  std::unique_ptr<Peer> peer_;
  Role role_;
  std::string in_, out_;
  nghttp2_hd_deflater* deflater_ = nullptr;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::map<std::uint32_t, std::int64_t> sent_;
  std::map<std::uint32_t, bool> ended_;
  std::map<int, std::uint32_t> theirs_;
  std::string owed_;  // acknowledgements, until it has greeted
  bool greeted_ = false;
  bool gives_back_ = true;
};

// A request in words: "GET /x" and more fields, " | name: value".
std::string asks(std::uint32_t stream, std::string_view what = "GET /x", std::string_view more = "", bool end = true);
// A gRPC call's head, and a message as it stands in DATA.
std::string calls(std::uint32_t stream, std::string_view more = "");
std::string message(std::string_view text);

// Conversations in HTTP/2, captured: what passes, passes as it was sent.
class H2Conversation : public Conversation {
 protected:
  ~H2Conversation() override { proxy.reset(); }
  // Both have greeted, and heard each other's SETTINGS through the proxy.
  void meet(std::string_view client_settings = "4=16777216", std::string_view service_settings = "4=16777216");
  // As a user writes it, for the n-th exchange.
  void plan(std::uint64_t n, std::string_view fault);
  void passes(std::string_view frame);       // from the client to the service, as it is
  void passes_back(std::string_view frame);  // from the service to the client
  // A request on a stream of its own is answered: the connection goes on.
  void goes_on(std::uint32_t stream, std::uint32_t at_service);
  void goes_on(std::uint32_t stream) { goes_on(stream, stream); }
  const trace::Exchange& over(std::uint64_t id);  // the exchange with that id
  void fired(std::uint64_t id, std::string_view evidence, trace::Ending ending, int client_status, int service_status);
  void spared(std::uint64_t id, std::string_view why);

  std::unique_ptr<H2End> client, service;
};

}  // namespace retrial::test
