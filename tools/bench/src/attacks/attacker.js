// The thread of an attack: says `ready` when its sockets are connected, attacks on `go`, says `over` at the end.
import { parentPort, workerData } from 'node:worker_threads';
import { RawSocket } from '../../load/raw-socket.js';
import { ATTACKS } from './attacks.js';
import { clientOf } from './service.js';

/** @typedef {{ port: number, title: string, seconds: number }} WorkerData */

const { port, title, seconds } = /** @type {WorkerData} */ (workerData);
const attack = ATTACKS.find((one) => one.title === title);
if (attack === undefined) throw new Error(`there is no attack "${title}"`);
const service = clientOf(port);

async function connected() {
  const server = { host: '127.0.0.1', port, authority: `127.0.0.1:${port}`, dialect: 'v2' };
  const path = `/app/${service.keyOf('attacked')}?protocol=2`;
  const socket = new RawSocket(/** @type {any} */ (server), path);
  await socket.open();
  await socket.subscribe('large');
  return socket;
}

await attack.prepare(service);
const sockets = await Promise.all(Array.from({ length: attack.sockets }, connected));
// A worker thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
parentPort?.postMessage('ready');
await new Promise((done) => parentPort?.once('message', done));
await attack.run({ service, sockets, seconds });
parentPort?.postMessage('over');
