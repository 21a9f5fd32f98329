import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { engine, ENGINE_NAMES } from '../src/index.js';
import { eventually } from '../src/pause.js';
import { family, isAlive } from '../src/processes/identity.js';
import { readState } from '../src/state/state.js';

/** Every process that was started with this folder as its own, however it has detached itself since. @param {string} folder */
function processesOf(folder) {
  if (!existsSync('/proc/self')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      const texts = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
      return texts.some((text) => text.includes(folder));
    } catch {
      return false;
    }
  });
}

/** One of each kind: several processes, accounts, Java, Erlang, Python, Go, Node. The proof ends all of them. */
const ONE_OF_EACH = [
  'chromium',
  'elasticmq',
  'nats',
  'postgres',
  'push-clouds',
  'pysher',
  'rabbitmq',
  'redis-cluster',
];
const ENDED = process.env.CARILLON_PROOF === 'true' ? ENGINE_NAMES : ONE_OF_EACH;

describe('an engine that ends', () => {
  it.each(ENDED)(
    '%s leaves no process, no folder and no entry',
    async (name) => {
      const own = await engine(name, { own: true });
      await own.ready();
      const [key = '', running] =
        Object.entries(readState().engines).find(([, one]) => one.url === own.url) ?? [];
      const folder = running?.folder ?? '';
      const processes = (running?.nodes ?? []).flatMap((node) => family(node.process));
      expect(existsSync(folder)).toBe(true);
      expect(processes.length).toBeGreaterThan(0);
      await own.release();
      expect(processes.filter(isAlive)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
      expect(readState().engines[key]).toBeUndefined();
      // A helper that has detached itself ends when it notices that its master has.
      await eventually(async () => expect(processesOf(folder)).toEqual([]), { limitMs: 5000 });
    },
    90_000,
  );
});
