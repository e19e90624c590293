from order_sync.models import Order

LAMP = Order(id="1001", sku="lamp-1", quantity=2)


def bodies(sqs, queue_url):
    received = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)
    return [message["Body"] for message in received.get("Messages", [])]


def test_an_order_is_put_into_the_queue(orders, sqs, queue_url):
    assert orders.put(LAMP)
    assert bodies(sqs, queue_url)[0] == LAMP.to_json()


def test_orders_are_taken_with_what_was_put(orders, sqs, queue_url):
    sent = [Order(id=str(n), sku="lamp-1", quantity=n) for n in (1, 2, 3)]
    for order in sent:
        sqs.send_message(QueueUrl=queue_url, MessageBody=order.to_json())
    taken = [received.order for received in orders.take()]
    assert sorted(taken, key=lambda order: order.id) == sent


def test_an_empty_queue_gives_no_orders(orders):
    assert orders.take() == []


def test_a_finished_order_is_gone(orders, sqs, queue_url):
    sqs.send_message(QueueUrl=queue_url, MessageBody=LAMP.to_json())
    [received] = orders.take()
    orders.finish(received)
    attributes = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["All"])
    assert attributes["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "0"


def test_the_backlog_is_counted(orders, sqs, queue_url):
    assert orders.backlog() == 0
    sqs.send_message(QueueUrl=queue_url, MessageBody=LAMP.to_json())
    assert orders.backlog() == 1
