"""Runs rungs through a real nginx in front of its own server, and holds outcomes and flags against what nginx was told to do."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
RUNGS = str(pathlib.Path(sys.argv[1]).resolve())
# Debian keeps it where only root looks.
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
# What is set to speak each version of HTTP; every run over TLS is made with each.
VERSIONS = {"HTTP/1.1": [], "HTTP/2": ["target.http=\"2\""]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    for _ in range(200):
        assert process.poll() is None, f"{process.args} ended with {process.returncode}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"{process.args} does not listen on {port}")


class Peers:
    """The built-in server twice, one of them slow, and nginx before them; all ended with the block."""

    def __init__(self, folder):
        self.folder = folder
        names = ("MOCK", "SLOW", "NOBODY", "PLAIN", "TLS")
        self.ports = dict(zip(names, [free_port() for _ in names]))
        self.processes = {}

    def __enter__(self):
        self.certificates()
        text = (HERE / "nginx.conf").read_text().replace("@DIR@", str(self.folder))
        for name, port in self.ports.items():
            text = text.replace(f"@{name}@", str(port))
        (self.folder / "nginx.conf").write_text(text)
        self.mock("MOCK", "--ttft", "60ms", "--itl", "8ms", "--tokens", "24")
        self.slow()
        self.start("nginx", self.ports["TLS"], NGINX, "-p", self.folder, "-c", self.folder / "nginx.conf")
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.end(name)

    def slow(self):
        self.mock("SLOW", "--ttft", "60ms", "--itl", "700ms", "--tokens", "24")

    def mock(self, name, *settings):
        self.start(name, self.ports[name], RUNGS, "mock", "--port", str(self.ports[name]), *settings)

    def start(self, name, port, *words):
        log = open(self.folder / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
        wait_for(port, self.processes[name])

    def end(self, name):
        process = self.processes.pop(name)
        process.terminate() if name == "nginx" else process.kill()
        process.wait(10)

    def certificates(self):
        """A private CA, and a certificate of it for localhost."""

        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=rungs test CA")
        openssl("req", *key[:-2], "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=localhost")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
        openssl("x509", "-req", "-in", "leaf.csr", *signed, "-out", "leaf.pem")


def run(peers, path, *settings, tls=None, variables=None, meanwhile=None):
    """One run through a location; gives the result and its one stage."""
    scheme, port = ("https", peers.ports["TLS"]) if tls is not None else ("http", peers.ports["PLAIN"])
    words = [RUNGS, "run", HERE / "nginx.toml", "--json", "-", "--quiet", "--out", peers.folder / "out"]
    for setting in [f'target.base_url="{scheme}://localhost:{port}/{path}/v1"', *(tls or []), *settings]:
        words += ["--set", setting]
    # Neither a proxy nor other roots of the machine's are any of this test's business.
    environment = {k: v for k, v in os.environ.items() if "proxy" not in k.lower() and k != "SSL_CERT_FILE"}
    process = subprocess.Popen(
        [str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | (variables or {})
    )
    if meanwhile:
        threading.Thread(target=meanwhile, daemon=True).start()
    out, err = process.communicate(timeout=120)
    assert out.startswith("{"), (path, process.returncode, err)
    result = json.loads(out)
    return result, result["stages"][0]


def ledger(port):
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/ledger") as answer:
        return json.load(answer)


def outcomes(stage, **expected):
    assert stage["outcomes"] == expected, (stage["outcomes"], stage["status_codes"], expected)


def streams(peers, tls):
    _, direct = run(peers, "direct", tls=tls)
    outcomes(direct, ok=6)
    assert "burst" not in direct["flags"] and direct["tpot_ms"]["n"] == 6, direct["flags"]
    assert direct["tokens"]["output"] == 6 * 24 == direct["tokens"]["chunks"], direct["tokens"]
    assert direct["ttft_ms"]["p50"] < direct["e2e_ms"]["p50"] / 2, (direct["ttft_ms"], direct["e2e_ms"])
    _, buffered = run(peers, "buffered", tls=tls)
    outcomes(buffered, ok=6)
    assert buffered["flags"].get("burst") == 6, buffered["flags"]
    assert buffered["tpot_ms"]["n"] == 0 == buffered["decode_tps"]["n"], buffered["tpot_ms"]
    assert buffered["tokens"]["output"] == 6 * 24, buffered["tokens"]
    assert buffered["ttft_ms"]["p50"] > 2 * direct["ttft_ms"]["p50"], (buffered["ttft_ms"], direct["ttft_ms"])


def limited(peers, tls):
    _, stage = run(peers, "limited", tls=tls)
    refused = stage["outcomes"]["rate_limited"]
    assert refused >= 4 and stage["http_429"] == refused == stage["status_codes"]["429"], stage["outcomes"]
    outcomes(stage, ok=6 - refused, rate_limited=refused)
    assert stage["ttft_ms"]["n"] == 6 - refused, "a refusal gives no latency"
    time.sleep(1.1)


def cut(peers, tls):
    _, impatient = run(peers, "impatient", "load.stage_requests=2", tls=tls)
    outcomes(impatient, stream_interrupted=2)
    assert impatient["tokens"]["partial_chunks"] >= 2 and impatient["tokens"]["chunks"] == 0, impatient["tokens"]

    def kill():
        while ledger(peers.ports["SLOW"])["open"] < 2:
            time.sleep(0.05)
        time.sleep(1)  # past the first token of both
        peers.end("SLOW")

    # nginx knows that a chunked body was cut, and cuts its own; one that ends with its connection it takes for whole.
    for path, expected in (("slow", "stream_interrupted"), ("slow-1.0", "truncated")):
        _, killed = run(peers, path, "load.stage_requests=2", tls=tls, meanwhile=kill)
        outcomes(killed, **{expected: 2})
        assert killed["tokens"]["partial_chunks"] >= 2 and killed["http_5xx"] == 0, killed["tokens"]
        peers.slow()


def refusals(peers, tls):
    _, nobody = run(peers, "nobody", tls=tls)
    outcomes(nobody, server_error=6)
    assert nobody["status_codes"] == {"502": 6} and nobody["http_5xx"] == 6, nobody["status_codes"]
    _, small = run(peers, "small", tls=tls)
    outcomes(small, bad_request=6)
    assert small["status_codes"] == {"413": 6}, small["status_codes"]
    outcomes(run(peers, "page", tls=tls)[1], bad_content_type=6)
    outcomes(run(peers, "moved", tls=tls)[1], redirect=6)


def certificates(peers, settings):
    ca = peers.folder / "ca.pem"
    outcomes(run(peers, "direct", tls=settings)[1], tls=6)
    outcomes(run(peers, "direct", tls=settings, variables={"SSL_CERT_FILE": str(ca)})[1], ok=6)
    other = run(peers, "direct", f'target.tls.ca_file="{ca}"', 'target.tls.server_name="elsewhere.example"', tls=settings)
    outcomes(other[1], tls=6)
    result, off = run(peers, "direct", "target.tls.insecure=true", tls=settings)
    outcomes(off, ok=6)
    assert "insecure" in [warning["code"] for warning in result["warnings"]], result["warnings"]


def main():
    checks = 0
    with tempfile.TemporaryDirectory(prefix="rungs-nginx-") as folder, Peers(pathlib.Path(folder)) as peers:
        ways = {"plain HTTP/1.1": None}
        for version, settings in VERSIONS.items():
            ways[f"TLS {version}"] = [f'target.tls.ca_file="{peers.folder / "ca.pem"}"', *settings]
        for way, tls in ways.items():
            for check in (streams, limited, cut, refusals):
                check(peers, tls)
                print(f"nginx, {way}: {check.__name__} as told", flush=True)
                checks += 1
        for version, settings in VERSIONS.items():
            certificates(peers, settings)
            print(f"nginx, TLS {version}: certificates as told", flush=True)
            checks += 1
    print(f"{checks} passed, 0 failed")


main()
