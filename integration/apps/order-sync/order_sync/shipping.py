import requests

from order_sync.config import PARTNER_TIMEOUT


class ShippingClient:
    """Labels and tracking, at the carrier."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")

    def book_label(self, order_id: str, country: str, weight_g: int) -> str:
        """Books a parcel, which costs money each time: a failure is left to the operator."""
        response = requests.post(
            f"{self._base_url}/labels",
            json={"reference": order_id, "country": country, "weight_g": weight_g},
            timeout=PARTNER_TIMEOUT,
        )
        response.raise_for_status()
        return response.json()["tracking"]

    def status(self, tracking: str) -> str:
        response = requests.get(f"{self._base_url}/tracking/{tracking}")
        response.raise_for_status()
        return response.json()["status"]
