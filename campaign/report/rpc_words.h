#pragma once
#include <string>
#include <string_view>

#include "trace/exchange.h"

// What is said of an exchange that is an RPC or a stream of HTTP/2, where HTTP/1 has nothing to say.
namespace retrial::campaign::report {

// "stream 7 of connection 3; deadline 5.0 s; 1 message sent, 12 received, the largest of 340 bytes"; empty where there
// is nothing to say.
std::string rpc_facts(const trace::Exchange& e);
// RST_STREAM as RFC 9113 7 names its code: "REFUSED_STREAM", "RST_STREAM 0x1f"; empty where the stream was not aborted.
std::string aborted_as(const trace::Exchange& e);
// A sample of messages that are no text: what can be printed of it, "·" for the rest.
std::string printable(std::string_view bytes);

}  // namespace retrial::campaign::report
