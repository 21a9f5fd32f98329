import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Arrival } from '../../src/arrival.js';
import { CometConnections } from '../../src/comet/comet-connections.js';
import { CometTransport } from '../../src/comet/comet-transport.js';
import type { Delivery, Receiver } from '../../src/comet/receivers.js';

class Recv implements Receiver {
  readonly delivered: string[] = [];
  bufferedBytes = 0;
  outcome: Delivery | Promise<Delivery> = 'delivered';
  ended = false;

  constructor(readonly isOnce: boolean) {}

  deliver(text: string): Delivery | Promise<Delivery> {
    if (this.outcome === 'delivered') this.delivered.push(text);
    return this.outcome;
  }

  end(): void {
    this.ended = true;
  }

  abort(): void {
    this.ended = true;
  }
}

const connections = new CometConnections();
const events = { drained: (): void => {}, closed: (): void => {} };
const opened = (): CometTransport => {
  const transport = new CometTransport({} as Arrival, events, connections);
  connections.add('hash', transport);
  return transport;
};
const turn = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('keeps frames until a recv takes them, in one array', async () => {
  const transport = opened();
  for (const n of [1, 2]) expect(transport.send(`{"n":${n}}`)).toBe('buffered');
  expect(transport.bufferedBytes).toBe(14);
  const recv = new Recv(true);
  transport.receive(recv);
  expect(recv.delivered).toEqual(['[{"n":1},{"n":2}]']);
  transport.send('{"n":3}');
  await turn();
  expect(recv.delivered).toHaveLength(1);
  expect(transport.bufferedBytes).toBe(7);
});

it('answers a poll without frames with a heartbeat after half the maximum idle interval', async () => {
  const transport = opened();
  const recv = new Recv(true);
  transport.receive(recv);
  await vi.advanceTimersByTimeAsync(7499);
  expect(recv.delivered).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(recv.delivered).toEqual(['[{"action":0}]']);
});

it.each([
  ['15 s without a recv', null, 15_000],
  ['15 s after a poll broke', new Recv(true), 15_000],
  ['5 s after a stream broke', new Recv(false), 5000],
])('is lost %s', async (_title, recv, ms) => {
  const transport = opened();
  // The connect request is answered.
  const first = recv ?? new Recv(true);
  transport.receive(first);
  transport.send('{}');
  await turn();
  if (recv !== null) {
    transport.receive(recv);
    transport.gone(recv);
  }
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(transport.isOpen).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(transport.isOpen).toBe(false);
  expect(connections.find('hash')).toBeNull();
});

it('delivers again to the next recv what a broken one did not take', async () => {
  const transport = opened();
  const broken = new Recv(true);
  broken.outcome = Promise.resolve('gone');
  transport.receive(broken);
  transport.send('{"n":1}');
  await turn();
  const next = new Recv(true);
  transport.receive(next);
  expect(next.delivered).toEqual(['[{"n":1}]']);
});

it('ends when it is unknown whether frames were delivered', async () => {
  const transport = opened();
  const recv = new Recv(false);
  recv.outcome = Promise.resolve('unknown');
  transport.receive(recv);
  transport.send('{}');
  await turn();
  expect(transport.isOpen).toBe(false);
  expect(recv.ended).toBe(true);
});

it('ends the earlier of two recvs', () => {
  const transport = opened();
  const [first, second] = [new Recv(true), new Recv(true)];
  transport.receive(first);
  transport.receive(second);
  expect([first.ended, second.ended]).toEqual([true, false]);
});

it('lets the last frames be read after its end, for a time', async () => {
  const transport = opened();
  transport.send('{"action":8}');
  transport.end();
  expect(transport.send('{}')).toBe('closed');
  const recv = new Recv(true);
  connections.find('hash')?.receive(recv);
  expect(recv.delivered).toEqual(['[{"action":8}]']);
  expect(connections.find('hash')).toBeNull();
  const late = opened();
  late.send('{}');
  late.end();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(connections.find('hash')).toBeNull();
});

it('is found by its former key for a short time', async () => {
  const transport = opened();
  transport.receive(new Recv(false));
  transport.keyChanged('other');
  expect(connections.find('hash')).toBe(transport);
  await vi.advanceTimersByTimeAsync(15_000);
  expect([connections.find('hash'), connections.find('other')]).toEqual([null, transport]);
  transport.terminate();
  expect(connections.find('other')).toBeNull();
});

it('splits what waits into deliveries of a bounded size', () => {
  const transport = opened();
  const frame = JSON.stringify('x'.repeat(100_000));
  for (let n = 0; n < 3; n += 1) transport.send(frame);
  const recv = new Recv(false);
  transport.receive(recv);
  expect(recv.delivered).toEqual([`[${frame}]`, `[${frame}]`, `[${frame}]`]);
});
