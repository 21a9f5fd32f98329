import { describe, expect, it } from 'vitest';
import { problems, runs } from './harness.js';

describe('addresses of brokers', () => {
  it.each<[object, readonly string[]]>([
    [
      { queue: { driver: 'pulsar', pulsar: { url: 'pulsar://broker:7000' } } },
      [
        'queue.pulsar.url: the port of the WebSocket API cannot be derived from port 7000; use ws://host:port',
      ],
    ],
    [
      { queue: { driver: 'pulsar', pulsar: { url: 'amqp://broker' } } },
      ['queue.pulsar.url: scheme must be pulsar, pulsar+ssl, ws, wss, http or https'],
    ],
    [
      { queue: { driver: 'iggy', iggy: { connection_string: 'iggy+quic://a:b@server:1' } } },
      ['queue.iggy.connection_string: scheme must be iggy, iggy+tcp, iggy+http, http or https'],
    ],
    [
      { queue: { driver: 'iggy', iggy: { connection_string: 'iggy://server:8090' } } },
      ['queue.iggy.connection_string: names no user, and username is unset'],
    ],
  ])('%j is refused before the start', (json, expected) => {
    expect(problems({ json: { mode: 'development', ...json } })).toEqual(expected);
  });

  it('that no driver uses are not checked', () => {
    const json = { mode: 'development', queue: { pulsar: { url: 'pulsar://broker:7000' } } };
    expect(runs({ json }).config.queue.pulsar.url).toBe('pulsar://broker:7000');
  });
});
