import { createElement, StrictMode } from 'react';
import { act, create, type ReactTestRenderer } from 'react-test-renderer';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  CarillonProvider,
  useConnectionState,
  useEvent,
  useMessages,
  usePresence,
} from '../src/react/index.js';
import { settled, subscribed, World } from './harness/world.js';

let mounted: ReactTestRenderer | null = null;
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(async () => {
  await act(async () => mounted?.unmount());
});

/** Renders a component below a provider; returns a function that reads its current output. */
async function show(world: World, component: () => string): Promise<() => unknown> {
  const tree = createElement(
    StrictMode,
    null,
    createElement(CarillonProvider, { client: world.client }, createElement(component)),
  );
  await act(async () => {
    mounted = create(tree);
    await settled();
  });
  return () => mounted?.toJSON();
}

const told = (world: World, frame: object): Promise<void> =>
  act(async () => {
    world.socket.says(frame);
    await settled();
  });

it('shows what the connection is doing', async () => {
  const world = new World();
  const seen = await show(world, () => useConnectionState());
  expect(seen()).toBe('initialized');
  await act(async () => void (await world.connect()));
  expect(seen()).toBe('connected');
});

it('subscribes for as long as a component is there, and shows who else is', async () => {
  const world = new World();
  await world.connect();
  const seen = await show(world, () =>
    usePresence<{ name: string }>('presence-lobby')
      .map(({ id, info }) => `${id}:${info.name}`)
      .join(),
  );
  const asked = world.socket.taken().map(({ event }) => event);
  expect(asked.at(-1)).toBe('service:subscribe');
  await told(world, subscribed('presence-lobby', { presence: { ids: ['a'], hash: { a: { name: 'Ada' } } } }));
  expect(seen()).toBe('a:Ada');
  const data = JSON.stringify({ user_id: 'b', user_info: { name: 'Bo' } });
  await told(world, { event: 'service_internal:member_added', channel: 'presence-lobby', data });
  expect(seen()).toBe('a:Ada,b:Bo');
  await act(async () => mounted?.unmount());
  expect(world.socket.taken()).toEqual([
    { event: 'service:unsubscribe', data: { channel: 'presence-lobby' } },
  ]);
});

it('calls the latest listener with what is published', async () => {
  const world = new World();
  await world.connect();
  const heard: unknown[] = [];
  await show(world, () => {
    useEvent<{ n: number }>('orders', 'tick', ({ n }) => heard.push(n));
    return '';
  });
  await told(world, subscribed('orders'));
  await told(world, { event: 'tick', channel: 'orders', data: '{"n":1}' });
  expect(heard).toEqual([1]);
});

const version = (action: string, at: string, data: string): object => ({
  event: action === 'create' ? 'said' : `service:message.${action}`,
  channel: 'chat',
  data,
  message_id: `${action}-${at}`,
  extras: {
    headers: {
      service_action: `message.${action}`,
      service_message_serial: 's1',
      service_version_serial: at,
      service_history_serial: 1,
    },
  },
});

it('shows what was before also where another component has the channel already', async () => {
  const world = new World();
  await world.connect();
  const seen = await show(world, () => {
    useEvent('chat', 'said', () => undefined);
    return useMessages('chat', { subscribe: { rewind: 2 } })
      .map(({ raw }) => raw)
      .join('|');
  });
  await told(world, subscribed('chat'));
  const asked = world.socket.taken().filter(({ event }) => event === 'service:channel_history');
  expect(asked).toEqual([{ event: 'service:channel_history', data: { channel: 'chat', limit: 2 } }]);
  const message = { event: 'said', data: 'before', message_id: 'm-1', serial: 1 };
  const items = [{ serial: 1, published_at_ms: 1, message }];
  const data = { items, has_more: false, next_cursor: null };
  await told(world, { event: 'service:channel_history', channel: 'chat', data });
  expect(seen()).toBe('before');
});

it('goes from one channel to another, and leaves none behind that was under way', async () => {
  const world = new World();
  let name = 'presence-a';
  const component = (): string =>
    usePresence(name)
      .map(({ id }) => id)
      .join();
  const seen = await show(world, component);
  await act(async () => void (await world.connect()));
  const members = { presence: { ids: ['ada'], hash: { ada: {} } } };
  name = 'presence-b';
  await act(async () => {
    mounted?.update(
      createElement(CarillonProvider, { client: world.client }, createElement(component, { key: name })),
    );
    await settled();
  });
  await told(world, subscribed('presence-a', members));
  expect(seen()).toBe(null);
  await told(world, subscribed('presence-b', members));
  expect(seen()).toBe('ada');
  await act(async () => mounted?.unmount());
  const has = new Map<unknown, number>();
  for (const { event, data } of world.socket.taken()) {
    const { channel } = (data ?? {}) as { channel?: string };
    if (event === 'service:subscribe') has.set(channel, 1);
    if (event === 'service:unsubscribe') has.set(channel, 0);
  }
  expect(Object.fromEntries(has)).toEqual({ 'presence-a': 0, 'presence-b': 0 });
});

it('shows messages as they are now', async () => {
  const world = new World();
  await world.connect();
  const options = { subscribe: { rewind: 10 } };
  const seen = await show(world, () =>
    useMessages('chat', options)
      .map(({ raw }) => raw)
      .join('|'),
  );
  await told(world, subscribed('chat'));
  await told(world, version('create', 'v1', 'hel'));
  await told(world, version('append', 'v2', 'lo'));
  expect(seen()).toBe('hello');
});
