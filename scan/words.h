#pragma once
#include <string>
#include <string_view>
#include <vector>

// What names tell. One signal among control flow's: no name alone makes a retry location, but for a library's own.
namespace retrial::scan {

std::vector<std::string_view> identifiers(std::string_view text);       // in order, with repeats; not within quotes
std::vector<std::string> parts_of(std::string_view identifier);         // "maxRetries" -> max, retries; lower case
bool mentions(std::string_view text, std::string_view identifier);      // as a whole identifier
bool appears_in(std::string_view text, std::string_view identifier);    // also within quotes: f"{host}/x"
std::string_view last_name(std::string_view callee);                    // "self.client.get" -> "get"
std::string_view receiver(std::string_view callee);                     // "self.client.get" -> "self.client"
std::string one_line(std::string_view text, std::size_t longest = 60);  // white space folded, cut with …

bool is_power(std::string_view text);  // `2 ** n`, not `f(**named)`

bool says_retry(std::string_view identifier);   // retry, attempt, backoff, tries, reconnect, …
bool text_says_retry(std::string_view text);    // one of its identifiers does
bool says_time(std::string_view text);          // deadline, elapsed, now …
bool says_failed(std::string_view identifier);  // err, error, exception, status …
bool is_waiting(std::string_view callee);       // sleep, delay, backoff, setTimeout, time.After …
bool is_timer(std::string_view callee);         // calls something later: setTimeout, AfterFunc, call_later …
bool is_talk(std::string_view callee);          // logs, counts, formats: never what is tried
bool is_maker(std::string_view callee);   // only makes or reads what another call is given: a request, a key, a number
bool runs_long(std::string_view callee);  // comes back when what it does has ended: serve, listen, a session
bool is_stream(std::string_view callee);  // gives something else each time: read, recv, next, accept …
bool ends_process(std::string_view callee);  // sys.exit, os.Exit, panic …
bool reaches_out(std::string_view callee);   // request, fetch, send, query, connect …
// Of an error: nothing has failed, it was only not ready yet (a socket that would block, an interrupted call), or
// not there yet (an empty queue).
bool says_not_ready(std::string_view error);
bool waits_for_ready(std::string_view callee);  // until a socket can be read or written: IO.select
bool says_lost(std::string_view error);         // of an error: a connection's, or a time's: once more may do
// Of a bound: how much of something long was done, not how often it was tried ("total_sent < length").
bool says_progress(std::string_view bound);
bool is_queue_name(std::string_view text);
bool puts_back(std::string_view callee);  // put, push, enqueue, AddRateLimited …

}  // namespace retrial::scan
