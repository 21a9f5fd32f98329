import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { closeRule } from '../src/connection/close-rule.js';
import { settled, World } from './harness/world.js';

describe('a connection', () => {
  it('says who it is, and is there once the service says so', async () => {
    const world = new World({ echo: false, appends: 'full', appendRollupMs: 40 });
    const states: string[] = [];
    world.client.on('state', ({ current }) => states.push(current));
    const socket = await world.connect();
    const { pathname, searchParams } = new URL(socket.url);
    expect(pathname).toBe('/app/key');
    expect(Object.fromEntries(searchParams)).toEqual({
      protocol: '2',
      client: 'carillon-js',
      version: '0.1.0',
      echo_messages: 'false',
      append_mode: 'full',
      append_rollup_window: '40',
      acks: 'true',
    });
    expect(states).toEqual(['connecting', 'connected']);
    expect(world.client.socketId).toBe('1.1');
  });

  it('does after a close what the code says', async () => {
    expect([4001, 4099, 4301].map(closeRule)).toEqual(['stop', 'stop', 'stop']);
    for (const [code, waitMs] of [
      [4200, 0],
      [4100, 1500],
      [1006, 500],
    ] as const) {
      const world = new World();
      const changes: unknown[] = [];
      (await world.connect()).taken();
      world.client.on('state', ({ current, retryInMs }) => changes.push([current, retryInMs]));
      world.socket.ends(code);
      expect(changes).toEqual([['waiting', waitMs]]);
      await world.clock.pass(waitMs);
      expect(world.sockets).toHaveLength(2);
    }
  });

  it('gives up for good when the service does not want it, until it is told to try again', async () => {
    const world = new World();
    (await world.connect()).ends(4001, 'Application does not exist');
    await world.clock.pass(600_000);
    expect(world.client.state).toBe('failed');
    expect(world.sockets).toHaveLength(1);
    await world.connect();
    expect(world.client.state).toBe('connected');
  });

  it('waits longer after each attempt that fails', async () => {
    const world = new World();
    const waits: unknown[] = [];
    world.client.on('state', ({ retryInMs }) => retryInMs !== undefined && waits.push(retryInMs));
    world.client.connect();
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await settled();
      world.socket.ends(1006);
      await world.clock.pass(15_000);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  });

  it('is not tried again at once for ever where it is let in and sent away again', async () => {
    const world = new World();
    const waits: unknown[] = [];
    world.client.on('state', ({ retryInMs }) => retryInMs !== undefined && waits.push(retryInMs));
    await world.connect();
    for (const lastsMs of [0, 0, 0, 5000]) {
      await world.clock.pass(lastsMs);
      world.socket.ends(4200, 'Force reconnect requested by the app.');
      await world.clock.pass(5000);
      await settled();
      await world.establish();
    }
    expect(waits).toEqual([0, 1000, 2000, 0]);
  });

  it('asks a silent service whether it is there, and gives up a connection that does not answer', async () => {
    const world = new World({ activityTimeoutMs: 20_000 });
    const socket = await world.connect();
    await world.clock.pass(20_000);
    expect(socket.taken()).toEqual([{ event: 'service:ping' }]);
    socket.says({ event: 'service:pong' });
    await world.clock.pass(20_000);
    expect(socket.taken()).toEqual([{ event: 'service:ping' }]);
    await world.clock.pass(10_000);
    expect(world.client.state).toBe('waiting');
    expect(socket.isClosed).toBe(true);
  });

  it('is looked at when somebody looks at the page again, which may have slept', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    vi.stubGlobal('document', page);
    const world = new World();
    const socket = await world.connect();
    const turn = (visibilityState: string): void => {
      Object.assign(page, { visibilityState });
      page.dispatchEvent(new Event('visibilitychange'));
    };
    turn('hidden');
    expect(socket.taken()).toEqual([]);
    turn('visible');
    expect(socket.taken()).toEqual([{ event: 'service:ping' }]);
    await world.clock.pass(10_000);
    expect(world.client.state).toBe('waiting');
    turn('visible');
    expect(world.client.state).toBe('connecting');
    await settled();
    world.client.disconnect();
    turn('visible');
    expect([world.client.state, world.sockets.length]).toEqual(['disconnected', 2]);
  });

  it('is given up when the network goes, and tried at once when it is back', async () => {
    const runtime = new EventTarget();
    vi.stubGlobal('addEventListener', runtime.addEventListener.bind(runtime));
    vi.stubGlobal('removeEventListener', runtime.removeEventListener.bind(runtime));
    const world = new World();
    const socket = await world.connect();
    runtime.dispatchEvent(new Event('offline'));
    expect([world.client.state, socket.isClosed]).toEqual(['waiting', true]);
    runtime.dispatchEvent(new Event('online'));
    await settled();
    expect(world.client.state).toBe('connecting');
    world.client.disconnect();
    runtime.dispatchEvent(new Event('online'));
    await settled();
    expect([world.client.state, world.sockets.length]).toEqual(['disconnected', 2]);
  });

  it('does not wait for ever for an answer to its handshake', async () => {
    const world = new World({ connectTimeoutMs: 5000 });
    world.client.connect();
    await world.clock.pass(5000);
    expect(world.client.state).toBe('waiting');
  });

  it('has one socket at most, and never one that nobody wants, whatever happens', async () => {
    const step = fc.oneof(
      fc.constantFrom('connect', 'disconnect', 'establish', 'lost').map((kind) => ({ kind, amount: 0 })),
      fc.record({ kind: fc.constant('end'), amount: fc.constantFrom(1000, 1006, 4001, 4100, 4200, 4301) }),
      fc.record({ kind: fc.constant('pass'), amount: fc.integer({ min: 0, max: 60_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = new World();
        for (const { kind, amount } of steps) {
          const socket = world.sockets.at(-1);
          const isOpen = socket !== undefined && !socket.isClosed;
          if (kind === 'connect') world.client.connect();
          else if (kind === 'disconnect') world.client.disconnect();
          else if (kind === 'pass') await world.clock.pass(amount);
          else if (kind === 'establish' && isOpen && world.client.state === 'connecting')
            await world.establish();
          else if (kind === 'end' && isOpen) socket.ends(amount);
          await settled();
          const open = world.sockets.filter(({ isClosed }) => !isClosed);
          const { state } = world.client;
          expect(open.length).toBe(state === 'connecting' || state === 'connected' ? 1 : 0);
          expect(world.clock.size).toBe(['connecting', 'connected', 'waiting'].includes(state) ? 1 : 0);
          expect(world.client.socketId === null).toBe(state !== 'connected');
        }
      }),
      { numRuns: 60 },
    );
  });
});
