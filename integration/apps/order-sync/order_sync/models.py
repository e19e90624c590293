from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Order:
    id: str
    sku: str
    quantity: int
    country: str = "DE"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Order:
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Product:
    sku: str
    title: str
    weight_g: int


@dataclass(frozen=True)
class Received:
    """An order taken from the queue, with the receipt by which it is finished."""

    order: Order
    receipt: str
