#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "proxy/codec/h1.h"
#include "proxy/codec/websocket.h"
#include "proxy/exchange/fate.h"
#include "proxy/exchange/house.h"
#include "proxy/exchange/rpc.h"
#include "proxy/exchange/states.h"
#include "proxy/net/socket.h"

namespace retrial::proxy {

// What a session begins with.
struct Ends {
  std::unique_ptr<Socket> client;
  std::unique_ptr<Socket> service;  // null: dialled when there is a request for it
  ServicePool* pool = nullptr;      // where it is dialled; null: the request says where to, or it is dialled already
  std::shared_ptr<const Entrance> entrance;  // null: captured
  std::string service_name;                  // as the trace has it
  std::string distrust;                      // Distrust::pair of a TLS client
  std::uint64_t connection = 0;
  pid_t pid = 0;
};

// A client connection, a service connection, and the exchange that is under way between them (states.h). Pristine, what
// no fault touches passes byte by byte as it was sent, and so do FIN and RST.
class Session final : public Conversation, private SocketEvents {
 public:
  Session(House& house, Ends ends, bool tunnel);
  ~Session() override;

  void start() override;
  void end_run() override;
  void check(Nanos now) override;
  void drain() override;
  std::size_t open() const override { return fate_.record.begun() && !answered_whole(); }
  std::size_t held() const override { return state_ == State::held || state_ == State::delayed; }
  std::size_t awaited() const override;
  Nanos held_since() const override { return state_ == State::held ? untouched_ : 0; }

 private:
  void ready(Socket& socket) override;
  void settle();
  bool nothing_comes() const;
  void move(Event event) {
    auto to = next(state_, event);
    if (to == State::dead && event != Event::gone && alive()) return die(true);
    state_ = to;
  }
  bool alive() const { return state_ != State::dead; }
  bool answered_whole() const { return told_ != 0 && state_ == State::request_rest; }
  bool pristine() const { return house_.options.pristine; }
  bool pooled() const { return house_.options.pooled && pool_; }
  // What is not readable is answered, not passed on.
  bool refuses() const { return entrance_ && !house_.options.tunnel_unreadable; }

  // The client's side (from_client.cc)
  bool client_room() const;
  bool takes_requests() const;
  void read_client();
  void client_bytes(std::string_view bytes);
  std::size_t parse(std::string_view bytes, Nanos came);
  void unreadable(std::string_view bytes);
  void request_head(std::string_view rest);
  void begin_rpc();
  void request_passes();
  void forward_head();
  void delay();
  void request_body(std::string_view wire);
  void request_end();
  void client_fin();
  void client_rst();
  void left_unasked();

  // Whether and where a request goes (destination.cc)
  bool acceptable(const H1Head& head);
  bool destined(const H1Head& head, std::string_view rest);
  void tunnel_to(const H1Head& head, std::string_view rest);
  bool reach();
  bool undisturbed();
  bool connect();
  void resolve();
  bool dialled(const Result<Address>& address);
  void unreachable(const std::string& why);
  void unanswered(const std::string& what);
  void refuse(int status, std::string_view why);
  void release();

  // The service's side (from_service.cc)
  bool service_room() const;
  void read_service();
  void service_bytes(std::string_view bytes);
  void response_head(std::string_view& rest);
  void interim(const H1Head& head);
  void forward_response(const H1Head& head);
  void response_body(std::string_view wire);
  void response_end();
  void response_over();
  void bad_response(std::string_view bytes);
  void service_fin();
  void service_rst();
  void broken_off(trace::Ending ending);

  // What a fault makes of the response (editing.cc)
  void edit_head(std::string& head, bool bodiless);
  void edit_body(std::string_view wire, bool last);
  void edited(const Edit::Did& did, std::string_view out);
  void drip();

  // What a fault does to the wire, and how an exchange and a connection end (ending.cc)
  void carry_out(Act act);
  void answer();
  void told();
  void begin_fault();
  void pace();
  void strike(Act act);
  void struck();
  void leave();
  void over(trace::Ending ending, Nanos told);
  void opaque(std::string_view client_rest, std::string_view service_rest);
  void wake_after(Nanos time, std::function<void()> call, Time whose = Time::client);
  void die(bool reset_service);
  void to_service(std::string_view bytes) {
    asked_ = true;
    if (service_) service_->write(bytes);
  }
  std::size_t to_service() const { return service_ ? service_->queued() : 0; }  // bytes that wait

  House& house_;
  std::shared_ptr<const Entrance> entrance_;
  std::unique_ptr<Socket> client_;
  std::unique_ptr<Socket> service_;
  ServicePool* pool_;
  BodyTap request_tap_{true};
  BodyTap response_tap_{false};
  H1Codec request_;
  H1Codec response_;
  Fate fate_;
  std::unique_ptr<Rpc> rpc_;  // gRPC-Web; null: none has come yet
  std::string distrust_;      // Distrust::pair of a client that has not said anything yet
  std::string pending_;       // from the client, not yet read as a request
  Nanos pending_came_ = 0;    // its first byte
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<Resolver::Query> query_;
  std::unique_ptr<FrameCounter> frames_[2];  // of a WebSocket: the client's, the service's
  State state_ = State::idle;
  bool tunnels_;        // from the first byte on
  bool asked_ = false;  // the last word was the client's

  // of the exchange under way
  bool request_goes_ = true;   // to the service
  bool response_goes_ = true;  // to the client
  bool connect_ = false;
  bool is_rpc_ = false;
  bool leaves_ = false;     // the client's connection ends with this answer
  bool ours_ = false;       // the answer is our own
  bool paced_ = false;      // both sockets
  bool drips_ = false;      // the edit keeps bytes back, and a timer runs
  bool drips_end_ = false;  // the last of them are the response's end
  Act strike_ = Act::pass;
  Nanos response_began_ = 0;
  Nanos told_ = 0;

  Nanos now_ = 0;          // of the event that is being handled
  Nanos since_ = 0;        // since when the state is as it is, where time-outs ask for it
  Nanos client_left_ = 0;  // when its FIN or RST was read; 0: it is there
  Nanos untouched_ = 0;    // since when the client has done nothing to the exchange that is held
};

}  // namespace retrial::proxy
