import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostOf, someHostAnswers } from '../src/cluster/broker-hosts.js';

async function listening(): Promise<{ readonly port: number; close(): Promise<unknown> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((closed) => server.close(closed)) };
}

describe('whether the broker is away for everybody', () => {
  it('is so when its host answers, be it that nothing listens there', async () => {
    const { port, close } = await listening();
    onTestFinished(() => void close());
    expect(await someHostAnswers([{ host: '127.0.0.1', port }])).toBe(true);
    await close();
    expect(await someHostAnswers([{ host: '127.0.0.1', port }])).toBe(true);
  });

  it('is not so when no host can be found', async () => {
    expect(await someHostAnswers([{ host: 'nowhere.invalid', port: 4222 }])).toBe(false);
    expect(await someHostAnswers([])).toBe(false);
  });

  it.each([
    ['nats://a:1', { host: 'a', port: 1 }],
    ['a', { host: 'a', port: 9 }],
    ['amqp://user:word@[::1]:7/v', { host: '::1', port: 7 }],
    ['ws://a', { host: 'a', port: 80 }],
    ['wss://a:443/nats', { host: 'a', port: 443 }],
    ['wss://a:8443', { host: 'a', port: 8443 }],
    ['', null],
  ])('is asked of %s', (address, host) => {
    expect(hostOf(address, 9)).toEqual(host);
  });
});
