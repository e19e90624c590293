import json
import time
import uuid

import grpc
from etcd_pb2 import (
    Compare,
    DeleteRangeRequest,
    PutRequest,
    RangeRequest,
    RequestOp,
    TxnRequest,
)

from etcd_inventory.connection import TIMEOUT, Etcd, is_transient, prefix_end


class OutOfStock(Exception):
    pass


class Changed(Exception):
    """Somebody else has changed the item meanwhile."""


class Stock:
    """How many of each item lie in the warehouse, and for whom some are put aside."""

    def __init__(self, etcd: Etcd, warehouse: str) -> None:
        self._etcd = etcd
        self._root = f"/inventory/{warehouse}"

    def _item(self, sku: str) -> bytes:
        return f"{self._root}/stock/{sku}".encode()

    def _reservation(self, order: str) -> bytes:
        return f"{self._root}/reservations/{order}".encode()

    def level(self, sku: str) -> int:
        found = self._etcd.steady.Range(RangeRequest(key=self._item(sku)), timeout=TIMEOUT)
        return int(found.kvs[0].value) if found.kvs else 0

    def count_in(self, sku: str, level: int) -> None:
        """What the yearly count has found."""
        self._etcd.steady.Put(PutRequest(key=self._item(sku), value=str(level).encode()), timeout=TIMEOUT)

    def discontinue(self, sku: str) -> None:
        self._etcd.steady.DeleteRange(DeleteRangeRequest(key=self._item(sku)), timeout=TIMEOUT)

    def skus(self) -> list[str]:
        prefix = self._item("")
        found = self._etcd.steady.Range(RangeRequest(key=prefix, range_end=prefix_end(prefix)))
        return [kv.key.decode().removeprefix(prefix.decode()) for kv in found.kvs]

    def sell(self, sku: str, quantity: int) -> int:
        """Takes items off the shelf; answers how many are left."""
        for attempt in range(4):
            try:
                found = self._etcd.kv.Range(RangeRequest(key=self._item(sku)), timeout=TIMEOUT)
                left = int(found.kvs[0].value) - quantity
                self._etcd.kv.Put(PutRequest(key=self._item(sku), value=str(left).encode()), timeout=TIMEOUT)
                return left
            except grpc.RpcError as error:
                if attempt == 3 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def correct(self, sku: str, level: int, seen: int) -> None:
        """Sets a level that was `seen` before; raises Changed where it no longer is that."""
        answer = self._etcd.steady.Txn(
            TxnRequest(
                compare=[Compare(target=Compare.VALUE, key=self._item(sku), value=str(seen).encode())],
                success=[RequestOp(request_put=PutRequest(key=self._item(sku), value=str(level).encode()))],
            ),
            timeout=TIMEOUT,
        )
        if not answer.succeeded:
            raise Changed(sku)

    def reserve(self, order: str, sku: str, quantity: int) -> None:
        """Puts items aside for an order, once, however often it is asked to."""
        key, attempts = self._reservation(order), 0
        while True:
            item = self._read(sku)
            left = int(item.value) - quantity
            if left < 0:
                raise OutOfStock(sku)
            request = TxnRequest(
                compare=[
                    Compare(target=Compare.CREATE, key=key, create_revision=0),
                    Compare(target=Compare.MOD, key=item.key, mod_revision=item.mod_revision),
                ],
                success=[
                    RequestOp(request_put=PutRequest(key=item.key, value=str(left).encode())),
                    RequestOp(request_put=PutRequest(key=key, value=json.dumps([sku, quantity]).encode())),
                ],
                failure=[RequestOp(request_range=RangeRequest(key=key))],
            )
            try:
                answer = self._etcd.steady.Txn(request, timeout=TIMEOUT)
            except grpc.RpcError as error:
                attempts += 1
                if attempts == 3 or error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise
                continue
            # Refused because the reservation is there: it is this order's, made by us before.
            if answer.succeeded or answer.responses[0].response_range.kvs:
                return

    def _read(self, sku: str):
        found = self._etcd.steady.Range(RangeRequest(key=self._item(sku)), timeout=TIMEOUT)
        if not found.kvs:
            raise OutOfStock(sku)
        return found.kvs[0]

    def note(self, sku: str, change: int) -> None:
        """Writes a movement into the journal."""
        for attempt in range(4):
            try:
                entry = f"{self._root}/journal/{time.time_ns()}-{uuid.uuid4().hex}".encode()
                value = json.dumps({"sku": sku, "change": change}).encode()
                self._etcd.kv.Put(PutRequest(key=entry, value=value), timeout=TIMEOUT)
                return
            except grpc.RpcError as error:
                if attempt == 3 or not is_transient(error):
                    raise
                time.sleep(0.1 * 2**attempt)

    def journal(self) -> list[dict]:
        prefix = f"{self._root}/journal/".encode()
        found = self._etcd.steady.Range(RangeRequest(key=prefix, range_end=prefix_end(prefix)), timeout=TIMEOUT)
        return [json.loads(kv.value) for kv in found.kvs]
