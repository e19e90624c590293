#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "proxy/exchange/director.h"
#include "trace/recording/segment.h"

namespace retrial::proxy {

// Writes exchanges into segments. What cannot be written is lost and counted, and forwarding goes on; it is told where
// that begins, and where it is over.
class TraceRecorder final : public Recorder {
 public:
  enum class Trouble : std::uint8_t { begins, over };
  using Told = std::function<void(Trouble trouble, const std::string& line)>;
  TraceRecorder(trace::SegmentWriter& writer, std::uint64_t run, Told told = {})
      : writer_(writer), run_(run), told_(std::move(told)) {}

  void head(const trace::Exchange& e) override { keep(writer_.head(run_, e)); }
  void answer(const trace::Exchange& e) override { keep(writer_.answer(run_, e)); }
  void fired(const trace::Exchange& e) override { keep(writer_.fired(run_, e)); }
  void over(const trace::Exchange& e) override { keep(writer_.over(run_, e)); }
  const std::string& failed() const { return failed_; }  // the first time; empty: everything is recorded
  std::uint64_t lost() const { return lost_; }           // records

 private:
  void keep(const Result<void>& result) {
    if (result && !failing_) [[likely]]
      return;
    if (!result) lost_++;
    if (failing_ == !result) return;
    failing_ = !result;
    if (!failing_)
      return tell(Trouble::over, fmt::format("the trace is written again; records lost so far: {}", lost_));
    auto why = "the trace could not be written: " + result.error().line();
    if (failed_.empty()) failed_ = why;
    tell(Trouble::begins, why);
  }
  void tell(Trouble trouble, const std::string& line) {
    if (told_) told_(trouble, line);
  }

  trace::SegmentWriter& writer_;
  std::uint64_t run_;
  Told told_;
  std::string failed_;
  std::uint64_t lost_ = 0;
  bool failing_ = false;
};

// Where nothing is to be recorded.
class NoRecorder final : public Recorder {
 public:
  void head(const trace::Exchange&) override {}
  void answer(const trace::Exchange&) override {}
  void fired(const trace::Exchange&) override {}
  void over(const trace::Exchange&) override {}
};

}  // namespace retrial::proxy
