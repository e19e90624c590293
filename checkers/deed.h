#pragma once
#include <cstdint>
#include <string>

#include "checkers/body.h"
#include "predict/touch.h"

namespace retrial::checkers {

// What became of a request at its service, as far as the wire shows it.
enum class Fate : std::uint8_t {
  done,     // carried out, and its client was told so by the service itself
  refused,  // the service said no (4xx), and so changed nothing
  unknown,  // anything else: a fault met it, it was not answered, or by 202, 408, 429, 3xx or 5xx
};

// An exchange as checkers read it. What a POST has made is also known by the `id` of the one object right in the
// answer that has one, where the answer has none at its top: {"data": {"id": 7}}. So is what one has made that is
// answered 200, by its `id`, or by the `selfLink` of the answer.
struct Deed {
  const trace::Exchange* e = nullptr;
  predict::Kind kind = predict::Kind::read;
  std::string path;  // of the resource
  std::string spot;  // service and path
  Fate fate = Fate::unknown;
  bool made = false;  // the path is that of what was made, and lies elsewhere than what was asked for
  Body request, answer;

  bool looks() const { return predict::looks(kind); }
  bool missing() const;  // the service said that there is nothing
  // A query may ask for a part, or for another version: that something is not there says nothing of the whole.
  bool is_view() const;
  // What its request alone names, whatever was made of it: service and path. Of what creates, that in which it was
  // made.
  std::string asked() const;
  std::string_view last_segment() const { return std::string_view(path).substr(path.rfind('/') + 1); }
};

// As checkers name the service: by its address, but for a port that varies ("127.0.0.1:*", whichever it is).
std::string service_of(const trace::Exchange& e);

// Which bodies are read: what nobody looks at need not be.
struct Bodies {
  bool request = true, answer = true;
};
Deed deed_of(const trace::Exchange& e, Bodies bodies = {});

// Of an unknown fate: may the service carry it out later than its client was told? Nobody has heard of its end.
bool may_come_late(const Deed& d);
// It ended as if the service had gone away, which no fault of ours explains: what it held may be gone.
bool may_have_restarted(const trace::Exchange& e);

}  // namespace retrial::checkers
