"""Passes requests on and keeps what the server's own usage said, by request id: an independent witness of token counts."""
import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "host"}


def output_tokens(body):
    """The last output count in a body: one JSON document, or the data lines of an event stream."""
    found = None
    lines = [line[5:] for line in body.splitlines() if line.startswith(b"data:")] or [body]
    for line in lines:
        try:
            document = json.loads(line)
        except ValueError:
            continue
        for holder in (document, document.get("message") or {}, document.get("response") or {}):
            usage = holder.get("usage") or {}
            for key in ("completion_tokens", "output_tokens"):
                found = usage.get(key, found)
        # The model server's own protocol.
        found = document.get("tokens_predicted", found)
    return found


class Witness:
    """A proxy on a port of its own in front of one server."""

    def __init__(self, upstream_port):
        self.usage = {}
        witness = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
                upstream = http.client.HTTPConnection("127.0.0.1", upstream_port, timeout=120)
                upstream.request("POST", self.path, body, headers)
                answer = upstream.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                kept = b""
                while piece := answer.read1(65536):
                    kept += piece
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                witness.usage[self.headers["x-request-id"]] = output_tokens(kept)
                self.wfile.write(b"0\r\n\r\n")
                upstream.close()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
