#pragma once
#include "oracles/client_words.h"

// What real clients throw under a fault, measured against a server that reset, closed, held or answered 503 every
// request: Python 3.11 (requests 2, urllib3 2, httpx, aiohttp 3, botocore, tenacity, grpcio), Node 20 (got 11, axios 1,
// undici, node-fetch 3, superagent, ky, @grpc/grpc-js 1, @azure/storage 12, @aws-sdk 3), Go 1.26, OpenJDK 17. One line
// an exception of the chain, explicit causes only.
namespace retrial::oracles {

struct ClientText {
  const char* client;
  const char* runtime;
  unsigned told;
  const char* text;
};
inline constexpr ClientText kClientTexts[] = {
    {"http client", "python", kBroken, "builtins.ConnectionResetError: [Errno 104] Connection reset by peer"},
    {"http client", "python", kBroken, "http.client.RemoteDisconnected: Remote end closed connection without response"},
    {"http client", "python", kSilent, "builtins.TimeoutError: timed out"},
    {"urlopen", "python", kStatus, "urllib.error.HTTPError: HTTP Error 503: Service Unavailable"},
    {"requests", "python", kBroken,
     "requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by "
     "peer'))"},
    {"requests", "python", kBroken,
     "requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection "
     "without response'))"},
    {"requests", "python", kSilent,
     "requests.exceptions.ReadTimeout: HTTPConnectionPool(host='127.0.0.1', port=9000): Read timed out. (read "
     "timeout=0.3)"},
    {"requests", "python", kStatus,
     "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://127.0.0.1:9000/x"},
    {"requests retry", "python", kBroken,
     "requests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ProtocolError('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer')))"},
    {"requests retry", "python", kBroken,
     "requests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ProtocolError('Connection aborted.', RemoteDisconnected('Remote end closed connection without "
     "response')))"},
    {"requests retry", "python", kSilent,
     "requests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ReadTimeoutError(\"HTTPConnectionPool(host='127.0.0.1', port=9000): Read timed out. (read "
     "timeout=0.3)\"))"},
    {"requests retry", "python", kStatus,
     "requests.exceptions.RetryError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with url: "
     "/x (Caused by ResponseError('too many 503 error responses'))"},
    {"urllib3", "python", kBroken,
     "urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ProtocolError('Connection aborted.', ConnectionResetError(104, 'Connection reset by "
     "peer')))\nurllib3.exceptions.ProtocolError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset "
     "by peer'))"},
    {"urllib3", "python", kBroken,
     "urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ProtocolError('Connection aborted.', RemoteDisconnected('Remote end closed connection without "
     "response')))\nurllib3.exceptions.ProtocolError: ('Connection aborted.', RemoteDisconnected('Remote end closed "
     "connection without response'))"},
    {"urllib3", "python", kSilent,
     "urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ReadTimeoutError(\"HTTPConnectionPool(host='127.0.0.1', port=9000): Read timed out. (read "
     "timeout=0.3)\"))\nurllib3.exceptions.ReadTimeoutError: HTTPConnectionPool(host='127.0.0.1', port=9000): Read "
     "timed out. (read timeout=0.3)\nbuiltins.TimeoutError: timed out"},
    {"urllib3", "python", kStatus,
     "urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='127.0.0.1', port=9000): Max retries exceeded with "
     "url: /x (Caused by ResponseError('too many 503 error responses'))\nurllib3.exceptions.ResponseError: too many "
     "503 error responses"},
    {"urllib3 noretry", "python", kBroken,
     "urllib3.exceptions.ProtocolError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by "
     "peer'))"},
    {"urllib3 noretry", "python", kBroken,
     "urllib3.exceptions.ProtocolError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection "
     "without response'))"},
    {"urllib3 noretry", "python", kSilent,
     "urllib3.exceptions.ReadTimeoutError: HTTPConnectionPool(host='127.0.0.1', port=9000): Read timed out. (read "
     "timeout=0.3)\nbuiltins.TimeoutError: timed out"},
    {"httpx", "python", kBroken,
     "httpx.ReadError: [Errno 104] Connection reset by peer\nhttpcore.ReadError: [Errno 104] Connection reset by peer"},
    {"httpx", "python", kBroken,
     "httpx.RemoteProtocolError: Server disconnected without sending a response.\nhttpcore.RemoteProtocolError: Server "
     "disconnected without sending a response."},
    {"httpx", "python", kSilent, "httpx.ReadTimeout: timed out\nhttpcore.ReadTimeout: timed out"},
    {"httpx", "python", kStatus,
     "httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://127.0.0.1:9000/x'\nFor more "
     "information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/503"},
    {"httpx async", "python", kBroken, "httpx.ReadError: \nhttpcore.ReadError: "},
    {"httpx async", "python", kSilent, "httpx.ReadTimeout: \nhttpcore.ReadTimeout: "},
    {"aiohttp", "python", kBroken,
     "aiohttp.client_exceptions.ClientOSError: [Errno 104] Connection reset by peer\nbuiltins.ConnectionResetError: "
     "[Errno 104] Connection reset by peer"},
    {"aiohttp", "python", kBroken, "aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected"},
    {"aiohttp", "python", kSilent, "builtins.TimeoutError: \nasyncio.exceptions.CancelledError: "},
    {"aiohttp", "python", kStatus,
     "aiohttp.client_exceptions.ClientResponseError: 503, message='Service Unavailable', "
     "url='http://127.0.0.1:9000/x'"},
    {"aiohttp post json", "python", kSilent,
     "aiohttp.client_exceptions.SocketTimeoutError: Timeout on reading data from socket"},
    {"aiohttp post json", "python", kStatus,
     "aiohttp.client_exceptions.ContentTypeError: 503, message='Attempt to decode JSON with unexpected mimetype: "
     "text/plain', url='http://127.0.0.1:9000/x'"},
    {"aiohttp post json", "python", kStatus,
     "aiohttp.client_exceptions.ContentTypeError: 503, message='Attempt to decode JSON with unexpected mimetype: "
     "text/html', url='http://127.0.0.1:9000/x'"},
    {"tenacity", "python", kBroken,
     "tenacity.RetryError: RetryError[<Future at 0x7f state=finished raised "
     "ConnectionError>]\nrequests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, "
     "'Connection reset by peer'))"},
    {"tenacity", "python", kBroken,
     "tenacity.RetryError: RetryError[<Future at 0x7f state=finished raised "
     "ConnectionError>]\nrequests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end "
     "closed connection without response'))"},
    {"tenacity", "python", kSilent,
     "tenacity.RetryError: RetryError[<Future at 0x7f state=finished raised "
     "ReadTimeout>]\nrequests.exceptions.ReadTimeout: HTTPConnectionPool(host='127.0.0.1', port=9000): Read timed out. "
     "(read timeout=0.3)"},
    {"tenacity", "python", kStatus,
     "tenacity.RetryError: RetryError[<Future at 0x7f state=finished raised "
     "HTTPError>]\nrequests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: "
     "http://127.0.0.1:9000/x"},
    {"boto sqs", "python", kBroken,
     "botocore.exceptions.ConnectionClosedError: Connection was closed before we received a valid response from "
     "endpoint URL: \"http://127.0.0.1:9000/\"."},
    {"boto sqs", "python", kSilent,
     "botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL: \"http://127.0.0.1:9000/\""},
    {"boto sqs", "python", kStatus,
     "botocore.exceptions.ClientError: An error occurred (503) when calling the SendMessage operation (reached max "
     "retries: 2): retrial-x Service Unavailable"},
    {"boto sqs", "python", kStatus,
     "botocore.exceptions.ClientError: An error occurred (503) when calling the SendMessage operation (reached max "
     "retries: 2): Service Unavailable"},
    {"boto s3", "python", kBroken,
     "botocore.exceptions.ConnectionClosedError: Connection was closed before we received a valid response from "
     "endpoint URL: \"http://127.0.0.1:9000/b/k\"."},
    {"boto s3", "python", kSilent,
     "botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL: \"http://127.0.0.1:9000/b/k\""},
    {"boto s3", "python", kStatus,
     "botocore.exceptions.ClientError: An error occurred (503) when calling the PutObject operation (reached max "
     "retries: 2): Service Unavailable"},
    {"boto s3head", "python", kStatus,
     "botocore.exceptions.ClientError: An error occurred (503) when calling the HeadObject operation (reached max "
     "retries: 2): Service Unavailable"},
    {"http", "node", kBroken, "Error: read ECONNRESET [ECONNRESET]"},
    {"http", "node", kBroken, "Error: socket hang up [ECONNRESET]"},
    {"http abort", "node", kSilent,
     "AbortError: The operation was aborted [ABORT_ERR]\nTimeoutError: The operation was aborted due to timeout [23]"},
    {"fetch", "node", kBroken, "TypeError: fetch failed\nError: read ECONNRESET [ECONNRESET]"},
    {"fetch", "node", kBroken, "TypeError: fetch failed\nSocketError: other side closed [UND_ERR_SOCKET]"},
    {"fetch", "node", kSilent, "TimeoutError: The operation was aborted due to timeout [23]"},
    {"got", "node", kBroken, "RequestError: read ECONNRESET [ECONNRESET]"},
    {"got", "node", kBroken, "RequestError: socket hang up [ECONNRESET]"},
    {"got", "node", kSilent, "TimeoutError: Timeout awaiting 'request' for 300ms [ETIMEDOUT]"},
    {"got", "node", kStatus, "HTTPError: Response code 503 (Service Unavailable) [ERR_NON_2XX_3XX_RESPONSE]"},
    {"got resp timeout", "node", kSilent, "TimeoutError: Timeout awaiting 'response' for 300ms [ETIMEDOUT]"},
    {"axios", "node", kBroken, "Error: read ECONNRESET [ECONNRESET]\nError: read ECONNRESET [ECONNRESET]"},
    {"axios", "node", kBroken, "Error: socket hang up [ECONNRESET]\nError: socket hang up [ECONNRESET]"},
    {"axios", "node", kSilent, "AxiosError: timeout of 300ms exceeded [ECONNABORTED]"},
    {"axios", "node", kStatus, "AxiosError: Request failed with status code 503 [ERR_BAD_RESPONSE]"},
    {"axios signal", "node", kSilent, "CanceledError: canceled [ERR_CANCELED]"},
    {"node fetch", "node", kBroken,
     "FetchError: request to http://127.0.0.1:9000/x failed, reason: read ECONNRESET [ECONNRESET]"},
    {"node fetch", "node", kBroken,
     "FetchError: request to http://127.0.0.1:9000/x failed, reason: socket hang up [ECONNRESET]"},
    {"node fetch", "node", kSilent, "AbortError: The operation was aborted."},
    {"node fetch", "node", kStatus, "Error: Service Unavailable"},
    {"undici request", "node", kBroken, "SocketError: other side closed [UND_ERR_SOCKET]"},
    {"undici request", "node", kSilent, "HeadersTimeoutError: Headers Timeout Error [UND_ERR_HEADERS_TIMEOUT]"},
    {"undici retry", "node", kStatus, "RequestRetryError: Request failed [UND_ERR_REQ_RETRY]"},
    {"superagent", "node", kSilent, "Error: Timeout of 300ms exceeded [ECONNABORTED]"},
    {"ky", "node", kSilent, "TimeoutError: Request timed out: GET http://127.0.0.1:9000/x"},
    {"ky", "node", kStatus,
     "HTTPError: Request failed with status code 503 Service Unavailable: GET http://127.0.0.1:9000/x"},
    {"azure queue", "node", kBroken, "RestError: read ECONNRESET [ECONNRESET]"},
    {"azure queue", "node", kBroken, "RestError: socket hang up [ECONNRESET]"},
    {"azure queue", "node", kSilent,
     "AbortError: The operation was aborted. Rejecting from abort signal callback while making request."},
    {"azure queue", "node", kStatus, "RestError: retrial-x Service Unavailable"},
    {"azure queue", "node", kStatus, "RestError: <html><body>503 Service Unavailable</body></html>"},
    {"azure abort", "node", kBroken, "AbortError: The operation was aborted."},
    {"azure abort", "node", kStatus, "AbortError: The operation was aborted."},
    {"aws sqs", "node", kBroken, "TimeoutError: read ECONNRESET [ECONNRESET]"},
    {"aws sqs", "node", kBroken, "TimeoutError: socket hang up [ECONNRESET]"},
    {"net/http", "go", kBroken,
     "*url.Error: Get \"http://127.0.0.1:9000/x\": read tcp 127.0.0.1:40000->127.0.0.1:9000: read: connection reset by "
     "peer"},
    {"net/http post", "go", kBroken,
     "*url.Error: Post \"http://127.0.0.1:9000/x\": read tcp 127.0.0.1:40000->127.0.0.1:9000: read: connection reset "
     "by peer"},
    {"net/http", "go", kBroken, "*url.Error: Get \"http://127.0.0.1:9000/x\": EOF"},
    {"net/http post", "go", kBroken, "*url.Error: Post \"http://127.0.0.1:9000/x\": EOF"},
    {"net/http", "go", kSilent,
     "*url.Error: Get \"http://127.0.0.1:9000/x\": context deadline exceeded (Client.Timeout exceeded while awaiting "
     "headers)"},
    {"net/http post", "go", kSilent,
     "*url.Error: Post \"http://127.0.0.1:9000/x\": context deadline exceeded (Client.Timeout exceeded while awaiting "
     "headers)"},
    {"net/http context", "go", kSilent, "*url.Error: Get \"http://127.0.0.1:9000/x\": context deadline exceeded"},
    {"net/http header timeout", "go", kSilent,
     "*url.Error: Get \"http://127.0.0.1:9000/x\": net/http: timeout awaiting response headers"},
    {"HttpURLConnection", "java", kBroken, "java.net.SocketException: Connection reset"},
    {"java.net.http", "java", kBroken,
     "java.io.IOException: HTTP/1.1 header parser received no bytes\njava.io.IOException: HTTP/1.1 header parser "
     "received no bytes\njava.net.SocketException: Connection reset"},
    {"HttpURLConnection", "java", kBroken, "java.net.SocketException: Unexpected end of file from server"},
    {"java.net.http", "java", kBroken,
     "java.io.IOException: HTTP/1.1 header parser received no bytes\njava.io.IOException: HTTP/1.1 header parser "
     "received no bytes\njava.io.EOFException: EOF reached while reading"},
    {"HttpURLConnection", "java", kSilent, "java.net.SocketTimeoutException: Read timed out"},
    {"java.net.http", "java", kSilent, "java.net.http.HttpTimeoutException: request timed out"},
    {"HttpURLConnection", "java", kStatus,
     "java.io.IOException: Server returned HTTP response code: 503 for URL: http://127.0.0.1:9000/x"},
    {"grpcio", "python", kBroken,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.UNAVAILABLE\n\tdetails = \"Stream removed (recvmsg:Connection reset by peer (104))\"\n>"},
    {"grpcio", "python", kBroken,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.UNAVAILABLE\n\tdetails = \"Stream removed (Socket closed)\"\n>"},
    {"grpcio", "python", kBroken,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.INTERNAL\n\tdetails = \"Stream removed (RST_STREAM (Received RST_STREAM with error code 2))\"\n>"},
    {"grpcio", "python", kBroken,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.UNAVAILABLE\n\tdetails = \"Stream removed (GOAWAY received; Error code: 0; Debug Text: )\"\n>"},
    {"grpcio", "python", kBroken,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.CANCELLED\n\tdetails = \"Stream removed (RST_STREAM (Received RST_STREAM with error code 8))\"\n>"},
    {"grpcio", "python", kSilent,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.DEADLINE_EXCEEDED\n\tdetails = \"Stream removed (Deadline Exceeded)\"\n>"},
    {"grpcio", "python", kStatus,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.RESOURCE_EXHAUSTED\n\tdetails = \"\"\n\tdebug_error_string = \"RESOURCE_EXHAUSTED\"\n>"},
    {"grpcio", "python", kStatus,
     "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = "
     "StatusCode.UNAVAILABLE\n\tdetails = \"Received http2 header with status: 503\"\n>"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 14 UNAVAILABLE: read ECONNRESET"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 14 UNAVAILABLE: Connection dropped"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 13 INTERNAL: Received RST_STREAM with code 2 (Internal server error)"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 14 UNAVAILABLE: Stream refused by server"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 1 CANCELLED: Call cancelled"},
    {"@grpc/grpc-js", "node", kBroken, "Error: 12 UNIMPLEMENTED: No message received"},
    {"@grpc/grpc-js", "node", kSilent,
     "Error: 4 DEADLINE_EXCEEDED: Deadline exceeded after 2.002s,LB pick: 0.002s,remote_addr=127.0.0.1:9003"},
    {"@grpc/grpc-js", "node", kStatus, "Error: 8 RESOURCE_EXHAUSTED: "},
    {"@grpc/grpc-js", "node", kStatus, "Error: 14 UNAVAILABLE: Received HTTP status code 503"},
};

}  // namespace retrial::oracles
