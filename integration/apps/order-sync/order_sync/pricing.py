from decimal import Decimal

import requests
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_exponential

from order_sync.config import PARTNER_TIMEOUT


def _is_transient(error: BaseException) -> bool:
    if isinstance(error, requests.HTTPError):
        return error.response.status_code in (429, 500, 502, 503, 504)
    return isinstance(error, (requests.ConnectionError, requests.Timeout))


_patiently = retry(
    retry=retry_if_exception(_is_transient),
    wait=wait_exponential(multiplier=0.4, max=5),
    stop=stop_after_attempt(4),
    reraise=True,
)


class PricingClient:
    """Prices by country. Both calls may be repeated."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")

    @_patiently
    def price(self, sku: str, country: str) -> Decimal:
        response = requests.get(
            f"{self._base_url}/prices/{country}/{sku}", timeout=PARTNER_TIMEOUT
        )
        response.raise_for_status()
        return Decimal(response.json()["amount"])

    @_patiently
    def put_discount(self, sku: str, country: str, percent: int) -> None:
        response = requests.put(
            f"{self._base_url}/prices/{country}/{sku}/discount",
            json={"percent": percent},
            timeout=PARTNER_TIMEOUT,
        )
        response.raise_for_status()
