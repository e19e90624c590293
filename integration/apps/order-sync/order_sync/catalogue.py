import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from order_sync.config import PARTNER_TIMEOUT
from order_sync.models import Product


class CatalogueClient:
    """Products, from the catalogue. It is restarted now and then, so GETs are retried."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._session = requests.Session()
        retry = Retry(total=5, status_forcelist=[502, 503, 504])
        self._session.mount("http://", HTTPAdapter(max_retries=retry))
        self._session.mount("https://", HTTPAdapter(max_retries=retry))

    def product(self, sku: str) -> Product:
        response = self._session.get(
            f"{self._base_url}/products/{sku}", timeout=PARTNER_TIMEOUT
        )
        response.raise_for_status()
        return Product(**response.json())

    def search(self, text: str) -> list[str]:
        response = self._session.get(
            f"{self._base_url}/products", params={"q": text}, timeout=PARTNER_TIMEOUT
        )
        response.raise_for_status()
        return [item["sku"] for item in response.json()["items"]]

    def close(self) -> None:
        self._session.close()
