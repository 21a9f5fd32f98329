import type { Closing } from '../broker/door.js';
import { BROKER_DRIVERS, DRIVERS } from '../broker/broker.js';
import { Socket } from '../clients/socket.js';
import type { Node } from '../nodes/node.js';
import { sleep, until } from '../wait.js';
import type { Fault } from './fault.js';

const DEPARTURES = 10;
const COMES_BACK_MS = 300;
const TOLD_TO_RECONNECT = 4200;
/** Ten seconds, as many until a silent broker is noticed, the time of closing, and a slow machine. */
const SENT_AWAY_WITHIN_MS = 25_000;
/** The longest pause between two attempts to connect, and a slow machine. */
const BACK_WITHIN_MS = 15_000;

/** Some brokers take longer than 10 s to start again, for which gateways send their clients away. */
export const restartBroker: Fault = {
  name: 'restart-broker',
  drivers: BROKER_DRIVERS,
  closeCodes: [TOLD_TO_RECONNECT],
  strike: async ({ fleet, gap }) => {
    for (const gateway of fleet.gateways) gap(gateway);
    await fleet.broker.engine.restart();
  },
};

/** The store that nodes share, which is the broker too with Redis. */
export const restartStore: Fault = {
  name: 'restart-store',
  drivers: ['nats', 'redis-cluster', 'rabbitmq', 'google-pubsub', 'pulsar', 'omq'],
  closeCodes: [],
  // It comes back empty, of which watchers notice nothing.
  strike: async ({ fleet }) => {
    await fleet.broker.store.restart();
  },
};

export const cutNode: Fault = {
  name: 'cut-node',
  drivers: ['nats', 'redis', 'rabbitmq', 'google-pubsub', 'pulsar'],
  closeCodes: [],
  strike: async ({ fleet, random, gap, lastingMs }) => {
    const node = random.pick(fleet.nodes);
    const closing: Closing = random.pick(['refuses', 'is silent']);
    if (node.role === 'gateway') gap(node);
    node.door?.shut(closing);
    await sleep(lastingMs);
    node.door?.open();
  },
};

/** A gateway without its broker sends its clients elsewhere, and lets them in again when it is back. */
export const cutOffLong: Fault = {
  name: 'cut-off-long',
  drivers: ['nats', 'redis', 'rabbitmq', 'google-pubsub', 'pulsar'],
  closeCodes: [TOLD_TO_RECONNECT],
  strike: async ({ fleet, random, gap, connectionsOf }) => {
    const gateway = random.pick(fleet.gateways);
    gap(gateway);
    gateway.door?.shut(random.pick<Closing>(['refuses', 'is silent']));
    const staying = (): number => connectionsOf(gateway).filter(({ end }) => end === null).length;
    const isDeserted = await until(() => staying() === 0, SENT_AWAY_WITHIN_MS);
    gateway.door?.open();
    if (!isDeserted) throw new Error(`${gateway.name} keeps ${staying()} clients without hearing anything`);
    const isOpen = await until(() => letsIn(gateway), BACK_WITHIN_MS);
    if (!isOpen) throw new Error(`${gateway.name} lets nobody in although it is back`);
    await gateway.welcomeResident();
  },
};

async function letsIn({ port }: Node): Promise<boolean> {
  const socket = await Socket.open(port, () => {}).catch(() => null);
  socket?.vanish();
  return socket !== null;
}

/** Every client of every gateway goes at one moment, members of a channel among them, and most come back at once. */
export const everyoneLeaves: Fault = {
  name: 'everyone-leaves',
  drivers: DRIVERS,
  closeCodes: [null],
  strike: async ({ fleet, hangUp }) => {
    for (const gateway of fleet.gateways) gateway.dismissResident();
    for (let time = 0; time < DEPARTURES; time += 1) {
      const visitors = await Promise.all(fleet.gateways.map(visit));
      hangUp();
      for (const visitor of visitors) visitor.vanish();
      await sleep(COMES_BACK_MS);
    }
    await Promise.all(fleet.gateways.map((gateway) => gateway.welcomeResident()));
  },
};

async function visit(gateway: Node): Promise<Socket> {
  const socket = await Socket.open(gateway.port, () => {});
  await socket.subscribe('presence-visitors', gateway.name);
  return socket;
}
