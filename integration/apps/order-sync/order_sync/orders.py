from order_sync import aws
from order_sync.models import Order, Received


class OrderQueue:
    """Orders that the shop has taken, in an SQS queue."""

    def __init__(self, queue_url: str) -> None:
        self._sqs = aws.client("sqs")
        self._queue_url = queue_url

    def put(self, order: Order) -> str:
        response = self._sqs.send_message(
            QueueUrl=self._queue_url,
            MessageBody=order.to_json(),
            MessageAttributes={
                "country": {"DataType": "String", "StringValue": order.country}
            },
        )
        return response["MessageId"]

    def take(self, limit: int = 10) -> list[Received]:
        response = self._sqs.receive_message(
            QueueUrl=self._queue_url,
            MaxNumberOfMessages=limit,
            VisibilityTimeout=120,
        )
        return [
            Received(Order.from_json(message["Body"]), message["ReceiptHandle"])
            for message in response.get("Messages", [])
        ]

    def finish(self, received: Received) -> None:
        self._sqs.delete_message(
            QueueUrl=self._queue_url, ReceiptHandle=received.receipt
        )

    def backlog(self) -> int:
        """Orders that nobody works on yet."""
        response = self._sqs.get_queue_attributes(
            QueueUrl=self._queue_url, AttributeNames=["ApproximateNumberOfMessages"]
        )
        return int(response["Attributes"]["ApproximateNumberOfMessages"])
