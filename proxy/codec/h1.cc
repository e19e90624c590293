#include "proxy/codec/h1.h"

#include <llhttp.h>

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
    if (p.head_done) return 0;  // a trailer
    auto& fields = p.codec->fields_;
    if (!p.in_field) {
      fields.push_back({p.offset(at), 0, 0, 0});
      p.in_field = true;
      p.value_begun = false;
    }
    fields.back().name_end = p.offset(at + size);
    return 0;
  }
  static int on_value(llhttp_t* http, const char* at, std::size_t size) {
    auto& p = of(http);
    if (p.head_done) return 0;
    auto& field = p.codec->fields_.back();
    if (!p.value_begun) field.value = p.offset(at);
    p.value_begun = true;
    field.value_end = p.offset(at + size);
    return 0;
  }
  static int on_value_complete(llhttp_t* http) {
    of(http).in_field = false;
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
    of(http).codec->tap_.take({at, size});
    return 0;
  }
  static int on_message(llhttp_t* http) {
    of(http).message_done = true;
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
    in_field = value_begun = head_done = message_done = false;
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

H1Codec::H1Codec(Side side, BodyTap& tap, std::size_t head_limit)
    : side_(side), tap_(tap), head_limit_(head_limit), parser_(std::make_unique<Parser>()) {
  parser_->codec = this;
}
H1Codec::~H1Codec() = default;

H1Codec::Taken H1Codec::take(std::string_view bytes) {
  if (in_head()) return take_head(bytes);
  auto error = parser_->run(bytes);
  if (error == HPE_OK) return {Step::body, bytes.size()};
  if (!parser_->message_done) return {Step::refused, 0};
  body_ = false;
  fresh_ = true;
  return {Step::end, parser_->stopped_at()};
}

H1Codec::Taken H1Codec::take_head(std::string_view bytes) {
  if (fresh_) {
    parser_->begin(side_);
    raw_.clear();
    fields_.clear();
    fresh_ = false;
  }
  parser_->before = raw_.size();
  auto error = parser_->run(bytes);
  bool whole = error == HPE_PAUSED && parser_->head_done;
  if (!whole && error != HPE_OK) return {Step::refused, 0};
  auto size = whole ? parser_->stopped_at() : bytes.size();
  if (raw_.size() + size > head_limit_) return {Step::refused, 0};
  if (!whole) {
    raw_.append(bytes);
    return {Step::more, size};
  }
  // HTTP/0.9, RTSP and the HTTP/2 preface pass llhttp, but are no HTTP/1.
  bool ours = parser_->http.http_major == 1 && parser_->http.method != HTTP_PRI;
  if (ours && side_ == Side::request) {
    char version[7] = {};
    auto end = parser_->url_end;
    auto at = [&](std::size_t n) { return n < raw_.size() ? raw_[n] : bytes[n - raw_.size()]; };
    if (end + sizeof version > raw_.size() + size) return {Step::refused, 0};
    for (std::size_t i = 0; i < sizeof version; i++) version[i] = at(end + i);
    ours = std::string_view(version, sizeof version) == " HTTP/1";
  }
  if (!ours) return {Step::refused, 0};
  raw_.append(bytes.substr(0, size));
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
    auto method = head_.raw.find_first_not_of("\r\n");
    head_.method = head_.raw.substr(method, head_.raw.find(' ', method) - method);
    head_.target = head_.raw.substr(parser_->url, parser_->url_end - parser_->url);
  } else {
    head_.status = http.status_code;
    head_.until_close = llhttp_message_needs_eof(&http);
  }
  head_.sized = (http.flags & F_CONTENT_LENGTH) != 0;
  tap_.reset();
  llhttp_resume(&http);
  parser_->run("");
  head_.bodiless = parser_->message_done;
  body_ = !head_.bodiless;
  fresh_ = head_.bodiless;
}

}  // namespace retrial::proxy
