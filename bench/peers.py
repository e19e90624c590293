"""The proxies that are compared, and the service behind them: how each is found, told what to do, and started.

Each peer forwards only (no log); Retrial correlates and records every exchange. One loop, thread or worker each.
"""
import functools, json, os, re, shutil, subprocess
from pathlib import Path

from process import NotMeasured, Process, free_port, output_of

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "build/peers"  # what `./dev deps bench` installs from PyPI and the Go proxy

NGINX = """worker_processes 1; daemon off; master_process off; pid {name}.pid; error_log {name}.err;
events {{ worker_connections 19000; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 3600s; tcp_nodelay on; sendfile on; default_type text/plain;
  client_body_temp_path {name}.b; proxy_temp_path {name}.p; fastcgi_temp_path {name}.f; uwsgi_temp_path {name}.u; scgi_temp_path {name}.s;
  client_max_body_size 0; {http}
}}
"""
SERVICE = """server {{ listen 127.0.0.1:{port}; location / {{ return 200 "{body}"; }} location /big/ {{ root {directory}; }} }}"""
NGINX_PROXY = """upstream service {{ server 127.0.0.1:{service}; keepalive 256; keepalive_requests 100000000; keepalive_timeout 3600s; }}
  {tls} server {{ listen 127.0.0.1:{port} {ssl}; location / {{ proxy_pass http://service; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_set_header Host $http_host; proxy_request_buffering off; proxy_max_temp_file_size 0; }} }}"""
NGINX_TLS = """ssl_certificate both.pem; ssl_certificate_key both.pem; ssl_protocols TLSv1.3; ssl_session_tickets off; ssl_session_cache off;"""
HAPROXY = """global
  nbthread 1
  no strict-limits
  maxconn 12000
  tune.ssl.cachesize 0
defaults
  mode http
  timeout connect 5s
  timeout client 3600s
  timeout server 3600s
  http-reuse always
frontend in
  bind 127.0.0.1:{port} {tls}
  default_backend out
backend out
  server service 127.0.0.1:{service}
"""


def write(directory, name, content):
    path = directory / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def nginx_command(directory, name, http):
    conf = write(directory, f"{name}.conf", NGINX.format(name=directory / name, http=http))
    return [need("nginx"), "-p", directory, "-c", conf, "-e", directory / f"{name}.err"]


def nginx(directory, port, service, tls):
    http = NGINX_PROXY.format(port=port, service=service, ssl="ssl" if tls else "", tls=NGINX_TLS if tls else "")
    return nginx_command(directory, f"nginx-{port}", http)


def haproxy(directory, port, service, tls):
    bind = f"ssl crt {directory}/both.pem ssl-min-ver TLSv1.3 no-tls-tickets alpn http/1.1" if tls else ""
    conf = HAPROXY.format(port=port, service=service, tls=bind)
    return [need("haproxy"), "-db", "-f", write(directory, f"haproxy-{port}.cfg", conf)]


def envoy(directory, port, service, tls):
    types = "type.googleapis.com/envoy.extensions."
    at = lambda p: {"address": {"socket_address": {"address": "127.0.0.1", "port_value": p}}}
    http = {"@type": types + "filters.network.http_connection_manager.v3.HttpConnectionManager", "stat_prefix": "in",
            "route_config": {"virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [
                {"match": {"prefix": "/"}, "route": {"cluster": "service", "timeout": "0s"}}]}]},
            "http_filters": [{"name": "router", "typed_config": {"@type": types + "filters.http.router.v3.Router"}}]}
    chain = {"filters": [{"name": "http", "typed_config": http}]}
    if tls:
        files = {"certificate_chain": {"filename": f"{directory}/both.pem"}, "private_key": {"filename": f"{directory}/both.pem"}}
        versions = {"tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3"}
        chain["transport_socket"] = {"name": "tls", "typed_config": {
            "@type": types + "transport_sockets.tls.v3.DownstreamTlsContext",
            "disable_stateless_session_resumption": True, "disable_stateful_session_resumption": True,
            "common_tls_context": {"alpn_protocols": ["http/1.1"], "tls_params": versions, "tls_certificates": [files]}}}
    cluster = {"name": "service", "type": "STATIC", "connect_timeout": "5s",
               "load_assignment": {"cluster_name": "service", "endpoints": [{"lb_endpoints": [{"endpoint": at(service)}]}]},
               "circuit_breakers": {"thresholds": [{k: 100000 for k in ("max_connections", "max_pending_requests", "max_requests")}]}}
    conf = {"static_resources": {"listeners": [{"name": "in", **at(port), "filter_chains": [chain]}], "clusters": [cluster]}}
    binary = need("envoy", PEERS.glob("python/lib/python3*/site-packages/envoy/_bin/envoy"))
    return [binary, "-c", write(directory, f"envoy-{port}.json", conf), "--concurrency", "1", "--disable-hot-restart", "-l", "error"]


