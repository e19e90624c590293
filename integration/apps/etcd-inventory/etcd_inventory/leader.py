import secrets
import time

import grpc
from etcd_pb2 import (
    Compare,
    DeleteRangeRequest,
    LeaseGrantRequest,
    LeaseKeepAliveRequest,
    LeaseLeasesRequest,
    LeaseRevokeRequest,
    PutRequest,
    RangeRequest,
    RequestOp,
    TxnRequest,
)

from etcd_inventory.connection import TIMEOUT, Etcd, is_transient


class Leases:
    """Keys of a lease vanish with it."""

    def __init__(self, etcd: Etcd) -> None:
        self._lease = etcd.lease

    def grant(self, seconds: int) -> int:
        for attempt in range(3):
            try:
                return self._lease.LeaseGrant(LeaseGrantRequest(TTL=seconds), timeout=TIMEOUT).ID
            except grpc.RpcError as error:
                if attempt == 2 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def grant_own(self, seconds: int) -> int:
        """A lease whose id is chosen here."""
        request = LeaseGrantRequest(TTL=seconds, ID=secrets.randbits(62) + 1)
        for attempt in range(3):
            try:
                return self._lease.LeaseGrant(request, timeout=TIMEOUT).ID
            except grpc.RpcError as error:
                # Nobody else has this id: the attempt before was executed.
                if attempt > 0 and error.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return request.ID
                if attempt == 2 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def revoke(self, lease: int) -> None:
        for attempt in range(4):
            try:
                self._lease.LeaseRevoke(LeaseRevokeRequest(ID=lease), timeout=TIMEOUT)
                return
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    return
                if attempt == 3 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def keep_alive(self, lease: int) -> int:
        """Prolongs a lease; answers its seconds from now on, 0 where it is gone."""
        for attempt in range(4):
            try:
                beats = self._lease.LeaseKeepAlive(iter([LeaseKeepAliveRequest(ID=lease)]), timeout=TIMEOUT)
                return next(beats).TTL
            except grpc.RpcError as error:
                if attempt == 3 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def all(self) -> list[int]:
        return [lease.ID for lease in self._lease.LeaseLeases(LeaseLeasesRequest(), timeout=TIMEOUT).leases]


class Election:
    """One of several workers leads: whoever has put the key."""

    def __init__(self, etcd: Etcd, warehouse: str) -> None:
        self._kv = etcd.steady
        self._key = f"/leaders/{warehouse}".encode()

    def stand(self, worker: str, lease: int) -> bool:
        """True if `worker` leads from now on, False if another one does."""
        answer = self._kv.Txn(
            TxnRequest(
                compare=[Compare(target=Compare.CREATE, key=self._key, create_revision=0)],
                success=[RequestOp(request_put=PutRequest(key=self._key, value=worker.encode(), lease=lease))],
            ),
            timeout=TIMEOUT,
        )
        return answer.succeeded

    def leader(self) -> str | None:
        found = self._kv.Range(RangeRequest(key=self._key), timeout=TIMEOUT)
        return found.kvs[0].value.decode() if found.kvs else None

    def resign(self, worker: str) -> None:
        """No longer leads; nothing happens where another one does."""
        self._kv.Txn(
            TxnRequest(
                compare=[Compare(target=Compare.VALUE, key=self._key, value=worker.encode())],
                success=[RequestOp(request_delete_range=DeleteRangeRequest(key=self._key))],
            ),
            timeout=TIMEOUT,
        )
