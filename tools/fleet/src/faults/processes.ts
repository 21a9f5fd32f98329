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
