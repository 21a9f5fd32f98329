import type { Closing } from '../broker/door.js';
import { DRIVERS } from '../broker/broker.js';
import { sleep } from '../wait.js';
import type { Fault } from './fault.js';

/** How long gateways may be empty. */
const EMPTY_MS = 300;

export const restartBroker: Fault = {
  name: 'restart-broker',
  drivers: DRIVERS,
  closeCodes: [],
  strike: async ({ fleet, gap }) => {
    for (const gateway of fleet.gateways) gap(gateway);
    await fleet.broker.engine.restart();
  },
};

/** The store that nodes share, which is the broker too with Redis. */
export const restartStore: Fault = {
  name: 'restart-store',
  drivers: ['nats', 'redis-cluster', 'rabbitmq'],
  closeCodes: [],
  // It comes back empty.
  allowance: { forgotten: 1 },
  strike: async ({ fleet }) => {
    await fleet.broker.store.restart();
  },
};

export const cutNode: Fault = {
  name: 'cut-node',
  drivers: ['nats', 'redis', 'rabbitmq'],
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

/** Every client of every gateway goes at one moment, and most come back at once. */
export const everyoneLeaves: Fault = {
  name: 'everyone-leaves',
  drivers: DRIVERS,
  closeCodes: [null],
  strike: async ({ fleet, hangUp }) => {
    for (const gateway of fleet.gateways) gateway.dismissResident();
    hangUp();
    await sleep(EMPTY_MS);
    await Promise.all(fleet.gateways.map((gateway) => gateway.welcomeResident()));
  },
};
