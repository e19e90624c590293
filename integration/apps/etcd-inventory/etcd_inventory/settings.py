import time

import grpc
from etcd_pb2 import PutRequest, RangeRequest, WatchCreateRequest, WatchRequest

from etcd_inventory.connection import TIMEOUT, Etcd, prefix_end


class Settings:
    """What the warehouse's operators may change while everything runs."""

    def __init__(self, etcd: Etcd, warehouse: str) -> None:
        self._etcd = etcd
        self._prefix = f"/settings/{warehouse}/".encode()

    def get(self, name: str, default: str) -> str:
        try:
            found = self._etcd.kv.Range(RangeRequest(key=self._prefix + name.encode()), timeout=TIMEOUT)
        except grpc.RpcError:
            return default
        return found.kvs[0].value.decode() if found.kvs else default

    def all(self) -> dict[str, str]:
        """Waits until etcd is there: nothing works without the settings."""
        request = RangeRequest(key=self._prefix, range_end=prefix_end(self._prefix))
        while True:
            try:
                found = self._etcd.kv.Range(request, timeout=TIMEOUT)
                return {kv.key[len(self._prefix):].decode(): kv.value.decode() for kv in found.kvs}
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise

    def put(self, name: str, value: str, lease: int = 0) -> None:
        request = PutRequest(key=self._prefix + name.encode(), value=value.encode(), lease=lease)
        for attempt in range(5):
            try:
                self._etcd.kv.Put(request, timeout=TIMEOUT)
                return
            except grpc.RpcError:
                if attempt == 4:
                    raise
                time.sleep(0.05 * 2**attempt)

    def wait_for(self, name: str, value: str, since: int, patience: float = 10) -> None:
        """Waits until a setting is given a value, in a revision from `since` on."""
        key, delay = self._prefix + name.encode(), 0.1
        deadline = time.monotonic() + patience
        while True:
            create = WatchCreateRequest(key=key, start_revision=since)
            requests = iter([WatchRequest(create_request=create)])
            answers = self._etcd.watch.Watch(requests, timeout=deadline - time.monotonic())
            try:
                for answer in answers:
                    for event in answer.events:
                        if event.kv.value == value.encode():
                            return
                        since = event.kv.mod_revision + 1
                        delay = 0.1
            except grpc.RpcError as error:
                if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                    raise
            finally:
                answers.cancel()
            if time.monotonic() + delay >= deadline:
                raise TimeoutError(f"{name} has not become {value}")
            time.sleep(delay)
            delay = min(2 * delay, 2)

    def revision(self) -> int:
        """etcd's revision now."""
        request = RangeRequest(key=self._prefix, limit=1)
        return self._etcd.steady.Range(request, timeout=TIMEOUT).header.revision
