// drip(bytes, every): the response a few bytes at a time, head and all; on HTTP/2, where a head is one thing, its body.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "proxy/faults/edits.h"

namespace retrial::proxy {
namespace {

class Drip final : public Edit {
 public:
  explicit Drip(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (exchange.stream != 0) {
      if (bodiless) return {.spares = "the response has no body"};
      return {.fires = true, .more = true};
    }
    queue_ = std::move(head);
    head.clear();
    drop(head);
    return {.fires = true, .more = true};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    queue_.append(wire);
    last_ = last;
    if (resting_) drop(out);
    return {.more = !at_end()};
  }
  // After each drop one pause, also where nothing is left that could be dropped now.
  Did more(std::string& out) override {
    resting_ = queue_.empty();
    if (!resting_) drop(out);
    return {.more = !resting_ && !at_end()};
  }
  std::string evidence() const override {
    return fmt::format("{} bytes of the response every {}", fault_.bytes, show_duration(fault_.delay));
  }

 private:
  void drop(std::string& out) {
    resting_ = false;
    auto n = std::min(queue_.size(), static_cast<std::size_t>(fault_.bytes));
    out.append(queue_, 0, n);
    queue_.erase(0, n);
  }
  bool at_end() const { return last_ && queue_.empty(); }
  const trace::FaultSpec& fault_;
  std::string queue_;
  bool last_ = false;
  bool resting_ = false;
};
}  // namespace

std::unique_ptr<Edit> drip_edit(const trace::FaultSpec& fault) { return std::make_unique<Drip>(fault); }

}  // namespace retrial::proxy
