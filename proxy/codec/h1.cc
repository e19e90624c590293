#include "proxy/codec/h1.h"

#include <llhttp.h>

#include <charconv>

#include "proxy/codec/h1_facts.h"

namespace retrial::proxy {

// llhttp stops (HPE_PAUSED) after a head and after a message: only so is it known at which byte they end.
struct H1Codec::Parser {
  llhttp_t http;
  H1Codec* codec;
  const char* piece = nullptr;  // the bytes that are being parsed
  std::size_t before = 0;       // bytes of this head in earlier pieces
  std::uint32_t url = 0, url_end = 0;
  bool in_field = false;
  bool value_begun = false;
  bool head_done = false;
  bool message_done = false;
  bool folded = false;
  bool trails = false;   // the trailer that is being read is passed on
  std::string trailers;  // that are passed on, as they are written
  std::string trailer;   // the name of the one that is being read

  static Parser& of(llhttp_t* http) { return *static_cast<Parser*>(http->data); }
  std::uint32_t offset(const char* at) const {
    return static_cast<std::uint32_t>(before + static_cast<std::size_t>(at - piece));
  }

  static int on_url(llhttp_t* http, const char* at, std::size_t size) {
    auto& p = of(http);
    if (p.url_end == 0) p.url = p.offset(at);
    p.url_end = p.offset(at + size);
    return 0;
  }
  static int on_name(llhttp_t* http, const char* at, std::size_t size) {
    auto& p = of(http);
    if (p.head_done) {
      p.trailer.append(at, size);
      return 0;
    }
    auto& fields = p.codec->fields_;
    if (!p.in_field) {
      if (fields.size() >= p.codec->limits_.fields) return HPE_USER;
      fields.push_back({p.offset(at), 0, 0, 0});
      p.in_field = true;
      p.value_begun = false;
    }
    fields.back().name_end = p.offset(at + size);
    return 0;
  }
  static int on_value(llhttp_t* http, const char* at, std::size_t size) {
    auto& p = of(http);
    if (p.head_done) {
      if (!p.value_begun) {
        p.value_begun = true;
        p.trails = may_trail(p.trailer);
        if (p.trails) p.trailers.append(p.trailer).append(": ");
      }
      if (p.trails) p.trailers.append(at, size);
      return 0;
    }
    auto& field = p.codec->fields_.back();
    if (!p.value_begun)
      field.value = p.offset(at);
    else if (p.offset(at) != field.value_end)
      p.folded = true;
    p.value_begun = true;
    field.value_end = p.offset(at + size);
    return 0;
  }
  static int on_value_complete(llhttp_t* http) {
    auto& p = of(http);
    if (p.head_done) {
      if (p.trails) p.trailers.append("\r\n");
      p.trailer.clear();
      p.value_begun = p.trails = false;
    }
    p.in_field = false;
    return 0;
  }
  static int on_head(llhttp_t* http) {
    of(http).head_done = true;
    http->upgrade = 0;  // whether it is one, the answer decides; until then it is a message like any other
    auto status = http->status_code;
    if (http->type == HTTP_RESPONSE &&
        (of(http).codec->answers_head_ || status / 100 == 1 || status == 204 || status == 304))
      http->flags |= F_SKIPBODY;
    return HPE_PAUSED;
  }
  static int on_body(llhttp_t* http, const char* at, std::size_t size) {
    auto& codec = *of(http).codec;
    codec.tap_.take({at, size});
    if (codec.framing_ == Framing::as_sent) return 0;
    if (codec.framing_ == Framing::chunked) {
      char length[20];
      auto end = std::to_chars(length, length + sizeof length, size, 16).ptr;
      codec.framed_.append(length, end).append("\r\n").append(at, size).append("\r\n");
    } else {
      codec.framed_.append(at, size);
    }
    return 0;
  }
  static int on_message(llhttp_t* http) {
    auto& p = of(http);
    p.message_done = true;
    if (p.codec->framing_ == Framing::chunked) p.codec->framed_.append("0\r\n").append(p.trailers).append("\r\n");
    return HPE_PAUSED;
  }
  static const llhttp_settings_t* settings() {
    static const llhttp_settings_t kSettings = [] {
      llhttp_settings_t s;
      llhttp_settings_init(&s);
      s.on_url = on_url;
      s.on_header_field = on_name;
      s.on_header_value = on_value;
      s.on_header_value_complete = on_value_complete;
      s.on_headers_complete = on_head;
      s.on_body = on_body;
      s.on_message_complete = on_message;
      return s;
    }();
    return &kSettings;
  }
  void begin(Side side) {
    llhttp_init(&http, side == Side::request ? HTTP_REQUEST : HTTP_RESPONSE, settings());
    http.data = this;
    url = url_end = 0;
    in_field = value_begun = head_done = message_done = folded = trails = false;
    trailers.clear();
    trailer.clear();
  }
  llhttp_errno_t run(std::string_view bytes) {
    piece = bytes.data();
    return llhttp_execute(&http, bytes.data(), bytes.size());
  }
  std::size_t stopped_at() const { return static_cast<std::size_t>(http.error_pos - piece); }
};

std::string_view H1Head::line(std::size_t n) const {
  std::size_t end = raw.size() - (raw.ends_with("\r\n") ? 2 : 1);
  if (n + 1 < fields.size()) end = fields[n + 1].name;
  return raw.substr(fields[n].name, end - fields[n].name);
}

H1Codec::H1Codec(Side side, BodyTap& tap, Limits limits)
    : side_(side), tap_(tap), limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->codec = this;
}
H1Codec::~H1Codec() = default;

