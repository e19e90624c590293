// An end in HTTP/1.1: it says what a shape has, and reads what it hears by itself.
#include <fmt/format.h>

#include "base/text.h"
#include "tests/conversations/pairings_ends.h"

namespace retrial::test::pairings {
namespace {

// RFC 9112, no more of it than is said here.
class Reader {
 public:
  Reader(std::string_view bytes, bool response, bool bodiless)
      : left_(bytes), response_(response), bodiless_(bodiless) {}
  Heard read(std::string_view ended) {
    while (message()) {
    }
    if (heard_.end.empty()) heard_.end = until_close_ && ended == "FIN" ? "whole" : std::string(ended);
    return heard_;
  }

 private:
  std::optional<std::string_view> line() {
    auto end = left_.find("\r\n");
    if (end == left_.npos) return {};
    auto text = left_.substr(0, end);
    left_.remove_prefix(end + 2);
    return text;
  }
  // True: another message may follow.
  bool message() {
    if (left_.empty()) return false;
    auto first = line();
    if (!first) return cut();
    auto word =
        first->substr(response_ ? std::min<std::size_t>(9, first->size()) : 0, response_ ? 3 : first->find(' '));
    bool status_line = !response_ || to_int(word);
    long length = -1;
    bool chunked = false, wrong = false;
    std::string kept;
    for (;;) {
      auto field = line();
      if (!field) return cut();
      if (field->empty()) break;
      auto colon = field->find(':');
      wrong |= colon == field->npos;
      if (colon == field->npos) continue;
      auto name = lower(field->substr(0, colon));
      auto value = std::string(trim(field->substr(colon + 1)));
      if (name == "content-length") length = static_cast<long>(*to_int(value));
      if (name == "transfer-encoding") chunked = true;
      if (name == "grpc-status") heard_.trailer += value + " ";
      if (name == "x-kept") kept += (kept.empty() ? "" : ",") + value;
    }
    if (!status_line || wrong) {
      heard_.odd = status_line ? "a field" : "a status line";
      if (status_line) heard_.head = word;
      heard_.trailer.clear();
      return false;
    }
    if (response_ && word.starts_with('1')) {
      heard_.interims += std::string(word) + " ";
      return true;
    }
    heard_.head = word;
    heard_.kept = kept;
    bool none = bodiless_ || word == "204" || word == "304" || (!response_ && !chunked && length < 0);
    if (none) return whole();
    if (chunked) return chunks();
    until_close_ = length < 0;
    heard_.body = left_.substr(0, until_close_ ? left_.npos : static_cast<std::size_t>(length));
    left_.remove_prefix(heard_.body.size());
    return length == static_cast<long>(heard_.body.size()) && whole();
  }
  bool cut() {
    heard_.head = "cut";
    heard_.trailer.clear();
    return false;
  }
  bool whole() {
    heard_.end = "whole";
    if (!left_.empty()) heard_.odd = "again";
    return false;
  }
  bool chunks() {
    for (;;) {
      auto size_line = line();
      if (!size_line) return false;
      std::size_t size = 0;
      for (char c : *size_line) {
        if (!std::isxdigit(static_cast<unsigned char>(c))) return heard_.odd = "a chunk", false;
        size = size * 16 + static_cast<std::size_t>(std::isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
      }
      if (size == 0) break;
      heard_.body += left_.substr(0, size);
      if (left_.size() < size + 2) return false;
      left_.remove_prefix(size + 2);
    }
    for (;;) {
      auto field = line();
      if (!field) return false;
      if (field->empty()) return whole();
      heard_.trailer += std::string(field->substr(field->find(": ") + 2)) + " ";
    }
  }

  std::string_view left_;
  bool response_, bodiless_;
  bool until_close_ = false;
  Heard heard_;
};

class H1End final : public End {
 public:
  H1End(std::unique_ptr<Peer> peer, bool client) : peer_(std::move(peer)), client_(client) {}
  void head(const Shape& shape) override {
    auto framing = client_ ? shape.request : shape.response;
    auto text = client_ ? fmt::format("{} /x HTTP/1.1\r\nHost: h\r\nX-Kept: asked\r\n", shape.method)
                        : fmt::format("HTTP/1.1 {} Some\r\nX-Kept: said\r\n", shape.status);
    if (shape.grpc()) text += "Content-Type: application/grpc\r\n";
    if (client_) text += "TE: trailers\r\n";
    if (client_ && shape.expects) text += "Expect: 100-continue\r\n";
    if (!client_ && shape.answers_alone() && shape.grpc())
      text += fmt::format("grpc-status: {}\r\nContent-Length: 0\r\n", shape.call_status);
    chunked_ = framing == Framing::open;
    if (chunked_) text += "Transfer-Encoding: chunked\r\n";
    auto size = client_ ? pairings::asked(shape, 0).size() + pairings::asked(shape, 1).size()
                        : replied(shape, 0).size() + replied(shape, 1).size();
    if (framing == Framing::sized) text += fmt::format("Content-Length: {}\r\n", size);
    peer_->say_what_fits(text + "\r\n");
  }
  void interim(int status) override { peer_->say_what_fits(fmt::format("HTTP/1.1 {} Some\r\n\r\n", status)); }
  void part(const std::string& bytes, bool) override {
    peer_->say_what_fits(chunked_ ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : bytes);
  }
  void end(const Shape& shape) override {
    if (!chunked_) return peer_->finish();
    std::string trailers;
    if (shape.trailers) trailers = "X-After: it\r\n";
    if (shape.grpc() && !client_) trailers = fmt::format("grpc-status: {}\r\n", shape.call_status);
    peer_->say_what_fits("0\r\n" + trailers + "\r\n");
  }
  void fin() override { peer_->finish(); }
  void rst() override {
    listens();
    peer_->reset();
  }
  void abort(std::string_view) override {}
  bool listens() override {
    auto more = peer_->take();
    heard_ += more;
    return !more.empty();
  }
  Heard heard(bool head_request) override {
    listens();
    return Reader(heard_, client_, head_request).read(peer_->how_it_ended());
  }
  bool gone() override { return !peer_->how_it_ended().empty(); }
  bool goes_on() override { return !gone() && !heard_.contains("Connection: close"); }
  bool asked() override { return heard_.contains("\r\n\r\n"); }
  void next() override { heard_.clear(); }
  void leaves() override { peer_->reset(); }  // which leaves no port behind that waits

 private:
  std::unique_ptr<Peer> peer_;
  bool client_;
  bool chunked_ = false;
  std::string heard_;
};
}  // namespace

std::unique_ptr<End> h1_end(std::unique_ptr<Peer> peer, bool client) {
  return std::make_unique<H1End>(std::move(peer), client);
}

}  // namespace retrial::test::pairings
