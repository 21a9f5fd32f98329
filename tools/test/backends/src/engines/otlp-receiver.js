// A receiver of OpenTelemetry's protocol, over HTTP and gRPC, by the messages its authors publish for Python.
import { pythonDriver } from './python-driver.js';

export const otlpReceiver = pythonDriver('otlp-receiver', {
  script: 'otlp-receiver-driver.py',
  packages: {
    name: 'otlp-receiver-1',
    requirements: ['opentelemetry-proto==1.34.1', 'protobuf==5.29.5', 'grpcio==1.73.1'],
  },
});