void H1Codec::restart() {
  fresh_ = true;
  body_ = false;
}

H1Codec::Taken H1Codec::refuse(Refusal why) {
  refusal_ = why;
  return {Step::refused, 0};
}

H1Codec::Taken H1Codec::take(std::string_view bytes) {
  if (in_head()) return take_head(bytes);
  framed_.clear();
  auto error = parser_->run(bytes);
  if (error == HPE_OK) return {Step::body, bytes.size()};
  if (!parser_->message_done) return refuse(Refusal::unreadable);
  body_ = false;
  fresh_ = true;
  return {Step::end, parser_->stopped_at()};
}

// llhttp knows a list of methods, and any token is one (RFC 9110 9.1). So it is read here, and llhttp is given one that
// it knows in its place. Empty lines may come before it (RFC 9112 2.2).
std::size_t H1Codec::take_method(std::string_view bytes) {
  static constexpr std::string_view kToken =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t kLongest = 64;
  std::size_t at = 0;
  if (raw_.size() == method_) {
    while (at < bytes.size() && (bytes[at] == '\r' || bytes[at] == '\n')) at++;
    method_ += at;
  }
  auto end = bytes.find(' ', at);
  auto piece = bytes.substr(at, end - at);
  auto before = raw_.size() > method_ ? raw_.size() - method_ : 0;
  bool good = before + piece.size() <= kLongest && piece.find_first_not_of(kToken) == piece.npos;
  if (end != bytes.npos && before + piece.size() == 0) good = false;
  if (!good) return bytes.npos;
  if (end == bytes.npos) return bytes.size();
  method_end_ = raw_.size() + end;
  return end + 1;
}

// HTTP/0.9 and RTSP pass llhttp, but are no HTTP/1.
bool H1Codec::reads_http1(std::string_view bytes) const {
  if (parser_->http.http_major != 1) return false;
  if (side_ == Side::response) return true;
  static constexpr std::string_view kVersion = " HTTP/1";
  for (std::size_t i = 0; i < kVersion.size(); i++) {
    auto n = parser_->url_end + i;
    auto in_bytes = n - raw_.size();
    if (n >= raw_.size() && in_bytes >= bytes.size()) return false;
    if ((n < raw_.size() ? raw_[n] : bytes[in_bytes]) != kVersion[i]) return false;
  }
  return true;
}

H1Codec::Taken H1Codec::take_head(std::string_view bytes) {
  static constexpr std::string_view kConnect = "CONNECT ", kOther = "POST ";
  if (fresh_) {
    parser_->begin(side_);
    raw_.clear();
    fields_.clear();
    method_ = method_end_ = 0;
    framing_ = Framing::as_sent;
    fresh_ = false;
  }
  std::size_t read = 0;
  if (side_ == Side::request && method_end_ == 0) {
    read = take_method(bytes);
    if (read == bytes.npos) return refuse(Refusal::unreadable);
    if (method_end_ == 0) {
      raw_.append(bytes);
      return raw_.size() > limits_.head ? refuse(Refusal::head_too_large) : Taken{Step::more, bytes.size()};
    }
    auto length = method_end_ - method_;
    auto at = [&](std::size_t n) { return n < raw_.size() ? raw_[n] : bytes[n - raw_.size()]; };
    bool connect = length == kConnect.size() - 1;
    for (std::size_t i = 0; connect && i < length; i++) connect = at(method_ + i) == kConnect[i];
    parser_->run(connect ? kConnect : kOther);
  }
  parser_->before = raw_.size() + read;
  auto error = parser_->run(bytes.substr(read));
  bool whole = error == HPE_PAUSED && parser_->head_done;
  if (error == HPE_USER) return refuse(Refusal::head_too_large);
  if (!whole && error != HPE_OK) return refuse(Refusal::unreadable);
  auto size = whole ? read + parser_->stopped_at() : bytes.size();
  if (raw_.size() + size > limits_.head) return refuse(Refusal::head_too_large);
  if (whole && !reads_http1(bytes)) return refuse(Refusal::unreadable);
  raw_.append(bytes.substr(0, size));
  if (!whole) return {Step::more, size};
  finish_head();
  return {Step::head, size};
}

void H1Codec::finish_head() {
  auto& http = parser_->http;
  for (auto& f : fields_)
    while (f.value_end > f.value && (raw_[f.value_end - 1] == ' ' || raw_[f.value_end - 1] == '\t')) f.value_end--;
  head_ = {};
  head_.raw = raw_;
  head_.fields = fields_;
  head_.minor = http.http_minor;
  head_.keep_alive = llhttp_should_keep_alive(&http);
  if (side_ == Side::request) {
    head_.method = head_.raw.substr(method_, method_end_ - method_);
    head_.target = head_.raw.substr(parser_->url, parser_->url_end - parser_->url);
  } else {
    head_.status = http.status_code;
    head_.until_close = llhttp_message_needs_eof(&http);
  }
  head_.sized = (http.flags & F_CONTENT_LENGTH) != 0;
  head_.chunked = (http.flags & F_CHUNKED) != 0;
  head_.folded = parser_->folded;
  head_.length = head_.sized ? http.content_length : 0;
  find_facts(head_, side_ == Side::request);
  tap_.reset();
  llhttp_resume(&http);
  parser_->run("");
  head_.bodiless = parser_->message_done;
  body_ = !head_.bodiless;
  fresh_ = head_.bodiless;
}

}  // namespace retrial::proxy
