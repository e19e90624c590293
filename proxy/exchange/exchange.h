#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/codec/h2_error.h"
#include "proxy/codec/tap.h"
#include "proxy/exchange/flow.h"
#include "proxy/exchange/injection.h"
#include "proxy/exchange/requester.h"
#include "proxy/exchange/rpc.h"
#include "proxy/exchange/sides.h"
#include "proxy/exchange/standstill.h"
#include "proxy/exchange/states.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

// An answer of unknown length that has not ended so long after its head is one without an end: an event stream, a
// watch. So is a request that is to be read whole before something is done to it.
inline constexpr Nanos kEndless = kSecond;
// A client that sends its FIN in the middle of a response, and that response stands still for so long: it has hung up.
inline constexpr Nanos kHungUp = kSecond;

// One exchange between a client's side and a service's side, whatever HTTP each of them speaks (states.h has its
// table); the same object is used for one after another. It owns all that it keeps beyond the call in which it came.
//
// How an exchange ends (sides.h has the words by which a side is broken off):
//   answered     trace::Ending::answered     the client has all of an answer, the service's or ours
//   broken off   reset, closed               a fault's sign, or the service's own: once what went before has gone out
//   left         client_left                 the client did not wait for it
//   cut          reset, closed               its client connection ended by what was done to another exchange
//   unfinished   open                        the run ended first
// A client that has sent its FIN (HTTP/1) has closed half of its connection, or all of it: only what is sent to it
// after that tells, which the kernel of one that is gone answers with an RST. Until then it is told everything as if it
// were there, but silence, which ends; and what breaks it off is recorded as client_left.
class Exchange {
 public:
  Exchange(Context& context, ClientSide& client, const Requester& requester, bool on_streams);
  ~Exchange();

  // --- told by the client's side (request.cc)
  void begin(Nanos came, bool fresh, std::uint32_t stream);  // the first byte of a request
  void forget();                                             // that never became one
  // `invited`: it does not wait for 100 (Continue). What follows is told at once.
  void request(const Head& head, bool invited, Services& services);
  void refuse(const Head& head, int status, std::string_view why);  // one that gets no further than us
  void request_data(const Body& body, bool end);
  void request_trailers(const Head& trailers, const Body& last);
  // What needs no more looking at of a body: where its bytes may be moved to, and that so many were.
  Socket* request_moves_to() const;
  void request_moved(std::size_t bytes, bool end);
  void body_is_unreadable() { beginning_read(); }  // from here on: no more of it is waited for
  void request_is_unreadable();                    // likewise, and what is done to it is done now
  void client_room();
  bool drained();       // as ClientSide::when_drained promised; false: something is left, to be asked again
  void client_stirs();  // it does something, and waits no more in silence
  // FIN on HTTP/1: it says no more, and may hear the answer. True: the exchange is over.
  bool client_finished(bool told_to_service);
  // It is gone: its connection, or (`code`) its stream. True: the exchange is over; else what is withheld from it is
  // read to its end.
  bool client_left(std::optional<std::uint32_t> code);
  // With its connection; `how`: what becomes of the service's. Or it was left out of that (GOAWAY).
  void pour() { request_.pour(), response_.pour(); }  // what waits goes on now: a tunnel follows
  void cut(trace::Ending ending, const Break& how = {Break::How::close, code_of(H2Error::cancel)});
  void shed(std::uint32_t code);  // cut by us, for want of room: recorded as such
  void left_out(trace::Exchange::Aborted by, std::uint32_t code);
  void refuse_rest(int status, std::string_view why);  // what follows of the request cannot be taken

  // --- told by the service's side (response.cc)
  void reached(ServiceSide& service);
  // `status`: 502; 504: not in time; 403: it may not be.
  void unreached(const std::string& why, int status = 502) { unanswered("could not be reached: " + why, status); }
  void response(const Head& head, bool end, Nanos came);  // `came`: its first byte
  void response_data(const Body& body, bool end);
  void response_trailers(const Head& trailers, const Body& last);
  Socket* response_moves_to() const;
  void response_moved(std::size_t bytes, bool end);
  bool unreadable_response(std::string_view why);  // from here on. True: it passes as it is, in a tunnel
  void is_unread();                                // what follows passes as it is
  // A response that ends with its connection, and that has ended without saying so: it is complete only where TLS was
  // closed by close_notify (RFC 9112 9.8).
  void response_is_cut();
  // May it be sent over a connection that waited? If that has ended before, it is sent once more: so it must be
  // repeatable (RFC 9110 9.2.2) and kept, and nothing be done to it.
  bool may_be_sent_again() const { return repeatable_; }
  bool request_has_gone() const { return request_.ended(); }
  void service_room() { request_.drain(); }
  // By the service, before its response was whole, or after. `did`: what it did, where `how` alone does not tell it.
  void broken_off(Break how, std::string_view did = {});
  void unanswered(const std::string& what, int status = 502);  // there is no answer of the service's, by `what` it did
  void end_run();

