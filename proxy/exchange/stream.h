#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/h2.h"
#include "proxy/exchange/fate.h"
#include "proxy/exchange/rpc.h"
#include "proxy/exchange/states.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

class H2Session;

// One direction's body that has come and cannot go on yet, and its end.
struct Pending {
  std::string bytes;
  std::string trailers;    // lines
  bool end = false;        // the message ends behind what is here
  bool gone = false;       // its end has gone on
  std::uint64_t owed = 0;  // bytes that whoever sent them may send again as these go
  void clear() {
    bytes.clear();
    trailers.clear();
    end = gone = false;
    owed = 0;
  }
};

// A request's head that waits.
struct KeptHead {
  std::string raw, method, target, scheme, authority, protocol;
  std::vector<H1Field> fields;
  void keep(const H2Head& head);
  H2Head head() const;
};

// One exchange on a stream of a client's HTTP/2 connection (states.h; `dead`: it is no stream now). Used again for
// later ones. What comes from either side passes as it comes, as far as windows and sockets have room; what does not
// fit waits here, bounded by the window that is not given back for it.
class Stream {
 public:
  explicit Stream(H2Session& session);
  ~Stream();

  // From the client (stream.cc)
  void begin(std::uint32_t id, bool fresh);
  void request_head(const H2Head& head, bool end);
  void request_data(std::string_view bytes, bool end);
  void request_trailers(const H2Head& trailers);
  void client_reset(std::uint32_t code);
  void refuse(const H2Head& head, int status, std::string_view why);  // a request that gets no further than us
  void client_room() { drain_to_client(); }

  // From the service (stream_response.cc)
  void response_head(const H2Head& head, bool end);
  void response_data(std::string_view bytes, bool end);
  void response_trailers(const H2Head& trailers);
  void service_reset(std::uint32_t code, bool refused);
  void service_room() { drain_to_service(); }
  void lost(trace::Ending ending);           // with the service's connection
  void unanswered(const std::string& what);  // there is no answer of the service's, by `what` it did

  // The session's (stream_end.cc)
  void look();  // watched: has its end gone out?
  void end_run();
  // The client's connection ends, or this stream was left out of it: told now.
  void over(trace::Ending ending);
  // By GOAWAY, which is all that the client hears.
  void left_out(trace::Exchange::Aborted by, std::uint32_t code);
  void client_left();  // its connection has ended

  std::uint32_t id() const { return id_; }
  std::uint32_t service_id = 0;  // the service side's own name for it; 0: it knows nothing of it
  trace::Exchange& exchange() { return fate_.record.exchange(); }
  bool open() const { return fate_.record.decided() && told_ == 0; }
  bool held() const { return state_ == State::held || state_ == State::delayed; }
  bool awaited() const { return open() && state_ != State::held && !(timer_ && timer_->in_client_time()); }
  Nanos held_since() const { return state_ == State::held ? untouched_ : 0; }
  // What is done to it goes on when the service's connection has ended.
  bool outlives() const;
  bool dead() const { return state_ == State::dead; }
  std::size_t waiting() const { return to_service_.bytes.size(); }

 private:
  void move(Event event);
  Nanos now() const;
  bool takes_request() const;
  void begin_rpc(const H1Head& head);
  void request_passes(const H2Head& head, bool end);
  void release();
  void request_end();
  void taken_as_read();
  void left_by_client(std::uint32_t code);
  void pass_to_service(std::string_view bytes);
  void drain_to_service();

  void tunnel();
  void tunnel_ends();
  void rest_unwanted(std::uint32_t code);
  void withhold(std::string_view bytes);
  void endless();
  bool replay();
  void response_end(const H1Head* trailers);  // null: it has none
  void response_over();
  void send_head(const H1Head& head, bool end);
  void send_text(bool end);
  void pass_to_client(std::string_view bytes);
  void drain_to_client();
  void end_to_client();

  void edit_head(const H1Head& head, bool end);
  void edit_body(std::string_view bytes, bool last);
  void edited(const Edit::Did& did, std::string_view out);
  void drip();

  void carry_out(Act act);
  void strike(Act act);
  void struck();
  void answer();
  void abort(std::uint32_t code);
  void abort_service(std::uint32_t code);
  void forgotten();  // the service side need not know of it any more
  void record_over(trace::Ending ending, Nanos told);
  void wake_after(Nanos time, void (Stream::*call)(), Time whose = Time::client);
  void gone();

  H2Session& session_;
  Fate fate_;
  BodyTap request_tap_{true};
  BodyTap response_tap_{false};
  Rpc rpc_;
  Pending to_service_, to_client_;
  KeptHead kept_request_;  // of a request that waits
  std::string text_;       // a response's head as a fault's edit has it, not sent yet; "": it was
  std::string kept_;       // of a response that is withheld, as long as it may pass after all
  std::unique_ptr<Timer> timer_;
  std::uint32_t id_ = 0;
  State state_ = State::dead;
  Act strike_ = Act::pass;

  bool grpc_ = false;
  bool request_goes_ = true;     // to the service
  bool response_goes_ = true;    // to the client
  bool request_whole_ = false;   // its end was read
  bool response_whole_ = false;  // the service's
  bool head_alone_ = false;      // it is nothing but a head
  bool head_sent_ = false;       // the final one, to the client
  bool connect_ = false;
  bool passes_ = false;  // a tunnel: the exchange is over, bytes pass
  bool drips_ = false;   // the edit keeps bytes back, and a timer runs
  bool drips_end_ = false;
  bool paced_ = false;
  bool kept_whole_ = false;      // kept_ holds all that was withheld
  std::uint32_t rest_code_ = 0;  // why the rest of a request that was answered is not wanted
  Nanos told_ = 0;
  Nanos client_left_ = 0;
  Nanos untouched_ = 0;
};

}  // namespace retrial::proxy
