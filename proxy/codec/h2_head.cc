#include "proxy/codec/h2_head.h"

#include <cstring>

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

constexpr auto kHostBytes = [] {  // RFC 3986 3.2.2 and a port; no user
  std::array<bool, 256> ok{};
  for (unsigned char c :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%!$&'()*+;=:[]"))
    ok[c] = true;
  return ok;
}();
bool all_of(std::string_view text, const std::array<bool, 256>& set) {
  bool all = true;
  for (char c : text) all &= set[static_cast<unsigned char>(c)];
  return all;
}
bool path(std::string_view text) {
  bool all = true;
  for (char c : text) all &= static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
  return all;
}
bool scheme(std::string_view text) {
  auto letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  if (text.empty() || !letter(text[0])) return false;
  for (char c : text)
    if (!letter(c) && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') return false;
  return true;
}

// The same of two authorities, but for case and the scheme's own port.
bool same_authority(std::string_view a, std::string_view b, std::string_view scheme) {
  if (iequals(a, b)) return true;
  std::string_view port = scheme == "https" ? ":443" : scheme == "http" ? ":80" : "";
  auto plain = [port](std::string_view host) {
    if (!port.empty() && host.ends_with(port)) host.remove_suffix(port.size());
    return host;
  };
  return iequals(plain(a), plain(b));
}

}  // namespace

void H2HeadReader::begin(Kind kind, bool connect_protocol) {
  kind_ = kind;
  connect_protocol_ = connect_protocol;
  begun_.clear();
  bytes_ = count_ = size_ = raw_ = 0;
  lines_ = false;
  malformed_ = {};
  method_ = scheme_ = path_ = authority_ = protocol_ = status_ = host_ = {};
  fields_.clear();
  head_.status = head_.hosts = 0;
  head_.length = 0;
  head_.sized = head_.encoded = head_.expects_continue = head_.grpc = head_.unknown = head_.too_large = false;
  head_.structured = true;
}

H2HeadReader::Step H2HeadReader::take(std::string_view fragment, bool last) {
  if (!last || !begun_.empty()) begun_.append(fragment);
  if (!last) return Step::ok;
  hpack_.begin(begun_.empty() ? fragment : begun_);
  HpackField f;
  for (;;) {
    switch (hpack_.next(f)) {
      case HpackReader::Step::field:
        field(f);
        // A byte may stand for 4096. What is too large is read on for the sake of the table, but not for ever.
        if (bytes_ > 4 * limits_.head) return Step::too_much;
        break;
      case HpackReader::Step::end:
        return Step::ok;
      case HpackReader::Step::broken:
        return Step::not_hpack;
    }
  }
}

void H2HeadReader::wrong(std::string_view why) {
  if (malformed_.empty()) malformed_ = why;
}

char* H2HeadReader::more_text(std::size_t bytes) {
  if (size_ + bytes > room_) {
    room_ = std::max<std::size_t>(2048, 2 * (size_ + bytes));
    auto bigger = std::make_unique_for_overwrite<char[]>(room_);
    if (size_ > 0) std::memcpy(bigger.get(), text_.get(), size_);
    text_ = std::move(bigger);
  }
  auto* at = text_.get() + size_;
  size_ += bytes;
  return at;
}

H2HeadReader::Part H2HeadReader::keep(std::string_view value) {
  Part part{static_cast<std::uint32_t>(size_), static_cast<std::uint32_t>(size_ + value.size()), true};
  auto* at = more_text(value.size());
  if (!value.empty()) std::memcpy(at, value.data(), value.size());
  return part;
}

void H2HeadReader::field(const HpackField& f) {
  bytes_ += f.name.size() + f.value.size() + 32;
  count_++;
  if (kind_ == Kind::dropped || head_.too_large || !malformed_.empty()) return;
  if (bytes_ > limits_.head || count_ > limits_.fields) {
    head_.too_large = true;
    return;
  }
  if (!f.wrong.empty()) return wrong(f.wrong);
  if (f.name[0] == ':') return pseudo(f.name, f.value);
  if (!lines_) {
    lines_ = true;
    raw_ = size_;
  }
  auto size = f.name.size() + f.value.size() + 4;
  auto* at = more_text(size);
  if (!f.line.empty()) {
    std::memcpy(at, f.line.data(), size);
  } else {
    std::memcpy(at, f.name.data(), f.name.size());
    auto* value = at + f.name.size();
    *value++ = ':';
    *value++ = ' ';
    if (!f.value.empty()) std::memcpy(value, f.value.data(), f.value.size());
    at[size - 2] = '\r';
    at[size - 1] = '\n';
  }
  auto begin = static_cast<std::uint32_t>(static_cast<std::size_t>(at - text_.get()) - raw_);
  auto name_end = begin + static_cast<std::uint32_t>(f.name.size());
  auto value_end = name_end + 2 + static_cast<std::uint32_t>(f.value.size());
  fields_.push_back({begin, name_end, name_end + 2, value_end, f.known, f.never_indexed});
  if (f.known == FieldName::other)
    head_.unknown = true;
  else if (f.known != FieldName::plain)
    note(f.known, f.value);
}

void H2HeadReader::note(FieldName known, std::string_view value) {
  auto& head = head_;
  switch (known) {
    case FieldName::connection:
    case FieldName::keep_alive:
    case FieldName::proxy_connection:
    case FieldName::upgrade:
    case FieldName::transfer_encoding:
      return wrong("a field of HTTP/1 connections");
    case FieldName::te:
      if (!iequals(value, "trailers")) wrong("TE is not trailers");
      return;
    case FieldName::host: {
      if (head.hosts++ > 0) return wrong("more than one Host");
      auto& f = fields_.back();
      auto raw = static_cast<std::uint32_t>(raw_);
      host_ = {raw + f.value, raw + f.value_end, true};
      return;
    }
    case FieldName::content_length:
      if (kind_ == Kind::trailers) return;
      if (head.sized) return wrong("more than one Content-Length");
      if (value.empty() || value.size() > 18) return wrong("Content-Length is no number");
      head.sized = true;
      for (char c : value) {
        if (c < '0' || c > '9') return wrong("Content-Length is no number");
        head.length = head.length * 10 + static_cast<unsigned>(c - '0');
      }
      return;
    case FieldName::content_encoding:
      head.encoded = true;
      return;
    case FieldName::content_type:
      head.structured = structured(value);
      head.grpc = value.starts_with("application/grpc");
      return;
    case FieldName::expect:
      head.expects_continue = iequals(value, "100-continue");
      return;
    default:
      return;
  }
}

void H2HeadReader::pseudo(std::string_view name, std::string_view value) {
  if (lines_) return wrong("a pseudo-field after a field");
  if (kind_ == Kind::trailers) return wrong("a pseudo-field in trailers");
  Part* part = nullptr;
  if (kind_ == Kind::response) {
    if (name == ":status") part = &status_;
  } else {
    switch (name.size()) {
      case 5:
        if (name == ":path") part = &path_;
        break;
      case 7:
        if (name == ":method")
          part = &method_;
        else if (name == ":scheme")
          part = &scheme_;
        break;
      case 9:
        if (name == ":protocol" && connect_protocol_) part = &protocol_;
        break;
      case 10:
        if (name == ":authority") part = &authority_;
        break;
      default:
        break;
    }
  }
  if (!part) return wrong("a pseudo-field that is not known here");
  if (part->there) return wrong("a pseudo-field twice");
  *part = keep(value);
}

std::string_view H2HeadReader::wrong_authority() const {
  auto authority = text(authority_), host = text(host_);
  if (!all_of(authority, kHostBytes)) return ":authority is no host";
  if (!all_of(host, kHostBytes)) return "Host is no host";
  if (authority_.there && host_.there && !same_authority(authority, host, text(scheme_)))
    return "Host is not that of :authority";
  return {};
}

std::string_view H2HeadReader::wrong_request() const {
  if (!method_.there) return "no :method";
  auto method = text(method_);
  if (!is_token(method)) return ":method is no token";
  if (auto why = wrong_authority(); !why.empty()) return why;
  if (method == "CONNECT" && !protocol_.there) {  // RFC 9113 8.5
    if (scheme_.there || path_.there) return "CONNECT with :scheme or :path";
    auto authority = text(authority_);
    auto colon = authority.rfind(':');
    if (colon == authority.npos || colon == 0 || colon + 1 == authority.size()) return "CONNECT needs host:port";
    return {};
  }
  if (protocol_.there && (method != "CONNECT" || !authority_.there)) return ":protocol without CONNECT or :authority";
  if (protocol_.there && !is_token(text(protocol_))) return ":protocol is no token";
  if (!scheme_.there || !scheme(text(scheme_))) return "no :scheme, or none that is one";
  if (!path_.there) return "no :path";
  auto target = text(path_);
  bool star = target == "*" && method == "OPTIONS";
  if (!target.starts_with('/') && !star) return ":path begins with no /";
  if (!path(target)) return ":path holds a forbidden byte";
  auto authority = text(authority_.there ? authority_ : host_);
  if ((text(scheme_) == "http" || text(scheme_) == "https") && (authority.empty() || authority.front() == ':'))
    return "neither :authority nor Host";
  return {};
}

std::string_view H2HeadReader::malformed(bool end) {
  if (!malformed_.empty() || kind_ == Kind::dropped) return malformed_;
  if (!head_.too_large) {
    if (kind_ == Kind::request) malformed_ = wrong_request();
    if (kind_ == Kind::response) {
      auto status = text(status_);
      int number = 0;
      if (status.size() != 3) return malformed_ = ":status is no number of three digits";
      for (char c : status) {
        if (c < '0' || c > '9') return malformed_ = ":status is no number of three digits";
        number = number * 10 + (c - '0');
      }
      head_.status = number;
      if (number < 100)
        malformed_ = ":status below 100";
      else if (number == 101)
        malformed_ = "101 is not of HTTP/2";
      else if (number < 200 && end)
        malformed_ = "an interim response with END_STREAM";
    }
    if (kind_ == Kind::trailers && !end) malformed_ = "trailers without END_STREAM";
  }
  if (malformed_.empty()) bind(end);
  return malformed_;
}

void H2HeadReader::bind(bool end) {
  if (!lines_) raw_ = size_;
  std::memcpy(more_text(2), "\r\n", 2);
  auto& head = head_;
  head.raw = {text_.get() + raw_, size_ - raw_};
  head.fields = fields_;
  head.method = text(method_);
  head.target = text(path_.there ? path_ : authority_);  // CONNECT's is its authority
  head.text = false;
  head.keep_alive = true;
  head.bodiless = end;
  head_.scheme = text(scheme_);
  head_.authority = text(authority_);
  head_.protocol = text(protocol_);
  head.host = authority_.there ? head_.authority : text(host_);
  if (authority_.there) head.hosts = 1;
}

}  // namespace retrial::proxy
