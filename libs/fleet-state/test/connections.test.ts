import type { Subscriber } from '@carillon/realtime';
import { expect, it } from 'vitest';
import { LocalConnections } from '../src/gateway/connections.js';
import { Slices } from '../src/gateway/slices.js';

const CONNECTIONS = 50_000;

interface Page {
  readonly items: readonly { readonly socket_id: string }[];
  readonly sequences: readonly number[];
  readonly more: boolean;
  readonly total?: number;
}

/** A hub with so many connections of two apps. */
function localConnections(count: number): LocalConnections {
  const hubs = ['shop', 'other'].map((appId, app) => ({
    appId,
    subscribers: [] as Subscriber[],
    signedIn: { of: () => [] },
    channels: new Map(),
    app,
  }));
  for (let at = 1; at <= count; at += 1) {
    const hub = hubs[at % 2];
    const subscriber = {
      id: `1.${at}`,
      hub,
      acceptSequence: at,
      isOpen: true,
      address: `10.0.${at % 250}.1`,
      origin: { client: null },
      traits: { protocol: 'v2', format: 'json', userId: null, lastReceivedMs: null },
      connectedMs: 1,
      subscriptions: { size: 0, get: () => undefined },
      patterns: null,
      received: 0,
      sentFrames: 0,
      bufferedBytes: 0,
    };
    hub?.subscribers.push(subscriber as unknown as Subscriber);
  }
  const byId = new Map(hubs.map((hub) => [hub.appId, hub]));
  const all = { find: (id: string) => byId.get(id) ?? null, [Symbol.iterator]: () => hubs.values() };
  return new LocalConnections({ hubs: all } as never, () => 'gw-a');
}

it('page of 50,000 connections holds the first ones of all apps and counts all', async () => {
  const connections = localConnections(CONNECTIONS);
  const request = { filter: { app_ids: null }, after: null, limit: 50 };
  const page = (await connections.page(request)) as unknown as Page;
  expect(page.total).toBe(CONNECTIONS);
  expect(page.more).toBe(true);
  expect(page.sequences).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
});

it('walk over pages lists every connection of an address range once', async () => {
  const connections = localConnections(2000);
  const filter = { app_ids: ['shop'], address: '10.0.0.0/20' };
  const seen: string[] = [];
  let after: { readonly node_id: string; readonly sequence: number } | null = null;
  for (;;) {
    const page = (await connections.page({ filter, after, limit: 7 })) as unknown as Page;
    seen.push(...page.items.map(({ socket_id }) => socket_id));
    if (!page.more) break;
    after = { node_id: 'gw-a', sequence: page.sequences.at(-1) ?? 0 };
  }
  const expected = Array.from({ length: 2000 }, (_, at) => at + 1).filter(
    (at) => at % 2 === 0 && at % 250 < 16,
  );
  expect(seen).toEqual(expected.map((at) => `1.${at}`));
});

it('long loop yields to the event loop before its slice exceeds 5 ms', async () => {
  let nowMs = 0;
  const slices = new Slices(() => nowMs);
  let sliceMs = 0;
  for (let step = 0; step < 10_000; step += 1) {
    const turn = slices.step();
    if (turn !== undefined) {
      await turn;
      sliceMs = 0;
    }
    nowMs += 0.05;
    sliceMs += 0.05;
    expect(sliceMs).toBeLessThan(5);
  }
});
