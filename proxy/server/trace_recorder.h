#pragma once
#include <functional>
#include <memory>
#include <string>

#include "proxy/exchange/director.h"
#include "trace/recording/segment.h"

namespace retrial::proxy {

// Writes exchanges into segments. The first failure is kept, and told once; what comes after it is not recorded, and
// forwarding goes on.
class TraceRecorder final : public Recorder {
 public:
  using Failed = std::function<void(const std::string& why)>;
  TraceRecorder(trace::SegmentWriter& writer, std::uint64_t run, Failed failed = {})
      : writer_(writer), run_(run), told_(std::move(failed)) {}

  void head(const trace::Exchange& e) override { keep(writer_.head(run_, e)); }
  void answer(const trace::Exchange& e) override { keep(writer_.answer(run_, e)); }
  void fired(const trace::Exchange& e) override { keep(writer_.fired(run_, e)); }
  void over(const trace::Exchange& e) override { keep(writer_.over(run_, e)); }
  const std::string& failed() const { return failed_; }  // empty: everything is recorded

 private:
  void keep(const Result<void>& result) {
    if (result || !failed_.empty()) return;
    failed_ = "the trace could not be written: " + result.error().line();
    if (told_) told_(failed_);
  }

  trace::SegmentWriter& writer_;
  std::uint64_t run_;
  Failed told_;
  std::string failed_;
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