def mitmproxy(directory, port, service, tls):
    return [need("mitmdump", PEERS.glob("python/bin/mitmdump")), "-q", "--set", f"confdir={directory}/mitmproxy", "--listen-host", "127.0.0.1",
            "-p", port, "--mode", f"reverse:http://127.0.0.1:{service}", "--certs", f"*={directory}/both.pem", "--set", "stream_large_bodies=1m"]


def toxiproxy(directory, port, service, tls):
    if tls:
        raise NotMeasured("toxiproxy forwards bytes: it does not end TLS")
    proxies = [{"name": "p", "listen": f"127.0.0.1:{port}", "upstream": f"127.0.0.1:{service}", "enabled": True}]
    binary = need("toxiproxy", PEERS.glob("bin/server"))
    return [binary, "-config", write(directory, f"toxiproxy-{port}.json", proxies), "-host", "127.0.0.1", "-port", free_port()]


def retrial(directory, port, service, tls, loops=1):
    folder = directory / f"record-{port}"
    shutil.rmtree(folder, ignore_errors=True)
    return [retrial.binary, "serve", "--reverse", f"127.0.0.1:{port}=http://127.0.0.1:{service}", "--loops", loops,
            "--record", folder, "--ca", directory / "ca"]


retrial.binary = ROOT / "build/release/retrial"
PROXIES = {"retrial": retrial, "retrial, two loops": functools.partial(retrial, loops=2),
           "haproxy": haproxy, "nginx": nginx, "envoy": envoy, "mitmproxy": mitmproxy, "toxiproxy": toxiproxy}
ENVIRONMENT = {"toxiproxy": {"GOMAXPROCS": "1"}}
VERSION = {"retrial": ["--version"], "haproxy": ["-v"], "nginx": ["-v"], "envoy": ["--version"], "mitmproxy": ["--version"], "toxiproxy": None}


def need(name, places=()):
    found = next((str(p) for p in places), None) or shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise NotMeasured(f"{name} is not installed")
    return found


def version(name, directory):
    binary = [str(a) for a in PROXIES[name](directory, 1, 1, False)][0]
    if VERSION[name] is None:  # a Go program knows the module that it was built from
        return re.search(r"^\s+mod\s+\S+\s+(\S+)", output_of(["go", "version", "-m", binary]), re.M)[1]
    return re.search(r"(?<![\w.])(\d+\.\d+\.\d+[^\s/,]*)", output_of([binary] + VERSION[name]))[1]


def start(name, directory, service, tls=False, under=()):
    """A running proxy, not waited for; `under` goes before its command."""
    port = free_port()
    argv = list(under) + PROXIES[name](directory, port, service, tls)
    process = Process(f"{name}-{port}", argv, directory, ENVIRONMENT.get(name))
    process.port = port
    return process


def service(directory, sizes_mib):
    """nginx: 1 KiB for any path, and sparse files /big/N of N MiB."""
    (directory / "big").mkdir()
    for size in sizes_mib:
        with open(directory / "big" / str(size), "wb") as big:
            big.truncate(size << 20)
    port = free_port()
    http = SERVICE.format(port=port, body="x" * 1024, directory=directory)
    process = Process("service", nginx_command(directory, "service", http), directory)
    process.port = port
    process.answers(port)
    return process


def certificate(directory):
    """both.pem: a self-signed certificate and its key, ECDSA P-256."""
    key, cert = directory / "key.pem", directory / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert,
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, stderr=subprocess.DEVNULL)
    (directory / "both.pem").write_text(cert.read_text() + key.read_text())
