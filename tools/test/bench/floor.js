// The floor: a bare native server that does the least a Pusher-protocol server can do. No check and no limit, and no
// signature either unless FLOOR_SECRET is set: then publishes are checked as every server must check them.
// Run directly with `--port N`, or forked by the bench, which is told the port and ends it by disconnecting.
import { parseArgs } from 'node:util';
import uws from 'uWebSockets.js';
import { serveAbly, tellAbly } from './floor/ably.js';
import { parsed, withBody } from './floor/body.js';
import { isSigned } from './floor/signature.js';

const SECRET = process.env['FLOOR_SECRET'] ?? '';
const established = JSON.stringify({
  event: 'pusher:connection_established',
  data: JSON.stringify({ socket_id: '1.1', activity_timeout: 120 }),
});

const SUBSCRIBE = new Set(['pusher:subscribe', 'service:subscribe']);

const app = uws.App();
serveAbly(app);

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
    if (!SUBSCRIBE.has(event) || typeof data?.channel !== 'string') return;
    const { channel } = data;
    socket.subscribe(channel);
    socket.send(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel, data: '{}' }));
  },
});

/** @param {{ name?: unknown, channel?: unknown, channels?: unknown, data?: unknown }} event */
function publish({ name, channel: one, channels, data }) {
  for (const channel of Array.isArray(channels) ? channels : [one]) {
    if (typeof channel !== 'string') continue;
    app.publish(channel, JSON.stringify({ event: name, channel, data }));
    tellAbly(app, channel, { name, data });
  }
}

/** A signed POST: `accept` publishes what its body says. @param {(content: Record<string, any>) => void} accept */
const signedPost =
  (accept) => (/** @type {uws.HttpResponse} */ response, /** @type {uws.HttpRequest} */ request) => {
    const [path, query] = [request.getUrl(), request.getQuery()];
    withBody(response, (body) => {
      if (SECRET !== '' && !isSigned(SECRET, path, query, body)) {
        response.writeStatus('401 Unauthorized').end('{"error":"the signature is wrong"}');
        return;
      }
      accept(parsed(body));
      response.writeHeader('content-type', 'application/json').end('{}');
    });
  };

app.post('/apps/:id/events', signedPost(publish));
app.post(
  '/apps/:id/batch_events',
  signedPost(({ batch }) => {
    for (const event of Array.isArray(batch) ? batch : []) publish(Object(event));
  }),
);

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
