"""client.py CASE HOST:PORT [AUTHORITY]: one of gRPC's interop cases on grpcio, over TLS where a PEM file of an authority is named.
Ends with 0 if all came out as it should. PYTHONPATH names the folder of the stubs."""
import queue
import sys

import grpc
from interop_pb2 import (EchoStatus, Empty, Payload, ResponseParameters, SimpleRequest, StreamingInputCallRequest,
                         StreamingOutputCallRequest)
from interop_pb2_grpc import TestServiceStub

LIMIT = 15
REQUESTS, RESPONSES = (27182, 8, 1828, 45904), (31415, 9, 2653, 58979)
LARGE_REQUEST, LARGE_RESPONSE = 271828, 314159
INITIAL, TRAILING = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"
METADATA = ((INITIAL, "test_initial_metadata_value"), (TRAILING, b"\x0a\x0b\x0a\x0b\x0a\x0b"))
UNKNOWN = grpc.StatusCode.UNKNOWN


def payload(size):
    return Payload(body=bytes(size))


def output_request(request=None, response=None, **more):
    return StreamingOutputCallRequest(payload=None if request is None else payload(request),
                                      response_parameters=[] if response is None else [ResponseParameters(size=response)], **more)


def same(seen, expected):
    if seen != expected:
        raise AssertionError(f"{str(seen)[:200]!r}, not {str(expected)[:200]!r}")


def is_payload(response, size):
    same(response.payload.type, 0)
    same(len(response.payload.body), size)
    same(response.payload.body.strip(b"\0"), b"")


def fails(code, call, details=None):
    """`call` raises this status; the details are compared where they are given."""
    try:
        call()
    except grpc.RpcError as error:
        same(error.code(), code)
        if details is not None:
            same(error.details(), details)
    else:
        raise AssertionError(f"no error; {code} was expected")


class Duplex:
    """A FullDuplexCall whose requests are sent one at a time."""

    def __init__(self, stub, timeout=LIMIT, **more):
        self.requests = queue.SimpleQueue()
        self.call = stub.FullDuplexCall(iter(self.requests.get, None), timeout=timeout, **more)

    def send(self, request):
        self.requests.put(request)

    def receive(self):
        return next(self.call)

    def end(self):
        self.requests.put(None)
        same(list(self.call), [])


def empty_unary(stub, _):
    same(stub.EmptyCall(Empty(), timeout=LIMIT).ByteSize(), 0)


def large_unary(stub, _):
    is_payload(stub.UnaryCall(SimpleRequest(response_size=LARGE_RESPONSE, payload=payload(LARGE_REQUEST)), timeout=LIMIT), LARGE_RESPONSE)


def client_streaming(stub, _):
    answer = stub.StreamingInputCall((StreamingInputCallRequest(payload=payload(n)) for n in REQUESTS), timeout=LIMIT)
    same(answer.aggregated_payload_size, sum(REQUESTS))


def server_streaming(stub, _):
    request = StreamingOutputCallRequest(response_parameters=[ResponseParameters(size=n) for n in RESPONSES])
    answers = list(stub.StreamingOutputCall(request, timeout=LIMIT))
    same(len(answers), len(RESPONSES))
    for answer, size in zip(answers, RESPONSES):
        is_payload(answer, size)


def ping_pong(stub, _):
    stream = Duplex(stub)
    for request, response in zip(REQUESTS, RESPONSES):
        stream.send(output_request(request, response))
        is_payload(stream.receive(), response)
    stream.end()
    same(stream.call.code(), grpc.StatusCode.OK)


def empty_stream(stub, _):
    stream = Duplex(stub)
    stream.end()
    same(stream.call.code(), grpc.StatusCode.OK)


def timeout_on_sleeping_server(stub, channel):
    grpc.channel_ready_future(channel).result(LIMIT)  # so that the deadline is not over before there is a connection
    stream = Duplex(stub, timeout=0.1)
    stream.send(output_request(27182))
    fails(grpc.StatusCode.DEADLINE_EXCEEDED, stream.receive)


def cancel_after_begin(stub, _):
    requests = queue.SimpleQueue()
    call = stub.StreamingInputCall.future(iter(requests.get, None), timeout=LIMIT, metadata=(("key1", "value1"), ("key2", "value2")))
    call.cancel()
    requests.put(None)
    same((call.cancelled(), call.code()), (True, grpc.StatusCode.CANCELLED))


def cancel_after_first_response(stub, _):
    stream = Duplex(stub)
    stream.send(output_request(27182, 31415))
    is_payload(stream.receive(), 31415)
    stream.call.cancel()
    fails(grpc.StatusCode.CANCELLED, stream.receive)


def status_code_and_message(stub, _):
    wanted = EchoStatus(code=UNKNOWN.value[0], message="test status message")
    fails(UNKNOWN, lambda: stub.UnaryCall(SimpleRequest(response_status=wanted), timeout=LIMIT), wanted.message)
    stream = Duplex(stub)
    stream.send(output_request(response_status=wanted))
    fails(UNKNOWN, stream.end, wanted.message)


def special_status_message(stub, _):
    wanted = EchoStatus(code=UNKNOWN.value[0], message="\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n")
    fails(UNKNOWN, lambda: stub.UnaryCall(SimpleRequest(response_status=wanted), timeout=LIMIT), wanted.message)


def custom_metadata(stub, _):
    def echoed(call):
        same([pair for pair in call.initial_metadata() if pair[0] == INITIAL], [METADATA[0]])
        same([pair for pair in call.trailing_metadata() if pair[0] == TRAILING], [METADATA[1]])

    answer, call = stub.UnaryCall.with_call(SimpleRequest(response_size=1, payload=payload(1)), timeout=LIMIT, metadata=METADATA)
    is_payload(answer, 1)
    echoed(call)
    stream = Duplex(stub, metadata=METADATA)
    stream.send(output_request(1, 1))
    is_payload(stream.receive(), 1)
    stream.end()
    echoed(stream.call)


def unimplemented_method(_, channel, service="TestService"):
    call = channel.unary_unary(f"/grpc.testing.{service}/UnimplementedCall", Empty.SerializeToString, Empty.FromString)
    fails(grpc.StatusCode.UNIMPLEMENTED, lambda: call(Empty(), timeout=LIMIT))


def unimplemented_service(_, channel):
    unimplemented_method(_, channel, "UnimplementedService")


CASES = {case.__name__: case for case in (
    empty_unary, large_unary, client_streaming, server_streaming, ping_pong, empty_stream, timeout_on_sleeping_server, cancel_after_begin,
    cancel_after_first_response, status_code_and_message, special_status_message, custom_metadata, unimplemented_method,
    unimplemented_service)}


def main(case, target, authority=None):
    if authority:
        channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(open(authority, "rb").read()))
    else:
        channel = grpc.insecure_channel(target)
    with channel:
        CASES[case](TestServiceStub(channel), channel)


if __name__ == "__main__":
    main(*sys.argv[1:])
