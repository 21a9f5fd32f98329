import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, vi } from 'vitest';
import { describeHandle, openHandles } from '../src/process-state/handles.js';
import { TimerRecord } from '../src/process-state/timers.js';
import { changedValues, processValues } from '../src/process-state/values.js';
import { watchProcess } from '../src/process-state/watch.js';
import { spawnNode } from '../src/index.js';

const listener = (): void => undefined;

it('changedValues names variables, globals, agents and listeners when they differ', () => {
  const before = processValues();
  vi.stubEnv('CARILLON_TEST_LEFT', 'x');
  vi.stubGlobal('setTimeout', listener);
  process.on('SIGUSR2', listener);
  const { globalAgent } = http;
  http.globalAgent = new http.Agent();
  expect(changedValues(before, processValues()).toSorted()).toEqual([
    'globalThis.setTimeout',
    'http.globalAgent',
    'process.env.CARILLON_TEST_LEFT',
    'the number of listeners of process for "SIGUSR2"',
  ]);
  process.off('SIGUSR2', listener);
  http.globalAgent = globalAgent;
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  expect(changedValues(before, processValues())).toEqual([]);
});

it('describeHandle names a server and a child process while they are open', async () => {
  const before = new Set(openHandles());
  const opened = () =>
    openHandles().flatMap((handle) => (before.has(handle) ? [] : (describeHandle(handle) ?? [])));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = spawnNode('-e', ['setInterval(() => {}, 1000)']);
  expect(opened().toSorted()).toEqual([
    expect.stringMatching(/^process .*node -e setInterval/),
    expect.stringMatching(/^server at port \d+$/),
  ]);
  await child.kill();
  server.close();
  await once(server, 'close');
  await vi.waitFor(() => expect(opened()).toEqual([]), 10_000);
});

it('TimerRecord describes a timer of our own code until it is cleared, when it keeps the process alive', () => {
  vi.stubGlobal('setInterval', globalThis.setInterval);
  vi.stubGlobal('setTimeout', globalThis.setTimeout);
  const record = new TimerRecord();
  record.install();
  const intervals = Array.from({ length: 600 }, () => setInterval(() => undefined, 60_000));
  const [kept, unreferenced, ...rest] = intervals;
  unreferenced?.unref();
  for (const timer of rest) clearInterval(timer);
  const long = setTimeout(() => undefined, 30_000);
  const short = setTimeout(() => undefined, 5000);
  expect(record.running()).toEqual([
    expect.stringMatching(/^setInterval of 60000 ms, at .*process-state\.test/),
    expect.stringMatching(/^setTimeout of 30000 ms, at .*process-state\.test/),
  ]);
  for (const timer of [kept, unreferenced, long, short]) clearTimeout(timer);
  expect(record.running()).toEqual([]);
});

it('describeHandle names a socket while it is connected and keeps the process alive', async () => {
  const server = createServer((socket) => socket.unref())
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const before = new Set(openHandles());
  const opened = () =>
    openHandles().flatMap((handle) => (before.has(handle) ? [] : (describeHandle(handle) ?? [])));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  await vi.waitFor(() =>
    expect(opened()).toEqual([expect.stringMatching(/^socket from port \d+ to 127\.0\.0\.1:\d+$/)]),
  );
  socket.unref();
  expect(opened()).toEqual([]);
  socket.destroy();
  server.close();
  await once(server, 'close');
});

it('watchProcess reports changed values and open resources', async () => {
  let value = 1;
  const leftovers = watchProcess(() => ({ 'the value': value }));
  expect(await leftovers()).toEqual([]);
  value = 2;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await leftovers(0)).toEqual(['the value', expect.stringMatching(/^server at port/)]);
  // Still closing when it is asked.
  server.close();
  value = 1;
  expect(await leftovers()).toEqual([]);
});