  bool idle() const { return state_ == State::idle; }
  bool takes_request() const;  // bytes of it are wanted, or of the next
  bool begun() const { return injection_.record.begun(); }
  bool decided() const { return injection_.record.decided(); }
  bool open() const { return begun() && told_ == 0; }
  bool held() const { return state_ == State::held || state_ == State::delayed; }
  bool awaited() const;
  bool streams() const { return awaited() && streams_ && answering(); }
  bool answering() const { return state_ == State::early || state_ == State::response_body; }
  bool tells_nothing_more() const;  // it is held, or its last words are on their way
  bool outlives_service() const;    // it goes on, whatever has become of the service's connection
  bool hears_nothing() const { return state_ == State::held || state_ == State::striking; }
  bool request_goes() const { return request_goes_; }
  bool request_is_whole() const { return request_whole_; }
  bool response_is_whole() const { return response_whole_; }
  bool response_goes() const { return response_goes_; }
  // Something waits for one side, and nothing of it has gone on for Options::idle_timeout. `beside`: bytes that wait
  // for that side elsewhere. Asked from time to time.
  bool stuck(Nanos now, std::size_t beside);
  // Its client has sent its FIN, and half of a connection may be closed; but nothing has come from the service since:
  // for kHungUp where the client had a part of the response, else for Options::idle_timeout. Asked from time to time.
  bool abandoned(Nanos now);
  // Its request has stood still in the middle for Options::body_timeout, and nobody but the client can go on. Asked
  // from time to time.
  bool starves(Nanos now);
  bool has_told() const { return told_ != 0; }
  bool head_sent() const { return head_sent_; }
  Nanos held_since() const { return state_ == State::held ? untouched_ : 0; }
  State state() const { return state_; }
  std::size_t waiting() const { return request_.waiting() + response_.waiting(); }
  std::size_t holds() const;  // bytes of memory, about
  ClientSide& client() { return client_; }
  const ServiceSide* service() const { return service_; }
  trace::Exchange& record() { return injection_.record.exchange(); }
  const trace::Exchange& record() const { return injection_.record.exchange(); }
  Record& records() { return injection_.record; }

 private:
  void move(Event event);
  // The request (request.cc)
  void begin_bodies(const Head& head);
  void decide(const Head& head);
  void beginning_read();
  void given_up_unread();
  void spare_the_service(std::string_view why);
  void pass(const Head& head);
  void send(const Head& head);
  void keep(const Head& head);
  void keep(std::string_view content);
  bool sends_again(const Break& how);
  void release();
  void request_read();
  bool undisturbed();
  // The response (response.cc)
  void interim(const Head& head);
  void tunnel();
  void tunnel_ended();
  void drip(bool bodiless);
  void withhold(const Body& body);
  void response_is_endless();
  void pass_what_failed();
  void response_read(bool edited);
  void response_over();
  void tell_behind();
  void edit_head(const Head& head, bool end);
  void edit_body(const Body& body, bool last);
  void edited(const Edit::Did& did);
  void more_of_edit();
  // What a fault does, and the end (ending.cc)
  void carry_out(Act act);
  void act_upon(Act act);
  void answer();
  void told();
  void strike(std::optional<Break> sign);
  void struck();
  void fall_silent();
  std::uint64_t told_so_far() const { return head_sent_ ? response_.passed() + 1 : 0; }
  bool client_listens() const;  // as far as can be told
  void unwanted_rest(std::uint32_t code);
  void release_service(const Break& how = {Break::How::close, code_of(H2Error::cancel)});
  void over(trace::Ending ending, Nanos told);
  void wake_after(Nanos time, void (Exchange::*call)(), Time whose);

  Context& context_;
  ClientSide& client_;
  const Requester& requester_;
  Injection injection_;
  Services* services_ = nullptr;
  ServiceSide* service_ = nullptr;
  Flow request_, response_;
  BodyTap request_tap_{true}, response_tap_{false};
  Rpc rpc_;
  std::unique_ptr<KeptHead> kept_head_;  // of a request that waits, or of a response that is withheld
  // Of a request that was sent over a connection that waited (keeps_): its head, where the client's side has it no
  // more, and
  KeptHead sent_head_;
  std::string sent_body_;                // as much of its body
  std::string trailers_;                 // of the response, lines
  std::optional<std::string> withheld_;  // the body of a response that may pass after all
  std::string made_;                     // what an edit makes of a stretch
  std::string behind_;                   // what it says behind the response
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<Timer> body_timer_;  // in `reading`
  State state_ = State::idle;
  std::optional<Break> sign_;    // what follows in `striking`; none: silence
  std::uint32_t rest_code_ = 0;  // why the rest of a request that was answered is not wanted
  bool keeps_ = false;
  bool repeatable_ = false;      // may_be_sent_again()
  bool request_goes_ = true;     // to the service
  bool response_goes_ = true;    // to the client
  bool streams_ = false;         // its length is not told beforehand
  bool request_whole_ = false;   // its end was read
  bool response_whole_ = false;  // the service's
  Nanos client_left_ = 0;        // it is gone, since then
  bool head_sent_ = false;       // the final one, to the client
  bool edit_pauses_ = false;     // the edit keeps bytes back, and a timer runs
  Standstill standstill_, silence_, hunger_;
  Nanos told_ = 0;
  Nanos client_ended_ = 0;          // since when it is gone, or (HTTP/1) has sent its FIN
  std::uint64_t told_by_then_ = 0;  // to the client, before its FIN
  Nanos untouched_ = 0;             // since when the client has done nothing to an exchange that is held
};

}  // namespace retrial::proxy
