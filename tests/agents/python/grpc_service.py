"""A real gRPC server of grpcio that remembers the tags of each call. It knows four methods, one a
kind, and answers bytes; those of /test.Flaky fail with UNAVAILABLE twice of three times."""
from concurrent import futures

import grpc

STREAMS = {"One": (False, False), "Down": (False, True), "Up": (True, False), "Both": (True, True)}


class GrpcService:
    """`tags`: of each call, without x-retrial-, its `path`, and `previous` (grpc-previous-rpc-attempts)
    where the client sent it. `leaf`: a file without its ending; then it speaks TLS."""

    def __init__(self, leaf=None, address="127.0.0.1:0"):
        self.tags = []
        self._flaky = 0
        self._server = grpc.server(futures.ThreadPoolExecutor(8))
        self._server.add_generic_rpc_handlers((_Handlers(self),))
        if leaf:
            pair = (leaf.with_suffix(".key").read_bytes(), leaf.with_suffix(".pem").read_bytes())
            port = self._server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
        else:
            port = self._server.add_insecure_port(address)
        self.target = "127.0.0.1:%d" % port
        self._server.start()

    def stop(self):
        self._server.stop(None).wait()

    def called(self, path, context):
        tag = {"path": path}
        for name, value in context.invocation_metadata():
            if name.startswith("x-retrial-"):
                tag[name[len("x-retrial-"):]] = value
            elif name == "x-mine":
                tag["mine"] = value
        self.tags.append(tag)
        if path.startswith("/test.Flaky/"):
            self._flaky += 1
            if self._flaky % 3:
                context.abort(grpc.StatusCode.UNAVAILABLE, "not now")


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, service):
        self._service = service

    def service(self, details):
        kind = details.method.rpartition("/")[2]
        if kind not in STREAMS:
            return None
        up, down = STREAMS[kind]

        def answer(request, context):
            self._service.called(details.method, context)
            size = b"%d" % (sum(map(len, request)) if up else len(request))
            return iter([size, b"end"]) if down else size

        made = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, False): grpc.stream_unary_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[up, down]
        return made(answer)
