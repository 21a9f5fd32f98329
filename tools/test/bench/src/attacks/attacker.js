// The thread of an attack: posts `ready` when its sockets are connected, attacks on `go`, posts its outcome at the end.
import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS, connectV2 } from './attacks.js';
import { clientOf } from './service.js';

/** @typedef {{ port: number, title: string, seconds: number }} WorkerData */

const { port, title, seconds } = /** @type {WorkerData} */ (workerData);
const attack = ATTACKS.find((one) => one.title === title);
if (attack === undefined) throw new Error(`there is no attack "${title}"`);
const service = clientOf(port);

const connect = attack.connect ?? connectV2;

await attack.prepare(service);
const sockets = await Promise.all(Array.from({ length: attack.sockets }, () => connect(service)));
// A worker thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
parentPort?.postMessage('ready');
await new Promise((done) => parentPort?.once('message', done));
const refused = (await attack.run({ service, sockets, seconds })) ?? 0;
parentPort?.postMessage({ refused });
