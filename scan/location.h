#pragma once
#include <cstdint>
#include <string>
#include <vector>

// What `retrial scan` finds: a place from which something that failed is tried again.
namespace retrial::scan {

enum class Shape : std::uint8_t { loop, recursion, repeat, timer, queue, library };

struct Bound {
  enum Kind : std::uint8_t {
    none,       // no end was seen
    count,      // so many attempts
    time,       // so long
    caller,     // as long as the caller's context or signal lives
    elsewhere,  // another function is asked
  } kind = none;
  std::string text;  // as the source has it: "range(5)", "deadline"
};

struct Wait {
  enum Kind : std::uint8_t { none, fixed, growing, elsewhere } kind = none;
  bool jitter = false;
  bool told = false;  // by the service: Retry-After
  std::string text;   // as the source has it: "0.5 * 2 ** n"
};

struct Verdict {
  std::string name;                     // the wire's own where it has one (docs/verdicts.md)
  std::string text;                     // one sentence
  std::string confidence = "possible";  // more where a campaign has confirmed it
  std::string shown = {};               // what that campaign says of it
  bool dismissed = false;               // accepted or known: it fails nothing
  bool by_model = false;                // a language model's word alone: it fails nothing
  std::string id = {};                  // ids.h
};

// What a campaign says of a location.
struct Tried {
  enum State : std::uint8_t { not_asked, wrong, right, reached, never } state = not_asked;
  std::string text;
};

// By a campaign: more than possible.
inline bool is_confirmed(const Verdict& verdict) { return verdict.confidence != Verdict().confidence; }

struct Callee {
  std::string name;
  std::string module;  // what it is called of, if that was imported: "amqp" of amqp.Dial
  bool own = true;     // by its name alone, or of the object itself
};

struct Location {
  std::string file;
  std::uint32_t line = 0, last_line = 0;  // of the loop, of the call that begins anew
  std::string function;                   // empty: the file itself
  std::uint32_t function_line = 0, function_last_line = 0;
  std::string language;
  Shape shape = Shape::loop;
  std::string by;                   // a library's: what stands there, "@retry", "max_retries"
  std::string calls;                // what is tried, as the source has it
  std::vector<std::string> back;    // errors that lead back
  std::vector<std::string> leaves;  // errors that do not
  bool whatever = false;            // that it failed leads back, however it did
  bool looked_at = false;           // the error, before it is tried again
  std::string effect;               // the call that has one, by its name or its HTTP method; empty: none
  bool key = false;                 // something that a service could know a repeat by
  std::string harmless;             // a call that may be done twice, by its HTTP method; empty: none was seen
  bool new_key = false;             // made anew for each attempt
  bool gives_up_silently = false;
  bool never_cancelled = false;  // it is given a context that nobody ends
  Bound bound;
  Wait wait;
  std::vector<Callee> callees;  // all that is called there, for nested retries
  std::vector<Verdict> verdicts;
  Tried tried;
  bool by_model = false;  // a language model has named it, the scan has not seen it
  std::string model;      // what a language model says of it; empty: none was asked
};

// May what is called be repeated? "no", by a "key", "yes" by its HTTP method, or "unknown"; `text` says by what.
struct Repeat {
  std::string word, text;
};
Repeat repeat_of(const Location& at);

std::string show(Shape shape);
std::string show(const Bound& bound);
std::string show(const Wait& wait);
std::string show(const Tried& tried);
std::string word(const Bound& bound);  // "none" "count" "time" "caller" "elsewhere"
std::string word(const Tried& tried);  // "" "wrong" "right" "reached" "never"
std::string word(const Wait& wait);    // "none" "fixed" "growing" "jitter" "told" "elsewhere": the most that is known

}  // namespace retrial::scan
