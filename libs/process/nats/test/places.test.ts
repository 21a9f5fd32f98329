import { describe, expect, it } from 'vitest';
import { othersOf, placeOf, toTry } from '../src/places.js';
import { NatsDialer } from '../src/dialer.js';
import { natsServer } from './server.js';
import { configured } from './settings.js';

describe('the other servers of a cluster', () => {
  it('have to show the certificate of who told of them, unless they are told by name', () => {
    const hosts = ['10.0.0.1:4222', '[::1]:4222', 'nats-2:4222'];
    const names = (host: string) => othersOf(placeOf(host), hosts).map(({ name }) => name);
    expect(names('nats.example:4222')).toEqual(['nats.example', 'nats.example', null]);
    expect(names('10.0.0.9')).toEqual([null, null, null]);
    const told = { host: '10.0.0.9', name: 'nats.example' };
    expect(othersOf(told, hosts)[0]).toEqual({ host: '10.0.0.1:4222', name: 'nats.example' });
  });

  it('are no more than there may be, and nothing that is no address', () => {
    expect(othersOf(placeOf('one:1'), [7, null, '', 'a b', 'x:y', 'one:1', 'two:2'])).toEqual([
      placeOf('two:2'),
    ]);
    expect(
      othersOf(
        placeOf('one'),
        Array.from({ length: 999 }, (_, at) => `n${at}`),
      ),
    ).toHaveLength(64);
  });

  it('are tried one at a time, behind all of the settings', () => {
    const settings = ['a', 'b', 'c'].map(placeOf);
    const seen = new Set<string>();
    for (let times = 0; times < 200; times += 1) {
      const hosts = toTry(settings, ['a', 'd', 'e'].map(placeOf)).map(({ host }) => host);
      expect(hosts.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
      expect(hosts).toHaveLength(4);
      seen.add(hosts[3] ?? '');
    }
    expect([...seen].toSorted()).toEqual(['d', 'e']);
    expect(toTry(settings, settings)).toHaveLength(3);
  });

  it('are connected to when the one of the settings has gone', async () => {
    const other = await natsServer({});
    const first = await natsServer({ info: { connect_urls: ['127.0.0.1:1'] } });
    const { nats: settings } = configured({ NATS_SERVERS: first.host }).adapter;
    const options = { section: 'adapter.nats', connectionName: 'node', inboxPrefix: 'inbox' };
    const dialer = new NatsDialer({ ...options, settings, onEvent: () => {} });
    const connection = await dialer.open();
    // The cluster changed since it greeted.
    first.say(`INFO ${JSON.stringify({ max_payload: 512, connect_urls: [first.host, other.host] })}\r\n`);
    await new Promise((resolve) => connection.ping(resolve));
    await connection.close();
    await first[Symbol.asyncDispose]();
    const next = await dialer.open();
    expect(other.noted.lines[0]).toContain('CONNECT');
    await next.close();
    await other[Symbol.asyncDispose]();
  });
});
