import type { Config } from '@carillon/config';
import type { CompatCore, Principal } from '@carillon/ably-core';
import type { RateLimit } from '@carillon/rate-limit';
import type { HttpRequest, Socket } from '@carillon/uws';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Arrival } from '../src/arrival.js';
import { RealtimeGateway } from '../src/realtime.gateway.js';
import { Realtime, type RealtimeParts } from '../src/realtime.js';

const MANNER = { format: 'json', echoes: true, beats: true, remainMs: 0, asksToRemain: false } as const;
const app = { id: 'shop' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The realtime adapter without a connection limit, and with a scripted cache. */
function scene(renew: () => Promise<never>, rateLimit: RateLimit | null = null) {
  const places: string[] = [];
  const told: unknown[] = [];
  const parts = {
    config: {
      adapter: { driver: 'local' },
      rate_limiter: {
        enabled: rateLimit !== null,
        websocket_rate_limit: {
          max_requests: 1,
          window_seconds: 60,
          identifier: 'websocket_connect',
          trust_hops: 0,
        },
      },
      instance: { process_id: 'n1' },
      tag_filtering: { max_filters_per_channel: 1, max_filters_per_app: 1 },
      compat: { realtime_admission: 'accept', attach_timeout_ms: 1000 },
      websocket: { idle_timeout: 120 },
      presence: { v2_ungraceful_timeout_seconds: 15 },
    } as unknown as Config,
    core: {
      connectionKeys: { renew },
      counters: { add: () => undefined, gauge: () => undefined },
    } as unknown as CompatCore,
    hub: {
      isolation: { isLong: false },
      takings: { answerWith: () => undefined },
      places: {
        take: async () => places.push('taken') > 0,
        giveUp: () => void places.push('given up'),
      },
    },
    log: { warn: () => undefined },
    admission: { state: () => 'ACCEPTING' },
    metrics: { counter: () => ({ for: () => ({ add: () => undefined }) }) },
    rateLimit,
  } as unknown as RealtimeParts;
  const edge = new Realtime(parts);
  const gateway = new RealtimeGateway(edge);
  const socket = {
    isOpen: true,
    state: new Arrival(MANNER, null, true, '', { address: null, client: null }, () =>
      Promise.reject(new Error('not asked')),
    ),
    send: (frame: string) => void told.push(JSON.parse(frame)),
    end: (code: number) => {
      if (socket.isOpen) told.push(code);
      socket.isOpen = false;
    },
  };
  vi.spyOn(socket.state, 'prove').mockResolvedValue({ app } as unknown as Principal);
  gateway.handleConnection(socket as unknown as Socket<Arrival | null>);
  return { edge, gateway, places, told };
}

it('who cannot be let in is told to come again, and its place is free', async () => {
  const { edge, places, told } = scene(() => Promise.reject(new Error('the cache is away')));
  const frame = { action: 6, error: expect.objectContaining({ code: 50_000, statusCode: 503 }) as unknown };
  // The client has time to close the socket itself.
  await vi.advanceTimersByTimeAsync(249);
  expect(told).toEqual([frame]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([frame, 1000]);
  expect(places).toEqual(['taken', 'given up']);
  edge.stop();
});

it('upgrades of an address are limited as those of any protocol (13.2)', async () => {
  const asked: string[] = [];
  const rateLimit = {
    check: async (_rule: unknown, subject: string) => {
      const allowed = asked.push(subject) < 2;
      return { allowed, limit: 1, remaining: 0, resetSeconds: 9 };
    },
  } as unknown as RateLimit;
  const { edge, gateway } = scene(() => new Promise(() => undefined), rateLimit);
  const request = { query: {}, header: () => undefined, peer: '10.0.0.1', headers: {} };
  const decide = async (): Promise<object> => gateway.upgrade(request as unknown as HttpRequest);
  expect(await decide()).toMatchObject({ headers: { 'x-ratelimit-limit': '1' } });
  expect(await decide()).toMatchObject({ refuse: { code: 'rate_limited' } });
  expect(asked).toEqual(['10.0.0.1', '10.0.0.1']);
  edge.stop();
});

it('who is not let in within ten seconds is closed', async () => {
  const { edge, told } = scene(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(9999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([1000]);
  edge.stop();
});
