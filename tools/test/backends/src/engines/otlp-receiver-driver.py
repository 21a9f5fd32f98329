# Takes what OpenTelemetry's protocol brings, over HTTP and gRPC, and tells it in JSON.
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

import grpc
from google.protobuf.json_format import MessageToDict
from http_driver import serve
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

lock = Lock()
heard = {"traces": [], "metrics": [], "logs": []}
SIGNALS = {
    "traces": (trace_service_pb2.ExportTraceServiceRequest, trace_service_pb2.ExportTraceServiceResponse),
    "metrics": (metrics_service_pb2.ExportMetricsServiceRequest, metrics_service_pb2.ExportMetricsServiceResponse),
    "logs": (logs_service_pb2.ExportLogsServiceRequest, logs_service_pb2.ExportLogsServiceResponse),
}


def hear(signal, request, over):
    with lock:
        heard[signal].append({"over": over, **MessageToDict(request)})


class Http(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        signal = self.path.removeprefix("/v1/")
        request, response = SIGNALS[signal]
        hear(signal, request.FromString(self.body()), "http")
        answer = response().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def body(self):
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def log_message(self, *args):
        pass


def grpc_service(signal, base):
    class Service(base):
        def Export(self, request, context):
            hear(signal, request, "grpc")
            return SIGNALS[signal][1]()

    return Service()


over_http = ThreadingHTTPServer(("127.0.0.1", 0), Http)
Thread(target=over_http.serve_forever, daemon=True).start()
over_grpc = grpc.server(ThreadPoolExecutor(4))
trace_service_pb2_grpc.add_TraceServiceServicer_to_server(
    grpc_service("traces", trace_service_pb2_grpc.TraceServiceServicer), over_grpc
)
metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(
    grpc_service("metrics", metrics_service_pb2_grpc.MetricsServiceServicer), over_grpc
)
logs_service_pb2_grpc.add_LogsServiceServicer_to_server(
    grpc_service("logs", logs_service_pb2_grpc.LogsServiceServicer), over_grpc
)
grpc_port = over_grpc.add_insecure_port("127.0.0.1:0")
over_grpc.start()


def told(signal):
    with lock:
        return heard[signal]


serve(
    {
        "version": lambda: {},
        "ports": lambda: {"http": over_http.server_address[1], "grpc": grpc_port},
        "heard": told,
    }
)
