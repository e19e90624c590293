"""envoy_schemas.py ROOT CACHE: Istio's definition of an EnvoyFilter, and Envoy's of every filter in it and in the example. Nothing is connected to."""
import importlib
import json
import pathlib
import sys

import jsonschema
import yaml
from google.protobuf import json_format

root, cache = map(pathlib.Path, sys.argv[1:])
# What an Any may hold has to be known.
for name in ("bootstrap.internal_listener.v3.internal_listener", "filters.network.http_connection_manager.v3.http_connection_manager",
             "filters.http.router.v3.router", "filters.http.ext_proc.v3.ext_proc", "access_loggers.grpc.v3.als", "upstreams.http.v3.http_protocol_options",
             "transport_sockets.internal_upstream.v3.internal_upstream", "transport_sockets.raw_buffer.v3.raw_buffer"):
    importlib.import_module(f"envoy.extensions.{name}_pb2")


def kind(module, name):
    return getattr(importlib.import_module(f"envoy.{module}_pb2"), name)


def closed(schema):
    """No field but those that are named, as an API server has it. What Kubernetes itself adds to every object is not named."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and "spec" not in schema["properties"] and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    return schema


json_format.ParseDict(yaml.safe_load((root / "integration/envoy/envoy.yaml").read_text()), kind("config.bootstrap.v3.bootstrap", "Bootstrap")())
resource = yaml.safe_load((root / "integration/kubernetes/mesh/envoyfilter.yaml").read_text())
definitions = yaml.safe_load_all(next((cache / "istio").glob("*.yaml")).read_text())
definition = next(d for d in definitions if d and d["spec"]["names"]["kind"] == "EnvoyFilter")
version = next(v for v in definition["spec"]["versions"] if resource["apiVersion"] == f"{definition['spec']['group']}/{v['name']}")
schema = closed(version["schema"]["openAPIV3Schema"])
jsonschema.validate(resource, schema)
kinds = {"CLUSTER": kind("config.cluster.v3.cluster", "Cluster"),
         "HTTP_FILTER": kind("extensions.filters.network.http_connection_manager.v3.http_connection_manager", "HttpFilter"),
         "NETWORK_FILTER": kind("config.listener.v3.listener_components", "Filter")}
for patch in resource["spec"]["configPatches"]:
    json_format.ParseDict(patch["patch"]["value"], kinds[patch["applyTo"]]())

# The schemas refuse what they should.
text = json.dumps(resource)
for before, wrong in (("HTTP_FILTER", "HTTP_FILTERS"), ("configPatches", "configPatchs"), ("workloadSelector", "workloadsSelector")):
    try:
        jsonschema.validate(json.loads(text.replace(f'"{before}"', f'"{wrong}"')), schema)
    except jsonschema.ValidationError:
        continue
    raise SystemExit(f"the schema of an EnvoyFilter lets {wrong} through")
try:
    wrong = json.loads(text.replace('"failure_mode_allow"', '"failure_mode_allowed"'))["spec"]["configPatches"][1]
    json_format.ParseDict(wrong["patch"]["value"], kinds["HTTP_FILTER"]())
except json_format.ParseError:
    raise SystemExit(0)
raise SystemExit("Envoy's definitions let failure_mode_allowed through")
