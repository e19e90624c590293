import pytest

from order_sync.catalogue import CatalogueClient
from order_sync.inventory import InventoryClient
from order_sync.models import Order
from order_sync.pricing import PricingClient
from order_sync.shipping import ShippingClient
from order_sync.sync import OrderSync


@pytest.fixture
def sync(orders, invoices, partner):
    return OrderSync(
        orders,
        invoices,
        CatalogueClient(partner.url),
        PricingClient(partner.url),
        InventoryClient(partner.url),
        ShippingClient(partner.url),
    )


def test_an_order_is_shipped_and_invoiced(sync, orders, invoices, partner):
    orders.put(Order(id="1001", sku="lamp-1", quantity=2))
    assert sync.run_once() == ["1001"]
    assert invoices.get("1001") == {
        "order": "1001",
        "title": "Desk lamp",
        "total": "49.80",
        "tracking": "T0001",
    }
    assert len(partner.labels) == 1
    assert orders.take() == []


def test_an_order_that_comes_twice_is_shipped_once(sync, orders, partner):
    for _ in range(2):
        orders.put(Order(id="1001", sku="lamp-1", quantity=1))
    while sync.run_once():
        pass
    assert len(partner.labels) == 1


def test_an_empty_queue_is_no_work(sync, partner):
    assert sync.run_once() == []
    assert not partner.requests
