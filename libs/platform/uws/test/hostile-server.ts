// A small server for the hostile suite: prints its memory when it reads `rss`.
import { UwsHttpAdapter, UwsServer } from '../src/index.js';

const server = new UwsServer();
const adapter = new UwsHttpAdapter(server, { bodyLimitBytes: 64 * 1024, trustHops: 1 });
adapter.fastRoute('GET', '/hello', (request, response) =>
  response.send({ ip: request.ip, query: request.query, agent: request.headers['user-agent'] ?? null }),
);
adapter.fastRoute('POST', '/json/:name', (request, response) =>
  response.send({ name: request.params['name'], body: request.body ?? null }),
);
adapter.fastRoute('POST', '/later', async (request, response) => {
  await new Promise((done) => setTimeout(done, 2));
  response.send({ length: request.bodyLength, peer: request.peer });
});
adapter.socketRoute('/app/:key', {
  socketOptions: { maxPayloadBytes: 16 * 1024, compression: 'shared', idleTimeoutSeconds: 8 },
  upgrade: (request) => ({ accept: { key: request.params['key'] } }),
  open: (socket) => void socket.subscribe('all'),
  message: (socket, data, isBinary) => {
    socket.send(data, isBinary, true);
    server.publish('all', 'tick');
  },
  close: (socket) => void socket.send('gone'),
});
process.stdin.on('data', () => {
  process.stdout.write(`rss ${process.memoryUsage().rss} open ${adapter.inFlight()}\n`);
});
const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening ${JSON.stringify(address)}\n`);
