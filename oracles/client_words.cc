// One table for all runtimes. The texts of each client are kept in tests/oracles/client_words_test.cc, as they were
// measured.
#include "oracles/client_words.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"

namespace retrial::oracles {
namespace {

constexpr ClientWord kWords[] = {
    // The socket's own words, in any runtime.
    {"", "ECONNRESET", kBroken},
    {"", "ECONNREFUSED", kBroken},
    {"", "ECONNABORTED", kAny},
    {"", "EPIPE", kBroken},
    {"", "ETIMEDOUT", kAny},
    {"", "connection reset", kBroken},
    {"", "reset by peer", kBroken},
    {"", "connection refused", kBroken},
    {"", "connection aborted", kBroken},
    {"", "broken pipe", kBroken},
    {"", "unexpected EOF", kBroken},
    {"", "EOF", kBroken},
    {"", "timed out", kAny},
    {"", "timeout", kAny},
    {"", "deadline exceeded", kAny},

    // gRPC, in any runtime: grpcio, @grpc/grpc-js, grpc-go. "Unavailable" and the like stand below.
    {"", "DEADLINE_EXCEEDED", kAny},
    {"", "RESOURCE_EXHAUSTED", kAny},
    {"", "RST_STREAM", kAny},
    {"", "GOAWAY", kAny},
    {"python", "Stream removed", kAny},
    {"python", "StatusCode.INTERNAL", kAny},
    {"python", "StatusCode.UNKNOWN", kAny},
    {"python", "Received http2 header with status", kStatus},
    {"node", "13 INTERNAL", kAny},
    {"node", "2 UNKNOWN", kAny},
    {"node", "Stream refused by server", kBroken},
    {"node", "No message received", kBroken},
    {"go", "code = Internal", kAny},
    {"go", "code = Unknown", kAny},
    {"go", "transport is closing", kBroken},

    // Python: http.client, urllib, urllib3, requests, httpx, aiohttp, botocore, tenacity.
    {"python", "ConnectionResetError", kBroken},
    {"python", "BrokenPipeError", kBroken},
    {"python", "RemoteDisconnected", kBroken},
    {"python", "Remote end closed connection", kBroken},
    {"python", "BadStatusLine", kBroken},
    {"python", "IncompleteRead", kBroken},
    {"python", "ProtocolError", kBroken},
    {"python", "ChunkedEncodingError", kBroken},
    {"python", "NewConnectionError", kBroken},
    {"python", "Max retries exceeded", kAny},
    {"python", "MaxRetryError", kAny},
    {"python", "RetryError", kAny},
    {"python", "ResponseError", kStatus},
    {"python", "ReadError", kBroken},
    {"python", "WriteError", kBroken},
    {"python", "ConnectError", kBroken},
    {"python", "peer closed connection", kBroken},
    {"python", "Server disconnected", kBroken},
    {"python", "ServerDisconnectedError", kBroken},
    {"python", "ClientOSError", kBroken},
    {"python", "ClientConnectorError", kBroken},
    {"python", "ClientConnectionError", kBroken},
    {"python", "ClientPayloadError", kBroken},
    {"python", "ClientResponseError", kStatus},
    {"python", "HTTPStatusError", kStatus},
    {"python", "HTTPError", kStatus},
    {"python", "ConnectionClosedError", kBroken},
    {"python", "Connection was closed before we received a valid response", kBroken},
    {"python", "EndpointConnectionError", kBroken},
    {"python", "Could not connect to the endpoint URL", kBroken},
    {"python", "ResponseStreamingError", kBroken},
    {"python", "Read timed out", kAny},
    {"python", "ReadTimeout", kAny},
    {"python", "TimeoutError", kAny},
    {"python", "CancelledError", kAny},

    // Node: http, undici (fetch), got, axios, superagent, node-fetch, Azure, AWS.
    {"node", "socket hang up", kBroken},
    {"node", "fetch failed", kBroken},
    {"node", "other side closed", kBroken},
    {"node", "UND_ERR_SOCKET", kBroken},
    {"node", "SocketError", kBroken},
    {"node", "terminated", kBroken},
    {"node", "Premature close", kBroken},
    {"node", "ERR_STREAM_PREMATURE_CLOSE", kBroken},
    {"node", "Network Error", kBroken},
    {"node", "ERR_NETWORK", kBroken},
    {"node", "connection closed before", kBroken},
    {"node", "UND_ERR_HEADERS_TIMEOUT", kAny},
    {"node", "UND_ERR_BODY_TIMEOUT", kAny},
    {"node", "ESOCKETTIMEDOUT", kAny},
    {"node", "TimeoutError", kAny},
    {"node", "AbortError", kAny},
    {"node", "ABORT_ERR", kAny},
    {"node", "The operation was aborted", kAny},
    {"node", "CanceledError", kAny},
    {"node", "ERR_CANCELED", kAny},
    {"node", "UND_ERR_REQ_RETRY", kStatus},
    {"node", "RequestRetryError", kStatus},
    {"node", "ERR_NON_2XX_3XX_RESPONSE", kStatus},
    {"node", "ERR_BAD_RESPONSE", kStatus},
    {"node", "HTTPError", kStatus},

    // Java: java.net, java.net.http, OkHttp, Apache HttpClient, Netty.
    {"java", "java.net.SocketException", kBroken},
    {"java", "NoHttpResponseException", kBroken},
    {"java", "failed to respond", kBroken},
    {"java", "unexpected end of stream", kBroken},
    {"java", "Unexpected end of file from server", kBroken},
    {"java", "EOFException", kBroken},
    {"java", "header parser received no bytes", kBroken},
    {"java", "ConnectionClosedException", kBroken},
    {"java", "Premature end of", kBroken},
    {"java", "prematurely closed", kBroken},
    {"java", "PrematureCloseException", kBroken},
    {"java", "ClosedChannelException", kBroken},
    {"java", "SocketTimeoutException", kAny},
    {"java", "HttpTimeoutException", kAny},
    {"java", "InterruptedIOException", kAny},
    {"java", "Server returned HTTP response code", kStatus},
    {"java", "HttpServerErrorException", kStatus},

    // Go: net/http.
    {"go", "use of closed network connection", kBroken},
    {"go", "server closed idle connection", kBroken},
    {"go", "context deadline exceeded", kAny},
    {"go", "Client.Timeout exceeded", kAny},
    {"go", "i/o timeout", kAny},
    {"go", "Operation timed out", kAny},
    {"go", "giving up after", kAny},

    // PHP, and whatever else hands libcurl's words on.
    {"", "curl error", kAny},
    {"", "transfer closed", kBroken},
    {"", "Empty reply from server", kBroken},

    // How an application puts it in words of its own.
    {"", "connection", kBroken},
    {"", "connect", kBroken},
    {"", "disconnected", kBroken},
    {"", "network", kBroken},
    {"", "socket", kBroken},
    {"", "unreachable", kAny},
    {"", "unavailable", kAny},
    {"", "not available", kAny},
    {"", "not reachable", kAny},
    {"", "is down", kAny},
    {"", "was down", kAny},
    {"", "seems down", kAny},
    {"", "offline", kAny},
    {"", "not responding", kAny},
    {"", "no response", kAny},
    {"", "no answer", kAny},
    {"", "no reply", kAny},
    {"", "not answer", kAny},
    {"", "not reply", kAny},
    {"", "not respond", kAny},
    {"", "transport error", kBroken},
    {"", "request failed", kAny},
    {"", "time out", kAny},
    {"", "time-out", kAny},
    {"", "timeouts", kAny},
    {"", "too long", kAny},
    {"", "deadline", kAny},
    {"", "aborted", kAny},
    {"", "abort", kAny},
    {"", "canceled", kAny},
    {"", "cancelled", kAny},
    {"", "retry", kAny},
    {"", "retries", kAny},
    {"", "retrying", kAny},
    {"", "attempts", kAny},
    {"", "tries", kAny},
    {"", "gave up", kAny},
    {"", "giving up", kAny},
    {"", "try again", kAny},
    {"", "later", kAny},
    {"", "server error", kStatus},
    {"", "service error", kStatus},
    {"", "gateway", kStatus},
    {"", "upstream", kStatus},
    {"", "overloaded", kStatus},
    {"", "overload", kStatus},
    {"", "busy", kStatus},
    {"", "throttled", kStatus},
    {"", "throttling", kStatus},
    {"", "rate limit", kStatus},
    {"", "ratelimit", kStatus},
    {"", "rate limited", kStatus},
    {"", "ratelimited", kStatus},
    {"", "quota", kStatus},
    {"", "too many", kStatus},
    {"", "slow down", kStatus},
    {"", "status code", kStatus},
    {"", "bad status", kStatus},
    {"", "unexpected status", kStatus},
    {"", "5xx", kStatus},

    // How a parser speaks of what is no whole message, in any runtime.
    {"", "JSON", kGarbled},
    {"", "JSONDecodeError", kGarbled},
    {"", "ParserError", kGarbled},
    {"", "ParseError", kGarbled},
    {"", "parse", kGarbled},
    {"", "parsing", kGarbled},
    {"", "unmarshal", kGarbled},
    {"", "decode", kGarbled},
    {"", "unexpected token", kGarbled},
    {"", "unexpected end", kGarbled},
    {"", "unterminated", kGarbled},
    {"", "end of input", kGarbled},
    {"", "delimiter", kGarbled},        // json of Python's: "Expecting ',' delimiter"
    {"", "expecting value", kGarbled},  // likewise
    {"", "expecting property", kGarbled},
    {"", "syntax", kGarbled},
    {"", "invalid response", kGarbled},
    {"", "invalid answer", kGarbled},
    {"", "bad response", kGarbled},
    {"", "unreadable", kGarbled},
    {"", "not readable", kGarbled},
    {"", "be read", kGarbled},
    {"", "could not read", kGarbled},
    {"", "not understood", kGarbled},
    {"", "invalid character", kGarbled},
    {"", "malformed", kGarbled},
    {"", "truncated", kGarbled},
    {"", "undersized", kGarbled},
    {"", "incomplete", kGarbled},
    {"", "corrupt", kGarbled},
    {"", "checksum", kGarbled},
};

constexpr std::string_view kTimeLimits[] = {
    "from pytest-timeout",          // pytest-timeout
    "test timed out after",         // node:test
    "testTimeoutFailure",           // node:test, its code
    "Exceeded timeout of",          // jest
    "Test timed out in",            // vitest
    "Hook timed out in",            // vitest
    "ERR_MOCHA_TIMEOUT",            // mocha
    "For async tests and hooks",    // mocha
    "panic: test timed out after",  // go test
};

// Does one word end and another begin between these two? CamelCase counts.
bool parted(char left, char right) {
  return !is_alnum(left) || !is_alnum(right) || (is_lower(left) && is_upper(right));
}

}  // namespace

std::span<const ClientWord> client_words() { return kWords; }

bool holds_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  auto same = [](char a, char b) { return fold(a) == fold(b); };
  for (auto from = text.begin();; ++from) {
    from = std::search(from, text.end(), word.begin(), word.end(), same);
    if (from == text.end()) return false;
    auto end = from + static_cast<std::ptrdiff_t>(word.size());
    if ((from == text.begin() || parted(from[-1], from[0])) && (end == text.end() || parted(end[-1], end[0])))
      return true;
  }
}

std::string_view client_word_in(std::string_view text, unsigned told, const std::vector<std::string>& agents) {
  auto spoken = [&](std::string_view runtime) {
    return runtime.empty() || agents.empty() || std::find(agents.begin(), agents.end(), runtime) != agents.end();
  };
  for (auto& w : kWords)
    if ((w.told & told) && spoken(w.runtime) && holds_word(text, w.word)) return w.word;
  return {};
}

bool is_time_limit(std::string_view text) {
  return std::any_of(std::begin(kTimeLimits), std::end(kTimeLimits),
                     [&](auto limit) { return text.find(limit) != text.npos; });
}
bool is_never_settled(std::string_view text) {
  return text.find("Promise resolution is still pending but the event loop has already resolved") != text.npos;
}

}  // namespace retrial::oracles
