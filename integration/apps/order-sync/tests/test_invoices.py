import json

import pytest
from botocore.exceptions import ClientError

INVOICE = {"order": "1001", "total": "49.80"}


def test_an_invoice_is_filed(invoices, s3, bucket):
    invoices.put("1001", INVOICE)
    stored = s3.get_object(Bucket=bucket, Key="invoices/1001.json")
    assert stored["ContentType"] == "application/json"
    assert json.load(stored["Body"]) == INVOICE


def test_an_invoice_is_read(invoices, s3, bucket):
    s3.put_object(Bucket=bucket, Key="invoices/1001.json", Body=json.dumps(INVOICE))
    assert invoices.get("1001") == INVOICE


def test_a_missing_invoice_is_an_error(invoices):
    with pytest.raises(ClientError, match="NoSuchKey"):
        invoices.get("1001")


def test_invoices_are_looked_up(invoices, s3, bucket):
    s3.put_object(Bucket=bucket, Key="invoices/1001.json", Body=b"{}")
    assert invoices.exists("1001")
    assert not invoices.exists("1002")


def test_invoices_are_listed(invoices, s3, bucket):
    for order in ("1001", "1002"):
        s3.put_object(Bucket=bucket, Key=f"invoices/{order}.json", Body=b"{}")
    assert invoices.order_ids() == ["1001", "1002"]
