// An end in HTTP/2.
#include <fmt/format.h>

#include "base/text.h"
#include "tests/conversations/pairings_ends.h"

namespace retrial::test::pairings {
namespace {

class H2Side final : public End {
 public:
  H2Side(std::unique_ptr<Peer> peer, bool client, bool shut)
      : end_(std::move(peer), client ? H2End::Role::client : H2End::Role::service), client_(client) {
    if (!client) end_.hears_greeting();
    end_.greets(shut ? "4=0" : "4=16777216");
    if (client) stream_ = 1;
  }
  void head(const Shape& shape) override {
    auto text = fmt::format("HEADERS {}", stream_);
    auto framing = client_ ? shape.request : shape.response;
    if (client_ ? framing == Framing::none : shape.answers_alone()) text += " end";
    text += client_ ? fmt::format(
                          " | :method: {} | :scheme: http | :authority: h | :path: /x | te: trailers | x-kept: asked",
                          shape.method)
                    : fmt::format(" | :status: {} | x-kept: said", shape.status);
    if (shape.grpc()) text += " | content-type: application/grpc";
    if (client_ && shape.expects) text += " | expect: 100-continue";
    if (!client_ && shape.grpc() && shape.answers_alone()) text += fmt::format(" | grpc-status: {}", shape.call_status);
    auto size = client_ ? pairings::asked(shape, 0).size() + pairings::asked(shape, 1).size()
                        : replied(shape, 0).size() + replied(shape, 1).size();
    if (framing == Framing::sized) text += fmt::format(" | content-length: {}", size);
    end_.say(text);
  }
  void interim(int status) override { end_.say(fmt::format("HEADERS {} | :status: {}", stream_, status)); }
  void part(const std::string& bytes, bool last) override { end_.data(stream_, bytes, last); }
  void end(const Shape& shape) override {
    if (shape.grpc() && !client_)
      end_.say(fmt::format("HEADERS {} end | grpc-status: {}", stream_, shape.call_status));
    else if (shape.trailers)
      end_.say(fmt::format("HEADERS {} end | x-after: it", stream_));
    else
      end_.data(stream_, "", true);
  }
  void fin() override { end_.peer().finish(); }
  void rst() override {
    listens();
    end_.peer().reset();
  }
  void abort(std::string_view code) override { end_.say(fmt::format("RST_STREAM {} {}", stream_, code)); }
  void open() override { end_.say("SETTINGS 4=16777216"); }
  void next() override {
    heard_ = {};
    if (client_) stream_ += 2;
  }
  void leaves() override { end_.peer().reset(); }

  bool listens() override {
    bool any = false;
    for (std::string words; !(words = end_.next_if_any()).empty(); any = true) take(words);
    return any;
  }
  Heard heard(bool) override {
    listens();
    if (heard_.end.empty()) heard_.end = end_.peer().how_it_ended();
    return heard_;
  }
  bool gone() override {
    return (!heard_.end.empty() && heard_.end != "whole") || reset_ || !end_.peer().how_it_ended().empty();
  }
  bool goes_on() override { return !away_ && end_.peer().how_it_ended().empty(); }
  bool asked() override { return !heard_.head.empty(); }

 private:
  void take(std::string_view words) {
    auto word = [&] {
      auto end = words.find(' ');
      auto first = words.substr(0, end);
      words.remove_prefix(end == words.npos ? words.size() : end + 1);
      return std::string(first);
    };
    auto name = word();
    if (name == "SETTINGS" || name == "PING") return;
    auto stream = static_cast<std::uint32_t>(to_int(word()).value_or(0));
    if (name == "GOAWAY") {
      away_ = true;
      if (stream < stream_ && heard_.end.empty()) heard_.end = "GOAWAY";
      return;
    }
    if (!client_ && name == "HEADERS" && stream > stream_) {
      stream_ = stream;
      heard_ = {};
      reset_ = false;
    }
    if (stream != stream_) return;
    if (name == "RST_STREAM") {
      reset_ = true;
      if (heard_.end.empty()) heard_.end = "RST_STREAM " + word();
      return;
    }
    bool end = words == "end" || words.starts_with("end ");
    if (end) word();
    if (name == "DATA")
      heard_.body += words;
    else
      fields(words);
    if (end) heard_.end = "whole";
  }
  void fields(std::string_view words) {
    bool trailers = !heard_.head.empty();
    while (!words.empty()) {
      words.remove_prefix(2);
      auto field = words.substr(0, words.find(" | "));
      words.remove_prefix(std::min(words.size(), field.size() + 1));
      auto colon = field.find(": ", 1);
      auto name = field.substr(0, colon), value = field.substr(colon + 2);
      if (name == ":status" && value.starts_with('1')) {
        heard_.interims += std::string(value) + " ";
        return;
      }
      if (name == ":status" || name == ":method") heard_.head = value;
      if (name == "x-kept") heard_.kept += (heard_.kept.empty() ? "" : ",") + std::string(value);
      if ((trailers && name == "x-after") || name == "grpc-status") heard_.trailer += std::string(value) + " ";
    }
  }

  H2End end_;
  bool client_;
  bool reset_ = false, away_ = false;
  std::uint32_t stream_ = 0;
  Heard heard_;
};
}  // namespace

std::unique_ptr<End> h2_end(std::unique_ptr<Peer> peer, bool client, bool shut) {
  return std::make_unique<H2Side>(std::move(peer), client, shut);
}

}  // namespace retrial::test::pairings
