from decimal import Decimal

import pytest
import requests

from order_sync.catalogue import CatalogueClient
from order_sync.inventory import InventoryClient, OutOfStock
from order_sync.models import Product
from order_sync.pricing import PricingClient
from order_sync.shipping import ShippingClient


@pytest.fixture
def catalogue(partner):
    client = CatalogueClient(partner.url)
    yield client
    client.close()


@pytest.fixture
def inventory(partner):
    client = InventoryClient(partner.url)
    yield client
    client.close()


@pytest.fixture
def pricing(partner):
    return PricingClient(partner.url)


@pytest.fixture
def shipping(partner):
    return ShippingClient(partner.url)


def test_a_product_is_found(catalogue):
    assert catalogue.product("lamp-1") == Product("lamp-1", "Desk lamp", 800)


def test_an_unknown_product_is_an_error(catalogue):
    with pytest.raises(requests.HTTPError, match="404"):
        catalogue.product("lamp-9")


def test_products_are_searched(catalogue):
    assert catalogue.search("lamp") == ["lamp-1", "lamp-2"]


def test_a_restart_of_the_catalogue_goes_unnoticed(catalogue, partner):
    partner.fail_once("GET", "/products/sofa-1")
    assert catalogue.product("sofa-1").title == "Sofa"
    assert partner.requests["GET", "/products/sofa-1"] == 2


def test_the_stock_level_is_read(inventory):
    assert inventory.level("lamp-1") == 10


def test_goods_are_reserved(inventory, partner):
    inventory.reserve("1001", "lamp-1", 2)
    assert partner.reservations == {"1001": {"sku": "lamp-1", "quantity": 2}}
    assert partner.stock["lamp-1"] == 8


def test_what_is_out_of_stock_is_not_reserved(inventory):
    with pytest.raises(OutOfStock):
        inventory.reserve("1001", "lamp-2", 1)


def test_a_reservation_is_released(inventory, partner):
    partner.reservations["1001"] = {"sku": "lamp-1", "quantity": 2}
    inventory.release("1001")
    assert partner.reservations == {}
    assert partner.stock["lamp-1"] == 12


def test_a_price_depends_on_the_country(pricing):
    assert pricing.price("lamp-1", "DE") == Decimal("24.90")
    assert pricing.price("lamp-1", "AT") == Decimal("25.90")


def test_a_discount_is_put(pricing, partner):
    pricing.put_discount("lamp-1", "DE", 15)
    assert partner.discounts == {("DE", "lamp-1"): 15}


def test_a_label_is_booked(shipping, partner):
    assert shipping.book_label("1001", "DE", 1600) == "T0001"
    assert partner.labels == [{"reference": "1001", "country": "DE", "weight_g": 1600}]


def test_a_parcel_is_tracked(shipping):
    assert shipping.status("T0001") == "in transit"
