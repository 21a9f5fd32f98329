// The floor: a bare native server that does the least a Pusher-protocol server can do. No check, no limit, no signature.
// Run directly with `--port N`, or forked by the bench, which is told the port and ends it by disconnecting.
import { parseArgs } from 'node:util';
import uws from 'uWebSockets.js';

const LARGEST_BODY_BYTES = 1024 * 1024;
const established = JSON.stringify({
  event: 'pusher:connection_established',
  data: JSON.stringify({ socket_id: '1.1', activity_timeout: 120 }),
});

const app = uws.App();

app.get('/hello', (response) => {
  response.writeHeader('content-type', 'application/json').end('{"hello":"world"}');
});

app.ws('/app/:key', {
  maxPayloadLength: 64 * 1024,
  maxBackpressure: 4 * 1024 * 1024,
  idleTimeout: 120,
  open: (socket) => {
    socket.send(established);
  },
  message: (socket, message) => {
    const { event, data } = parsed(Buffer.from(message));
    if (event !== 'pusher:subscribe' || typeof data?.channel !== 'string') return;
    const { channel } = data;
    socket.subscribe(channel);
    socket.send(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel, data: '{}' }));
  },
});

app.post('/apps/:id/events', (response) => {
  /** @type {Buffer[]} */
  const parts = [];
  let bytes = 0;
  response.onAborted(() => {});
  response.onData((part, last) => {
    bytes += part.byteLength;
    if (bytes > LARGEST_BODY_BYTES) return response.close();
    if (!last) return parts.push(Buffer.from(Buffer.from(part)));
    const { name, channels, data } = parsed(
      parts.length === 0 ? Buffer.from(part) : Buffer.concat([...parts, Buffer.from(part)]),
    );
    for (const channel of Array.isArray(channels) ? channels : []) {
      app.publish(channel, JSON.stringify({ event: name, channel, data }));
    }
    return response.writeHeader('content-type', 'application/json').end('{"ok":true}');
  });
});

/** @param {Buffer} bytes @returns {Record<string, any>} empty for anything but an object */
function parsed(bytes) {
  try {
    return Object(JSON.parse(bytes.toString()));
  } catch {
    return {};
  }
}

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
app.listen('127.0.0.1', Number(values.port), (token) => {
  if (token === false) {
    process.stderr.write(`floor: cannot listen on 127.0.0.1:${values.port}\n`);
    process.exit(1);
  }
  const port = uws.us_socket_local_port(token);
  if (process.send) process.send({ port });
  else process.stdout.write(`floor: listening on 127.0.0.1:${port}\n`);
});
process.on('disconnect', () => process.exit(0));
if (process.send) process.on('SIGINT', () => {});
