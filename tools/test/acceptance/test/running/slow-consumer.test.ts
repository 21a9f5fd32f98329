import { describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const LARGE = 'x'.repeat(256 * 1024);
/** More than the buffers of the system and the transport could take. */
const ENOUGH = 200;

/** Publishes large numbered events until told to stop, each when the one before has been dealt with; resolves with how many. */
async function flood(
  node: Node,
  { isEnough = () => false, dealWith = async () => {} }: Flooding = {},
): Promise<number> {
  let sent = 0;
  while (sent < ENOUGH && !isEnough()) {
    await node.api().publish('news', `tick-${sent}`, LARGE);
    await dealWith();
    sent += 1;
  }
  return sent;
}

interface Flooding {
  readonly isEnough?: () => boolean;
  readonly dealWith?: () => Promise<void>;
}

const stopReading = ({ raw }: Client): void => void raw.connection.socket.pause();
const readOn = ({ raw }: Client): void => void raw.connection.socket.resume();
const numberOf = (text: string): number => Number(/"event":"tick-(\d+)"/.exec(text)?.[1]);

const isSlow = (node: Node): boolean => node.process.output.includes('"cause":"slow_consumer"');

for (const [bound, env] of [
  ['messages', { WEBSOCKET_MAX_MESSAGES: '20', WEBSOCKET_MAX_BYTES: 'none' }],
  ['bytes', { WEBSOCKET_MAX_MESSAGES: 'none', WEBSOCKET_MAX_BYTES: '2097152' }],
] as const) {
  onServer(
    `a reader that stops reading, bounded in ${bound}`,
    { tenants: [tenant('shop')], env: { ...env, RUST_LOG: 'debug' } },
    (node) => {
      it('is closed 4100, and nobody else notices', async () => {
        const [slow, fast] = [await node.connect(), await node.connect()];
        await slow.subscribe('news');
        await fast.subscribe('news');
        stopReading(slow);
        const numbers: number[] = [];
        const sent = await flood(node, {
          isEnough: () => isSlow(node),
          // However busy the machine, this one never falls behind.
          dealWith: async () => void numbers.push(numberOf(await fast.nextText())),
        });
        expect(sent).toBeLessThan(ENOUGH);
        expect(numbers).toEqual(Array.from({ length: sent }, (_, index) => index));
        readOn(slow);
        const { texts, code } = await slow.ended();
        expect(code).toBe(4100);
        // What it had coming before that is what was published first, in order.
        const events = texts.filter((text) => text.includes('"event":"tick-'));
        expect(events.map(numberOf)).toEqual(events.map((_, index) => index));
        expect(events.length).toBeLessThan(sent);
        expect(await node.api().subscriptionCount('news')).toBe(1);
      });
    },
  );
}

onServer(
  'a reader that stops reading where messages are dropped instead',
  {
    tenants: [tenant('shop')],
    env: {
      WEBSOCKET_MAX_MESSAGES: '20',
      WEBSOCKET_MAX_BYTES: 'none',
      WEBSOCKET_DISCONNECT_ON_BUFFER_FULL: 'false',
    },
  },
  (node) => {
    describe('when it reads on', () => {
      it('has lost the newest messages, keeps the order, and stays', async () => {
        const slow = await node.connect();
        await slow.subscribe('news');
        stopReading(slow);
        const sent = await flood(node);
        readOn(slow);
        // What was queued has to leave before there is room for anything new, so it may take several marks.
        const numbers: number[] = [];
        let isThrough = false;
        const reading = (async () => {
          for (let text = await slow.nextText(); !text.includes('"mark"'); text = await slow.nextText())
            numbers.push(numberOf(text));
          isThrough = true;
        })();
        await eventually(async () => {
          await node.api().publish('news', 'mark', '');
          expect(isThrough).toBe(true);
        });
        await reading;
        expect(numbers[0]).toBe(0);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(numbers.length).toBeGreaterThanOrEqual(20);
        expect(numbers.length).toBeLessThan(sent);
        const rest = await slow.pending();
        expect(rest.filter((text) => !text.includes('"mark"'))).toEqual([]);
      });
    });
  },
);
