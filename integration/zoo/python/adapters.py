"""One entry a client: for each method, how an application would make one call of it.

A client's packages are imported when it is asked for.
"""
import json
from collections import namedtuple

# The service's address, the client's time-out in seconds (None: the library's own), the name of what the call is about.
Ask = namedtuple("Ask", "url timeout item")


def path(ask, method):
    return f"{ask.url}/items" if method == "POST" else f"{ask.url}/items/{ask.item}"


def content(ask):
    return {"name": ask.item}


def requested(session, ask, method):
    """The call that users of requests are told to write: a status from 400 on is raised."""
    response = session.request(method, path(ask, method), timeout=ask.timeout, **({} if method in ("GET", "DELETE") else {"json": content(ask)}))
    response.raise_for_status()
    return response.status_code


def plain_requests(ask, method):
    import requests

    return requested(requests, ask, method)


def mounted(retry):
    def call(ask, method):
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry

        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=Retry(status_forcelist=[429, 500, 502, 503, 504], **retry)))
            return requested(session, ask, method)

    return call


def plain_urllib3(ask, method):
    import urllib3

    asked = {} if ask.timeout is None else {"timeout": ask.timeout}
    if method in ("PUT", "POST"):
        asked |= {"body": json.dumps(content(ask)), "headers": {"Content-Type": "application/json"}}
    return urllib3.PoolManager().request(method, path(ask, method), **asked).status


def plain_httpx(ask, method):
    import httpx

    asked = {} if ask.timeout is None else {"timeout": ask.timeout}
    response = httpx.request(method, path(ask, method), **asked, **({} if method == "GET" else {"json": content(ask)}))
    response.raise_for_status()
    return response.status_code


def tenacious(**policy):
    def call(ask, method):
        import requests
        import tenacity

        how = {name: make(tenacity) for name, make in policy.items()}
        return tenacity.retry(**how)(requested)(requests, ask, method)

    return call


def backed_off(ask, method):
    import backoff
    import requests

    again = backoff.on_exception(backoff.expo, requests.exceptions.RequestException, max_tries=5)
    return again(requested)(requests, ask, method)


def boto(service, ask):
    import boto3
    from botocore.config import Config

    config = Config(read_timeout=ask.timeout, connect_timeout=ask.timeout) if ask.timeout else None
    return boto3.client(service, endpoint_url=ask.url, region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE",
                        aws_secret_access_key="example", config=config)


def s3(ask, method):
    client = boto("s3", ask)
    lamp = {"Bucket": "shelf", "Key": ask.item}
    if method == "GET":
        return len(client.get_object(**lamp)["Body"].read())
    if method == "PUT":
        return client.put_object(Body=b"light", **lamp)["ETag"]
    if method == "POST":
        return client.create_multipart_upload(**lamp)["UploadId"]
    return client.delete_object(**lamp)["ResponseMetadata"]["HTTPStatusCode"]


def sqs(ask, _):
    return boto("sqs", ask).send_message(QueueUrl=f"{ask.url}/000000000000/orders", MessageBody=ask.item)["MessageId"]


def azure_queue(ask, method):
    from azure.storage.queue import QueueClient

    key = "YW4gYWNjb3VudCBrZXkgb2Ygbm8gYWNjb3VudCBhdCBhbGw="
    asked = {} if ask.timeout is None else {"connection_timeout": ask.timeout, "read_timeout": ask.timeout}
    client = QueueClient(f"{ask.url}/devstoreaccount1", "orders", credential={"account_name": "devstoreaccount1", "account_key": key}, **asked)
    return len(list(client.receive_messages())) if method == "GET" else client.send_message(ask.item).id


def grpc_call(ask, _):
    import grpc

    policy = {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}
    config = {"methodConfig": [{"name": [{"service": "zoo.Items"}], "retryPolicy": policy}]}
    with grpc.insecure_channel(ask.url.removeprefix("http://"), options=[("grpc.service_config", json.dumps(config))]) as channel:
        return channel.unary_unary("/zoo.Items/Add")(ask.item.encode(), timeout=ask.timeout).decode()


CLIENTS = {
    "requests": (plain_requests, ["GET", "POST", "PUT"]),
    "urllib3": (plain_urllib3, ["GET", "POST", "PUT", "DELETE"]),
    "httpx": (plain_httpx, ["GET", "POST"]),
    "requests + Retry(forcelist, backoff 1)": (mounted({"total": 3, "backoff_factor": 1}), ["GET", "POST", "PUT", "DELETE"]),
    "requests + Retry(forcelist, no backoff)": (mounted({"total": 5}), ["GET", "POST", "PUT"]),
    "tenacity @retry": (tenacious(), ["GET", "POST"]),
    "tenacity wait_random_exponential stop 6": (
        tenacious(wait=lambda t: t.wait_random_exponential(multiplier=1, max=60), stop=lambda t: t.stop_after_attempt(6)),
        ["GET", "POST"],
    ),
    "backoff expo max_tries=5": (backed_off, ["GET", "POST"]),
    "boto3 S3": (s3, ["GET", "PUT", "POST", "DELETE"]),
    "boto3 SQS": (sqs, ["POST"]),
    "azure-storage-queue": (azure_queue, ["GET", "POST"]),
    "grpcio (retryPolicy)": (grpc_call, ["POST"]),
}
