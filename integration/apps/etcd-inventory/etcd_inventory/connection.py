"""The connection to etcd: one channel that repeats calls by itself, and one that does not."""
import json

import grpc
from etcd_pb2_grpc import KVStub, LeaseStub, WatchStub

TIMEOUT = 3  # seconds a call may take, its repeats included

_RETRIES = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
_SERVICE_CONFIG = {"methodConfig": [{"name": [{"service": "etcdserverpb.KV"}], "retryPolicy": _RETRIES}]}
_OPTIONS = [("grpc.max_reconnect_backoff_ms", 1000), ("grpc.initial_reconnect_backoff_ms", 100)]


class Etcd:
    """`steady` repeats a call of KV on UNAVAILABLE, up to four times; whoever uses `kv`, `lease` and
    `watch` repeats by hand, where that is wanted."""

    def __init__(self, target: str) -> None:
        config = ("grpc.service_config", json.dumps(_SERVICE_CONFIG))
        self._steady = grpc.insecure_channel(target, [*_OPTIONS, config])
        self._plain = grpc.insecure_channel(target, [*_OPTIONS, ("grpc.enable_retries", 0)])
        self.steady = KVStub(self._steady)
        self.kv = KVStub(self._plain)
        self.lease = LeaseStub(self._plain)
        self.watch = WatchStub(self._plain)

    def close(self) -> None:
        self._steady.close()
        self._plain.close()


def prefix_end(prefix: bytes) -> bytes:
    """The first key behind all keys that begin with `prefix`."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def is_transient(error: grpc.RpcError) -> bool:
    return error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
