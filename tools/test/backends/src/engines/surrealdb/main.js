// A SurrealDB server for tests: its WebSocket RPC protocol (CBOR) over the engine of its Node package.
// Arguments: the folder of the data, the port.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { Connection } from './connection.js';
import { openEngine } from './engine.js';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const [folder = '', port = ''] = process.argv.slice(2);

const engine = await openEngine(folder);
const server = createServer((request, response) => {
  response.writeHead(request.url === '/health' ? 200 : 404).end();
});
const sockets = new WebSocketServer({
  server,
  path: '/rpc',
  maxPayload: MAX_MESSAGE_BYTES,
  handleProtocols: (protocols) => (protocols.has('cbor') ? 'cbor' : false),
});
sockets.on('connection', (socket) => {
  const connection = new Connection(engine, (bytes) => socket.send(bytes));
  socket.on('message', (data) => void connection.receive(/** @type {Buffer} */ (data)));
  socket.on('error', () => socket.terminate());
  socket.on('close', () => void connection.close());
});
server.listen(Number(port), '127.0.0.1');
