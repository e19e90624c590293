import json

from botocore.exceptions import ClientError

from order_sync import aws


class InvoiceStore:
    """Invoices as JSON documents, in an S3 bucket."""

    def __init__(self, bucket: str) -> None:
        self._s3 = aws.client("s3")
        self._bucket = bucket

    def put(self, order_id: str, invoice: dict) -> None:
        self._s3.put_object(
            Bucket=self._bucket,
            Key=self._key(order_id),
            Body=json.dumps(invoice, sort_keys=True).encode(),
            ContentType="application/json",
        )

    def get(self, order_id: str) -> dict:
        response = self._s3.get_object(Bucket=self._bucket, Key=self._key(order_id))
        return json.load(response["Body"])

    def exists(self, order_id: str) -> bool:
        try:
            self._s3.head_object(Bucket=self._bucket, Key=self._key(order_id))
        except ClientError as error:
            if error.response["Error"]["Code"] == "404":
                return False
            raise
        return True

    def order_ids(self) -> list[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix="invoices/"
        )
        ids = []
        for page in pages:
            for item in page.get("Contents", []):
                ids.append(item["Key"].removeprefix("invoices/").removesuffix(".json"))
        return ids

    @staticmethod
    def _key(order_id: str) -> str:
        return f"invoices/{order_id}.json"
