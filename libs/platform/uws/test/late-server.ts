import { setTimeout as sleep } from 'node:timers/promises';
import { UwsHttpAdapter, UwsServer } from '../src/index.js';

// Decides on every upgrade asynchronously, and greets each client.
const server = new UwsServer();
const adapter = new UwsHttpAdapter(server, { bodyLimitBytes: 1000, trustHops: 0, onFault: () => {} });
adapter.socketRoute('/app', {
  upgrade: async () => {
    await sleep(2);
    return { accept: null };
  },
  open: (socket) => void socket.send('hello'),
  message: () => {},
});
const address = await server.listen({ host: '127.0.0.1', port: 0 });
if (address.kind === 'tcp') process.stdout.write(`port ${address.port}\n`);
