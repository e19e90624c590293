// Sources: docs.python.org/3/library/exceptions.html; the messages of V8 (src/common/message-template.h); the packages
// java.lang, java.util, Jackson, Gson and org.json; Go's runtime (runtime/error.go, panic.go) and encoding/json; Rust's
// core::panicking and Option::unwrap. What each is tested on was printed by the runtimes themselves.
#include "oracles/programming_errors.h"

#include <algorithm>
#include <string_view>

namespace retrial::oracles {
namespace {

struct Error {
  std::string_view type;  // its end, after a dot or from the beginning; empty: any
  std::string_view text;  // a part of its message; empty: any
};

constexpr Error kErrors[] = {
    // Python
    {"builtins.TypeError", ""},
    {"builtins.AttributeError", ""},
    {"builtins.KeyError", ""},
    {"builtins.IndexError", ""},
    {"builtins.NameError", ""},
    {"builtins.UnboundLocalError", ""},
    {"builtins.ZeroDivisionError", ""},
    {"builtins.RecursionError", ""},
    {"builtins.StopIteration", ""},
    {"builtins.UnicodeDecodeError", ""},
    {"builtins.ValueError", "invalid literal for int()"},
    {"builtins.ValueError", "could not convert string to float"},
    {"builtins.ValueError", "not enough values to unpack"},
    {"builtins.ValueError", "too many values to unpack"},
    {"builtins.RuntimeError", "dictionary changed size during iteration"},
    {"JSONDecodeError", ""},
    {"ElementTree.ParseError", ""},
    {"ExpatError", ""},
    {"XMLSyntaxError", ""},
    // Node
    {"TypeError", "Cannot read propert"},
    {"TypeError", "Cannot set propert"},
    {"TypeError", "Cannot destructure"},
    {"TypeError", "Cannot convert undefined or null"},
    {"TypeError", "Cannot use 'in' operator"},
    {"TypeError", "is not a function"},
    {"TypeError", "is not a constructor"},
    {"TypeError", "is not iterable"},
    {"TypeError", "Assignment to constant variable"},
    {"TypeError", "disturbed or locked"},  // undici 5 to 7: a body that is a stream, sent a second time
    {"TypeError", "Body is unusable"},
    {"ReferenceError", "is not defined"},
    {"ReferenceError", "before initialization"},
    {"RangeError", "Invalid array length"},
    {"RangeError", "Invalid time value"},
    {"RangeError", "Maximum call stack size exceeded"},
    {"SyntaxError", "JSON"},
    {"SyntaxError", "Unexpected token"},
    {"SyntaxError", "Unexpected end of"},
    // Java
    {"java.lang.NullPointerException", ""},
    {"java.lang.ClassCastException", ""},
    {"java.lang.IndexOutOfBoundsException", ""},
    {"java.lang.ArrayIndexOutOfBoundsException", ""},
    {"java.lang.StringIndexOutOfBoundsException", ""},
    {"java.lang.NumberFormatException", ""},
    {"java.lang.ArithmeticException", ""},
    {"java.lang.StackOverflowError", ""},
    {"java.util.NoSuchElementException", ""},
    {"java.util.ConcurrentModificationException", ""},
    {"java.time.format.DateTimeParseException", ""},
    {"JsonParseException", ""},
    {"JsonSyntaxException", ""},
    {"MalformedJsonException", ""},
    {"MismatchedInputException", ""},
    {"org.json.JSONException", ""},
    {"SAXParseException", ""},
    // Ruby
    {"NoMethodError", ""},
    {"NameError", ""},
    {"FrozenError", ""},
    {"ZeroDivisionError", ""},
    {"KeyError", "key not found"},
    {"TypeError", "no implicit conversion"},
    {"JSON::ParserError", ""},
    {"REXML::ParseException", ""},
    // PHP
    {"JsonException", ""},
    {"DivisionByZeroError", ""},
    {"TypeError", "must be of type"},
    {"TypeError", "Unsupported operand types"},
    // Go and Rust, whose panics have no type
    {"", "panic: runtime error:"},
    {"", "invalid memory address or nil pointer dereference"},
    {"", "interface conversion:"},
    {"", "assignment to entry in nil map"},
    {"", "called `Option::unwrap()` on a `None` value"},
    {"", "index out of bounds: the len is"},
};

bool ends_as(std::string_view type, std::string_view end) {
  if (!type.ends_with(end)) return false;
  return type.size() == end.size() || type[type.size() - end.size() - 1] == '.' ||
         type[type.size() - end.size() - 1] == ':';
}

}  // namespace

bool is_programming_error(const trace::Thrown& thrown) {
  return std::ranges::any_of(kErrors, [&](auto& error) {
    return (error.type.empty() || ends_as(thrown.type, error.type)) && thrown.message.contains(error.text);
  });
}

}  // namespace retrial::oracles
