import boto3

from order_sync.config import AWS_ENDPOINT_URL, AWS_REGION


def client(service: str):
    return boto3.client(service, endpoint_url=AWS_ENDPOINT_URL, region_name=AWS_REGION)
