import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { signedQuery } from '../harness/signatures.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const BODY = JSON.stringify({ name: 'tick', channel: 'nobody-listens', data: 'x'.repeat(100) });
const SOCKETS = 256;
const PIPELINED = 4;
const ANSWER = 'HTTP/1.1 200';

/** One request, again and again: what is signed may come more than once. */
function request(): string {
  const path = '/apps/shop/events';
  return [
    `POST ${path}?${signedQuery(shop, 'POST', path, {}, BODY)} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    '',
    BODY,
  ].join('\r\n');
}

/** Publishes so often over one connection; rejects when anything but 200 is answered. */
const publishAll = (port: number, text: string, count: number): Promise<void> =>
  new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1');
    let answered = 0;
    let rest = '';
    const send = (): void => void socket.write(text.repeat(PIPELINED));
    socket.setEncoding('latin1').on('error', failed).on('connect', send);
    socket.on('close', () =>
      answered < count ? failed(new Error(`only ${answered} were answered`)) : done(),
    );
    socket.on('data', (chunk: string) => {
      const parts = (rest + chunk).split(ANSWER);
      rest = (parts.at(-1) ?? '').slice(-ANSWER.length);
      answered += parts.length - 1;
      if (/HTTP\/1.1 [^2]/.test(chunk)) failed(new Error(chunk));
      else if (answered >= count) socket.end();
      else if (answered % PIPELINED === 0) send();
    });
  });

const publish = async (node: Node, count: number): Promise<void> => {
  const text = request();
  await Promise.all(Array.from({ length: SOCKETS }, () => publishAll(node.port, text, count / SOCKETS)));
};

const majorCollections = async (node: Node): Promise<number> =>
  (await node.metrics()).value('nodejs_gc_duration_seconds_count', { kind: 'major' }) ?? 0;

onServer('the memory of a busy process', { tenants: [shop] }, (node) => {
  it(
    'is not collected as a whole because of what a request leaves behind',
    { timeout: 120_000 },
    async () => {
      // By then V8 has compiled what is hot, and thinks it knows what lives long.
      await publish(node, 81_920);
      const before = await majorCollections(node);
      await publish(node, 327_680);
      expect((await majorCollections(node)) - before).toBeLessThanOrEqual(2);
    },
  );
});
