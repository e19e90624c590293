"""server.py [CERTIFICATE KEY]: gRPC's interop service on grpcio, on a port that the kernel picks and that it says. PYTHONPATH names the
folder of the stubs."""
import sys
import time
from concurrent import futures

import grpc
from interop_pb2 import Empty, Payload, SimpleResponse, StreamingInputCallResponse, StreamingOutputCallResponse
from interop_pb2_grpc import TestServiceServicer, add_TestServiceServicer_to_server

INITIAL, TRAILING = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"


def echo_metadata(context):
    sent = dict(context.invocation_metadata())
    if INITIAL in sent:
        context.send_initial_metadata(((INITIAL, sent[INITIAL]),))
    if TRAILING in sent:
        context.set_trailing_metadata(((TRAILING, sent[TRAILING]),))


def echo_status(request, context):
    wanted = request.response_status
    if wanted.code:
        context.abort(next(code for code in grpc.StatusCode if code.value[0] == wanted.code), wanted.message)


def outputs(request):
    for wanted in request.response_parameters:
        time.sleep(wanted.interval_us / 1e6)
        yield StreamingOutputCallResponse(payload=Payload(body=bytes(wanted.size)))


class Service(TestServiceServicer):
    def EmptyCall(self, request, context):
        return Empty()

    def UnaryCall(self, request, context):
        echo_metadata(context)
        echo_status(request, context)
        return SimpleResponse(payload=Payload(body=bytes(request.response_size)))

    def StreamingOutputCall(self, request, context):
        yield from outputs(request)

    def StreamingInputCall(self, requests, context):
        return StreamingInputCallResponse(aggregated_payload_size=sum(len(r.payload.body) for r in requests))

    def FullDuplexCall(self, requests, context):
        echo_metadata(context)
        for request in requests:
            echo_status(request, context)
            yield from outputs(request)


def main(certificate=None, key=None):
    server = grpc.server(futures.ThreadPoolExecutor(8))
    add_TestServiceServicer_to_server(Service(), server)
    if certificate:
        pair = open(key, "rb").read(), open(certificate, "rb").read()
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"port {port}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
