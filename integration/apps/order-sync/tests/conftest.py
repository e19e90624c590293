import os
import uuid

import pytest

os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")

from order_sync import aws  # noqa: E402
from order_sync.invoices import InvoiceStore  # noqa: E402
from order_sync.orders import OrderQueue  # noqa: E402
from tests.partner import Partner  # noqa: E402


@pytest.fixture(scope="session")
def sqs():
    return aws.client("sqs")


@pytest.fixture(scope="session")
def s3():
    return aws.client("s3")


@pytest.fixture
def queue_url(sqs):
    url = sqs.create_queue(QueueName=f"orders-{uuid.uuid4().hex[:12]}")["QueueUrl"]
    yield url
    sqs.delete_queue(QueueUrl=url)


@pytest.fixture
def bucket(s3):
    name = f"invoices-{uuid.uuid4().hex[:12]}"
    s3.create_bucket(
        Bucket=name,
        CreateBucketConfiguration={"LocationConstraint": s3.meta.region_name},
    )
    yield name
    for item in s3.list_objects_v2(Bucket=name).get("Contents", []):
        s3.delete_object(Bucket=name, Key=item["Key"])
    s3.delete_bucket(Bucket=name)


@pytest.fixture
def partner():
    partner = Partner()
    partner.start()
    yield partner
    partner.stop()


@pytest.fixture
def orders(queue_url):
    return OrderQueue(queue_url)


@pytest.fixture
def invoices(bucket):
    return InvoiceStore(bucket)
