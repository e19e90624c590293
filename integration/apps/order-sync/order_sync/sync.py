from order_sync.catalogue import CatalogueClient
from order_sync.inventory import InventoryClient
from order_sync.invoices import InvoiceStore
from order_sync.models import Order
from order_sync.orders import OrderQueue
from order_sync.pricing import PricingClient
from order_sync.shipping import ShippingClient


class OrderSync:
    """Takes orders, has them shipped, and files an invoice for each."""

    def __init__(
        self,
        orders: OrderQueue,
        invoices: InvoiceStore,
        catalogue: CatalogueClient,
        pricing: PricingClient,
        inventory: InventoryClient,
        shipping: ShippingClient,
    ) -> None:
        self._orders = orders
        self._invoices = invoices
        self._catalogue = catalogue
        self._pricing = pricing
        self._inventory = inventory
        self._shipping = shipping

    def run_once(self) -> list[str]:
        """Works through one batch; answers the ids of the orders done."""
        done = []
        for received in self._orders.take():
            order = received.order
            # A message may be delivered twice: an order with an invoice is done.
            if not self._invoices.exists(order.id):
                self._invoices.put(order.id, self._fulfil(order))
                done.append(order.id)
            self._orders.finish(received)
        return done

    def _fulfil(self, order: Order) -> dict:
        product = self._catalogue.product(order.sku)
        price = self._pricing.price(order.sku, order.country)
        self._inventory.reserve(order.id, order.sku, order.quantity)
        tracking = self._shipping.book_label(
            order.id, order.country, product.weight_g * order.quantity
        )
        return {
            "order": order.id,
            "title": product.title,
            "total": str(price * order.quantity),
            "tracking": tracking,
        }
