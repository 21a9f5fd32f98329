import { DRIVERS, NODE_TIMEOUT_MS } from '../broker/broker.js';
import { sleep } from '../wait.js';
import type { Fault } from './fault.js';

/** How long clients of a dead process are on their own before another takes its place. */
const ABSENT_MS = 500;

export const killGateway: Fault = {
  name: 'kill-gateway',
  drivers: DRIVERS,
  closeCodes: [null],
  strike: async ({ fleet, random }) => {
    const node = random.pick(fleet.gateways);
    await node.kill();
    await sleep(random.between(0, ABSENT_MS));
    await node.start();
  },
};

export const killApi: Fault = {
  name: 'kill-api',
  drivers: DRIVERS,
  closeCodes: [],
  strike: async ({ fleet, random }) => {
    const node = random.pick(fleet.apis);
    await node.kill();
    await sleep(random.between(0, ABSENT_MS));
    await node.start();
  },
};

/** Until every publisher waits for an answer. */
const WAITING_MS = 300;

/**
 * One api node after the other dies while it waits to hear that its publishes have arrived, which they have. Publishers
 * send them again when the keys are free, ten seconds later, and nobody gets them twice.
 */
export const killApiUnanswered: Fault = {
  name: 'kill-api-unanswered',
  drivers: ['nats', 'redis', 'rabbitmq', 'pulsar'],
  closeCodes: [],
  strike: async ({ fleet, random }) => {
    for (const node of fleet.apis) {
      node.door?.shut('answers nothing');
      await sleep(random.between(WAITING_MS / 2, WAITING_MS));
      await node.kill();
      node.door?.open();
      await node.start();
    }
  },
};

export const freezeShortly: Fault = {
  name: 'freeze-short',
  drivers: DRIVERS,
  closeCodes: [],
  strike: async ({ fleet, random }) => {
    const node = random.pick(fleet.nodes);
    node.freeze();
    await sleep(NODE_TIMEOUT_MS / 2);
    node.thaw();
  },
};

export const freezeLong: Fault = {
  name: 'freeze-long',
  drivers: DRIVERS,
  allowance: { givenUp: 1 },
  strike: async ({ fleet, random, gap }) => {
    const node = random.pick(fleet.gateways);
    gap(node);
    node.freeze();
    await sleep(NODE_TIMEOUT_MS * 1.75);
    node.thaw();
  },
};

export const rollingRestart: Fault = {
  name: 'rolling-restart',
  drivers: DRIVERS,
  closeCodes: [4200],
  strike: async ({ fleet }) => {
    for (const node of fleet.nodes) {
      const code = await node.stop();
      if (code !== 0) throw new Error(`${node.name} ended with ${code}`);
      await node.start();
    }
  },
};
