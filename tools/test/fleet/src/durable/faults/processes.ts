import { sleep } from '../../wait.js';
import type { DurableFault } from './fault.js';

/** How long others do the work of a dead process before another takes its place. */
const ABSENT_MS = 2000;

/** Publishers wait for the next writer, and are not refused. */
export const killWriter: DurableFault = {
  name: 'kill-writer',
  mayRefuse: false,
  mayHangUp: false,
  strike: async ({ installation, random }) => {
    const node = random.pick(installation.writers);
    await node.kill();
    await sleep(random.between(0, ABSENT_MS));
    await node.start();
  },
};

/** It stands still in the middle of whatever it does, is buried, and goes on as if nothing had been. */
export const freezeWriter: DurableFault = {
  name: 'freeze-writer',
  mayRefuse: true,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    const node = random.pick(installation.writers);
    node.freeze();
    await sleep(random.between(ABSENT_MS, Math.max(ABSENT_MS, lastingMs)));
    node.thaw();
  },
};

export const killApi: DurableFault = {
  name: 'kill-api',
  mayRefuse: false,
  mayHangUp: true,
  strike: async ({ installation, random }) => {
    const node = random.pick(installation.apis);
    await node.kill();
    await sleep(random.between(0, ABSENT_MS));
    await node.start();
  },
};
