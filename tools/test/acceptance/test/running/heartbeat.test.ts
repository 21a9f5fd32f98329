// The one rule that only real time can show: 30 seconds without an answer. Everything here waits at once.
import { OPCODE } from '@carillon/testing';
import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServerAtOnce } from '../harness/every-app.js';
import { PING } from '../harness/frames.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const PROBE = '{"event":"pusher:ping"}';
const LIMIT_MS = 60_000;

/** What counts as a sign of life, by what a client answers to a probe. */
const ANSWERS: Readonly<Record<string, (client: Client) => void>> = {
  'pusher:pong': (client) => client.send({ event: 'pusher:pong', data: {} }),
  'pusher:ping': (client) => client.send(PING),
  'a client event': (client) => client.send({ event: 'client-x', channel: 'private-x', data: {} }),
  'a frame nobody understands': (client) => client.send('not json'),
  'a native ping': ({ raw }) => raw.sendFrame(OPCODE.ping, ''),
  'a native pong': ({ raw }) => raw.sendFrame(OPCODE.pong, ''),
};

/** Answers every probe until `over`; resolves with how many there were. */
async function answering(
  client: Client,
  answer: (client: Client) => void,
  over: Promise<void>,
): Promise<number> {
  let probes = 0;
  let isOver = false;
  void over.then(() => (isOver = true));
  for (;;) {
    const text = await client.nextText(LIMIT_MS);
    if (text !== PROBE) continue;
    probes += 1;
    answer(client);
    if (isOver) return probes;
  }
}

onServerAtOnce(
  'the heartbeat',
  { tenants: [openTenant('shop')], env: { ACTIVITY_TIMEOUT: '1', RUST_LOG: 'debug' } },
  (node) => {
    it(
      'probes a silent connection and closes it 4201 when nothing comes; any sign of life keeps it open',
      async () => {
        const silent = await node.connect();
        const lively = await Promise.all(
          Object.values(ANSWERS).map(async (answer) => ({ answer, client: await node.connect() })),
        );
        for (const { client } of lively) await client.subscribe('private-x');
        expect(await silent.nextText()).toBe(PROBE);
        const closing = expectClosed(silent, 4201, 'Pong reply not received in time', LIMIT_MS);
        const probes = await Promise.all(
          lively.map(({ answer, client }) => answering(client, answer, closing)),
        );
        expect(Math.min(...probes)).toBeGreaterThan(1);
        // Each still answers.
        for (const { client } of lively) await client.pending();
        expect(node.log.map(({ fields }) => fields.cause)).toContain('activity_timeout');
      },
      LIMIT_MS,
    );
  },
);
