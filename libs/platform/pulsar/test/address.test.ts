import { describe, expect, it } from 'vitest';
import { pulsarAddress } from '../src/index.js';

const BLOCK = 'queue.pulsar';

describe('pulsarAddress', () => {
  it.each([
    ['ws://broker:8080', 'ws://broker:8080'],
    ['http://broker:8080/', 'ws://broker:8080'],
    ['wss://broker', 'wss://broker:443'],
    ['https://broker:8443', 'wss://broker:8443'],
    ['pulsar://broker:6650', 'ws://broker:8080'],
    ['pulsar://broker', 'ws://broker:8080'],
    ['pulsar+ssl://broker:6651', 'wss://broker:8443'],
    ['ws://[::1]:8080', 'ws://[::1]:8080'],
  ])('reads %s as %s', (url, base) => {
    expect(pulsarAddress(url, BLOCK).base).toBe(base);
  });

  it('requires the port of the WebSocket API when it cannot be derived', () => {
    expect(() => pulsarAddress('pulsar://broker:7000', BLOCK)).toThrow(
      'queue.pulsar.url: the port of the WebSocket API cannot be derived from port 7000; name it as ws://broker:PORT',
    );
  });

  it('refuses other schemes', () => {
    expect(() => pulsarAddress('amqp://broker', BLOCK)).toThrow(
      'queue.pulsar.url: scheme "amqp:" is not supported; expected pulsar, pulsar+ssl, ws, wss, http or https',
    );
  });
});
