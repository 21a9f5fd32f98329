# What every script that drives a Python library over HTTP does: POST / with {"do": …}, answered in JSON.
import json
import queue
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(does):
    """Answers for ever on the port of the command line; `does` holds a function for each word, called with the rest."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                self.answer(200, does[request.pop("do")](**request))
            except queue.Empty:
                self.answer(504, {"error": "nothing came"})
            except Exception as error:
                self.answer(400, {"error": repr(error)})

        def answer(self, status, value):
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
