import os

AWS_ENDPOINT_URL = os.environ.get("AWS_ENDPOINT_URL", "http://127.0.0.1:5000")
AWS_REGION = os.environ.get("AWS_REGION", "eu-central-1")

# Seconds: to connect, and between two bytes of an answer.
PARTNER_TIMEOUT = (2, 5)
