// An exchange's service side: the response on its way, and what a fault's edit makes of it.
#include <fmt/format.h>

#include "proxy/codec/intermediary.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/context.h"
#include "proxy/exchange/exchange.h"
#include "trace/calls/content.h"
#include "trace/look.h"

namespace retrial::proxy {
namespace {
// So much of a response that is withheld is kept: enough for the answer of a call that turns out to have failed.
constexpr std::size_t kMostWithheld = 256u << 10;

// For a client that cannot be told of it in its own HTTP.
std::string in_place_of_an_answer(const Break& how) {
  switch (how.how) {
    case Break::How::close:
      return "closed the connection without an answer";
    case Break::How::reset:
      return "reset the connection without an answer";
    case Break::How::abort:
    case Break::How::goaway:
      break;
  }
  return fmt::format("reset the request's stream without an answer: {}", show_h2_error(how.code));
}
}  // namespace

// A service may say as many as it likes: those that a client does not read are left out.
void Exchange::interim(const Head& head) {
  if (head.status == 100) injection_.invited = true;
  if (response_goes_ && !tells_nothing_more() && !client_.heads_pile_up()) client_.interim(head);
}

void Exchange::response(const Head& head, bool end, Nanos came) {
  if (std::exchange(keeps_, false)) std::string().swap(sent_body_);
  bool opens = head.status == 101 || (head.status / 100 == 2 && record().method == "CONNECT");
  if (head.status < 200 && !opens) return interim(head);
  if (state_ != State::request_body && state_ != State::waiting) return;
  auto& e = record();
  response_whole_ = end;
  streams_ = !head.sized && !end;
  response_.begin(service_, client_.form(head));
  auto most = trace::is_look(e) ? trace::kLookBytes : head.structured ? trace::kSampleBytes : trace::kUnreadSample;
  if (!rpc_.is()) response_tap_.reset(end ? 0 : most);
  injection_.record.answer(head, came);
  if (rpc_.is() && !request_whole_) e.grpc.streams = true;
  if (rpc_.is() && end) rpc_.ended(&head, e);  // Trailers-Only, or no answer of gRPC
  context_.recorder.answer(e);
  auto act = opens ? Act::pass : injection_.ask(Step::response_head);
  if (act == Act::pass && injection_.fault && !e.fired) {
    auto why = opens ? std::string_view("the connection was upgraded")
                     : injection_.fault->spares(Step::response_head, injection_.scene());
    if (!why.empty()) injection_.spare(why);
  }
  move(Event::response_head);
  if (act == Act::drop) {
    response_goes_ = false;
    injection_.withheld = head.raw.size();
    kept_head_ = std::make_unique<KeptHead>(head);
    withheld_.emplace();
    if (end) return response_read(false);
    if (!head.sized) wake_after(kEndless, &Exchange::response_is_endless, Time::real);
    return;
  }
  e.client_status = e.service_status;
  drip(end);
  bool edits = injection_.edit && !opens;
  if (edits) {
    edit_head(head, end);
  } else {
    client_.head(head, end);
    head_sent_ = true;
    response_.open(client_, end);
  }
  if (opens) return tunnel();
  if (end && answering()) response_read(edits);
}

void Exchange::drip(bool bodiless) {
  if (!injection_.fault) return;
  auto drip = injection_.fault->drip(record().fault);
  if (drip.bytes == 0) return;
  if (client_.drip(drip, bodiless))
    injection_.fire(Act::pass);
  else
    injection_.spare("the response has no body");
}

// What goes on is another protocol's (RFC 9110 7.8, RFC 9113 8.5, RFC 8441): the exchange is over.
void Exchange::tunnel() {
  context_.counts.upgraded++;
  injection_.over(trace::Ending::answered, context_.now, request_tap_, response_tap_);
  move(Event::tunnel);
  client_.tunnel();
}

void Exchange::tunnel_ended() {
  if (!request_.ended() || !response_.ended()) return;
  over(trace::Ending::answered, told_);
  client_.over({});
}

void Exchange::response_data(const Body& body, bool end) {
  response_whole_ |= end;
  if (state_ == State::tunnel) {
    response_.take(body, end);
    return tunnel_ended();
  }
  if (!answering()) {
    if (service_ && state_ != State::held) service_->consumed(body.content.size());
    return;
  }
  record().response_bytes += body.size();
  response_tap_.take(body.content);
  if (!response_goes_)
    withhold(body);
  else if (injection_.edit)
    edit_body(body, false);
  else
    response_.take(body, end);
  if (end && answering()) response_read(false);
}

Socket* Exchange::response_moves_to() const {
  bool passes = answering() && response_goes_ && !injection_.fault && !injection_.edit;
  return passes && response_tap_.has_seen_enough() ? response_.moves_to() : nullptr;
}

void Exchange::response_moved(std::size_t bytes, bool end) {
  record().response_bytes += bytes;
  response_tap_.pass_by(bytes);
  response_.moved(bytes);
  if (end) response_data({}, true);
}

void Exchange::response_trailers(const Head& trailers, const Body& last) {
  response_whole_ = true;
  trailers_ = lines_of(trailers);
  if (state_ == State::tunnel) return response_.finish(last, trailers_);
  if (!answering()) return;
  injection_.record.trailers(trailers);
  record().response_bytes += last.wire.size();
  if (response_goes_ && !injection_.edit) response_.finish(last, trailers_);
  if (rpc_.is()) rpc_.ended(&trailers, record());
  response_read(false);
}

void Exchange::withhold(const Body& body) {
  service_->consumed(body.content.size());
  injection_.withheld += body.size();
  if (withheld_ && withheld_->size() + body.content.size() <= kMostWithheld)
    withheld_->append(body.content);
  else
    withheld_.reset();
}

void Exchange::response_is_endless() {
  if (response_whole_ || !answering()) return;
  injection_.endless = true;
  carry_out(injection_.ask(Step::response_end));
}

// A call that the service has answered with an error only in its end: nothing was executed whose answer could be lost.
// What was withheld passes after all.
void Exchange::pass_what_failed() {
  if (response_goes_ || !rpc_.is() || record().service_status < 400 || !withheld_ || client_left_ != 0) return;
  injection_.spare("the service's own answer is an error, and passed untouched");
  response_goes_ = true;
  auto& head = kept_head_->head();
  bool end = withheld_->empty() && trailers_.empty();
  response_.stays_content();
  client_.head(head, end);
  head_sent_ = true;
  record().client_status = head.status;
  response_.open(client_, end);
  response_.put(*withheld_, false);
}

// All of it has come. `edited`: the edit was shown its end, too.
void Exchange::response_read(bool edited) {
  if (rpc_.is() && !rpc_.has_ended()) rpc_.ended(nullptr, record());
  injection_.record.response_end(response_tap_, context_.now);
  if (timer_ && !response_goes_) timer_->cancel();
  pass_what_failed();
  if (injection_.edit && response_goes_ && !edited) edit_body({}, true);
  if (answering() && !edit_pauses_) response_over();
}

// And nothing of it is kept back by an edit.
void Exchange::response_over() {
  auto act = injection_.ask(Step::response_end);
  if (act != Act::pass) return carry_out(act);
  auto& e = record();
  if (rpc_.is() && e.client_status < 400) e.client_status = e.service_status;
  response_.finish({}, trailers_);
  if (injection_.edit) behind_ = injection_.edit->after_end();
  tell_behind();
  move(Event::response_end);
  client_.when_drained();
}

void Exchange::client_room() {
  response_.drain();
  tell_behind();
}

void Exchange::tell_behind() {
  if (!behind_.empty() && response_.ended()) client_.text(std::exchange(behind_, {}));
}

bool Exchange::unreadable_response(std::string_view why) {
  if (!response_goes_) {
    carry_out(injection_.ask(Step::response_end));
  } else if (client_.passes_unread()) {
    is_unread();
    client_.tunnel();
    return true;
  } else if (head_sent_) {
    auto& e = record();
    auto what = fmt::format("sent what cannot be read as HTTP/1.1: {}", why);
    context_.say(e.service + " " + what);
    if (!injection_.fault && e.evidence.empty()) e.evidence = "the service " + what;
    release_service({Break::How::reset});
    broken_off({Break::How::reset});
  } else {
    unanswered(fmt::format("answered what cannot be read as HTTP/1.1: {}", why));
  }
  return false;
}

void Exchange::is_unread() { injection_.spare_unfired("this is no HTTP/1, and passed as it is"); }

void Exchange::response_is_cut() {
  constexpr std::string_view kWhy =
      "closed its connection without close_notify: where its response ends cannot be told";
  bool passes = !response_goes_ || client_.ends_cut();
  auto& e = record();
  if (!injection_.fault && e.evidence.empty()) e.evidence.assign("the service ").append(kWhy);
  if (passes) return response_data({}, true);
  context_.say(fmt::format("{} {} (close_notify = false of its [service.NAME] takes it for whole)", e.service, kWhy));
  broken_off({Break::How::abort, code_of(H2Error::internal_error)});
}

// --- what a fault makes of it

// The head and, where the response ends with it, that end: what an edit makes of both decides what can be sent as one.
void Exchange::edit_head(const Head& head, bool end) {
  auto& e = record();
  auto& edit = *injection_.edit;
  std::string text;
  client_.text_of(head, text);
  made_.clear();
  auto did = edit.head(text, e, end);
  if (did.fires) e.client_status = edit.status(e.service_status);
  Edit::Did last;
  bool goes_on = did.act == Act::pass && did.spares.empty();
  if (end && goes_on) last = edit.body({}, true, made_);
  response_.stays_content();
  head_sent_ = true;
  bool whole = end && (goes_on ? made_.empty() && last.act == Act::pass && !last.more : did.act == Act::pass);
  if (!did.cuts_head)
    client_.head(text, whole);
  else if (!client_.head_cut_short(text, end))
    e.client_status = 0;
  response_.open(client_, whole && !did.cuts_head);
  auto ending = std::exchange(made_, {});
  edited(did);
  if (!end || !goes_on) return;
  made_ = std::move(ending);
  edited(last);
}

void Exchange::edit_body(const Body& body, bool last) {
  made_.clear();
  response_.owe(body.content.size());
  edited(injection_.edit->body(body.content, last, made_));
}

void Exchange::edited(const Edit::Did& did) {
  auto* edit = injection_.edit.get();
  if (did.fires) injection_.fire(*edit);
  response_.keeps_beside(edit->held());
  response_.put(made_, false);
  if (!did.spares.empty()) {
    if (injection_.fault)
      injection_.spare(did.spares);
    else
      injection_.edit.reset();
    return;
  }
  if (did.act != Act::pass) return act_upon(did.act);
  if (did.more && !edit_pauses_) wake_after(record().fault.delay, &Exchange::more_of_edit, Time::client);
  if (!did.more && edit_pauses_) timer_->cancel();
  edit_pauses_ = did.more;
}

void Exchange::more_of_edit() {
  made_.clear();
  edit_pauses_ = false;
  edited(injection_.edit->more(made_));
  if (!edit_pauses_ && response_whole_ && answering()) response_over();
}

// --- the service goes before its time

void Exchange::broken_off(Break how, std::string_view did) {
  if (sends_again(how)) return;
  // A connection that was kept for this client may end before it is asked: that is no end of this one's response.
  bool asked =
      state_ != State::idle && state_ != State::request_head && state_ != State::reading && state_ != State::delayed;
  bool whole = asked && std::exchange(response_whole_, true);
  if (how.how == Break::How::close && client_.passes_unread()) {
    request_.pour();  // it has said all that it will, and may hear the rest
    if (state_ == State::request_rest && has_told()) return client_.tunnel();
  }
  release_service();
  switch (state_) {
    case State::idle:
    case State::request_head:
    case State::reading:
    case State::delayed:
    case State::telling:
    case State::striking:
    case State::held:
    case State::lost:
      return;
    case State::request_rest:
      return unwanted_rest(how.how == Break::How::abort ? how.code : code_of(H2Error::no_error));
    case State::tunnel:
      return strike(how);
    default:
      break;
  }
  if (whole) return unwanted_rest(how.code);                                  // an edit keeps its end back
  if (!response_goes_) return carry_out(injection_.ask(Step::response_end));  // the client never hears of it
  if (injection_.edit || (injection_.fault && injection_.fault->awaits_response()))
    injection_.spare_unfired("the service broke off before it had answered");
  if (!client_.can_tell(how)) {
    if (!head_sent_) return unanswered(did.empty() ? in_place_of_an_answer(how) : std::string(did));
    how = {Break::How::abort, code_of(H2Error::internal_error)};
  }
  how.by_service = true;
  strike(how);
}

void Exchange::unanswered(const std::string& what, int status) {
  if (told_ != 0 || tells_nothing_more()) return;
  auto& e = record();
  (status == 403 ? context_.counts.refused : context_.counts.unreachable)++;
  context_.say(fmt::format("{} {}", e.service, what));
  release_service({Break::How::reset, code_of(H2Error::cancel)});
  if (requester_.transparent()) return strike(Break{Break::How::reset});  // what it would have heard of its own connect
  if (injection_.fault && !e.fired)
    injection_.spare("the service " + what);
  else if (!e.fired)
    e.evidence = "the service " + what;
  if (head_sent_) return strike(Break{Break::How::abort, code_of(H2Error::cancel)});
  injection_.answer = own_answer(status, e.service + " " + what);
  answer();
}

}  // namespace retrial::proxy
