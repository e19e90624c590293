"""envoy_grpc.py SERVICE CALLER: a gRPC service on one port, that counts what it executes, and calls of it through the Envoy on the other. What came of
each as JSON. Messages are bytes: nothing of protobuf is needed."""
import collections
import json
import sys
from concurrent import futures

import grpc

executed = collections.Counter()


class Orders(grpc.GenericRpcHandler):
    def service(self, call):
        def answer(_, context):
            executed[call.method] += 1
            if call.method.endswith("/Refused"):
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not now")
            return b"done"
        return grpc.unary_unary_rpc_method_handler(answer)


server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers([Orders()])
assert server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
server.start()
came = {}
with grpc.insecure_channel(f"127.0.0.1:{sys.argv[2]}", options=[("grpc.enable_retries", 0)]) as channel:
    for method in ("Plain", "First2", "Lost", "All", "Refused"):
        path = f"/shop.Orders/{method}"
        try:
            channel.unary_unary(path)(b"an order", timeout=30)
            code, details = "OK", ""
        except grpc.RpcError as error:
            code, details = error.code().name, error.details()
        came[method] = {"code": code, "details": details, "executed": executed[path]}
server.stop(None)
print(json.dumps(came))
