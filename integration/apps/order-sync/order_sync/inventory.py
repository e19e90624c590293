import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from order_sync.config import PARTNER_TIMEOUT


class OutOfStock(Exception):
    pass


class InventoryClient:
    """Stock levels and reservations, at the warehouse."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._session = requests.Session()
        retry = Retry(
            total=3,
            backoff_factor=0.3,
            backoff_jitter=0.1,
            status_forcelist=[429, 502, 503, 504],
            raise_on_status=False,
        )
        self._session.mount("http://", HTTPAdapter(max_retries=retry))
        self._session.mount("https://", HTTPAdapter(max_retries=retry))

    def level(self, sku: str) -> int:
        response = self._session.get(
            f"{self._base_url}/stock/{sku}", timeout=PARTNER_TIMEOUT
        )
        response.raise_for_status()
        return response.json()["available"]

    def reserve(self, order_id: str, sku: str, quantity: int) -> None:
        """Reserves goods for an order; the same order may be put again."""
        response = self._session.put(
            f"{self._base_url}/reservations/{order_id}",
            json={"sku": sku, "quantity": quantity},
            timeout=PARTNER_TIMEOUT,
        )
        if response.status_code == 422:
            raise OutOfStock(sku)
        response.raise_for_status()

    def release(self, order_id: str) -> None:
        response = self._session.delete(
            f"{self._base_url}/reservations/{order_id}", timeout=PARTNER_TIMEOUT
        )
        if response.status_code != 404:
            response.raise_for_status()

    def close(self) -> None:
        self._session.close()
