import { type IngestEvent, type Lease, MemorySource, type Outcome } from '@carillon/ingest-source';
import { createParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { accepted, type Attempt, attemptOf, dead, unavailable } from '../src/attempt.js';
import { SourceMeters } from '../src/meters.js';
import { SourceSink } from '../src/source-sink.js';

const event = (id: string, more: Partial<IngestEvent> = {}): IngestEvent => ({
  id,
  op: 'publish',
  app: 'shop',
  channel: 'orders',
  name: 'e',
  message: null,
  data: id,
  isJson: false,
  optionsText: '{}',
  atMs: Date.now(),
  bytes: 300,
  ...more,
});

const FREE: Lease = { isEnded: false, signal: new AbortController().signal };

/** A sink over answers that a test gives, and the ids in the order of the attempts. */
function sinkOf(answer: (one: IngestEvent, lease: Lease) => Attempt | Promise<Attempt>) {
  const attempts: string[] = [];
  const { metrics } = createParts(configuration({ RUST_LOG: 'off' }));
  const publisher = {
    attempt: async (one: IngestEvent, lease: Lease): Promise<Attempt> => {
      attempts.push(one.id);
      return answer(one, lease);
    },
    attemptAll: async (): Promise<null> => null,
  };
  const sink = new SourceSink(publisher, new SourceMeters(metrics, 'orders'), {
    baseMs: 1,
    maxMs: 2,
    maxAttempts: 3,
  });
  return { sink, attempts, metrics };
}

describe('SourceSink', () => {
  it('publishes one channel strictly in order and starts an event when the one before has ended', async () => {
    let open = 0;
    const { sink, attempts } = sinkOf(async () => {
      expect((open += 1)).toBe(1);
      await new Promise(setImmediate);
      open -= 1;
      return accepted();
    });
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    const outcomes = await Promise.all(ids.map((id) => sink.deliver(event(id), FREE)));
    expect(attempts).toEqual(ids);
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true);
  });

  it('lets other channels go on while one waits for a retry', async () => {
    let isAvailable = false;
    const { sink } = sinkOf(({ channel }) =>
      channel === 'orders' && !isAvailable ? unavailable('down') : accepted(),
    );
    const waiting = sink.deliver(event('a'), FREE);
    await expect(sink.deliver(event('b', { channel: 'other' }), FREE)).resolves.toMatchObject({
      kind: 'accepted',
    });
    isAvailable = true;
    await expect(waiting).resolves.toMatchObject({ kind: 'accepted' });
  });

  it('goes on behind a dead letter', async () => {
    const { sink } = sinkOf(({ id }) => (id === 'a' ? dead('conflict', 409, 'other content') : accepted()));
    const [first, second] = await Promise.all([
      sink.deliver(event('a'), FREE),
      sink.deliver(event('b'), FREE),
    ]);
    expect(first).toMatchObject({ kind: 'dead', code: 'conflict', status: 409, attempts: 1 });
    expect(second).toMatchObject({ kind: 'accepted' });
  });

  it('gives up after max_attempts answers of 500 and never on other failures', async () => {
    const { sink, attempts } = sinkOf(({ id }) => {
      if (id === 'a') return attemptOf(new Error('bug'));
      return attempts.length < 30 ? unavailable('down') : accepted();
    });
    await expect(sink.deliver(event('a'), FREE)).resolves.toMatchObject({
      kind: 'dead',
      code: 'internal_error',
      attempts: 3,
      reason: 'Internal server error',
    });
    await expect(sink.deliver(event('b'), FREE)).resolves.toMatchObject({ kind: 'accepted' });
  });

  it('makes all channels of the app wait when the app is rate limited', async () => {
    const limited = {
      ...unavailable('limit'),
      code: 'rate_limited',
      status: 429,
      afterMs: 30,
      isOfApp: true,
    };
    let isLimited = true;
    const { sink, attempts } = sinkOf(() => (isLimited ? limited : accepted()));
    const first = sink.deliver(event('a'), FREE);
    await new Promise(setImmediate);
    isLimited = false;
    await Promise.all([first, sink.deliver(event('b', { channel: 'other' }), FREE)]);
    expect(attempts.filter((id) => id === 'b')).toHaveLength(1);
    expect(attempts.filter((id) => id === 'a')).toHaveLength(2);
  });

  it('starts nothing after the lease has ended', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const lease: Lease = {
      signal,
      get isEnded() {
        return signal.aborted;
      },
    };
    const { sink, attempts } = sinkOf(() => {
      controller.abort();
      return accepted();
    });
    const outcomes: Outcome[] = await Promise.all(
      ['a', 'b', 'c'].map((id) => sink.deliver(event(id), lease)),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'abandoned', 'abandoned']);
    expect(attempts).toEqual(['a']);
  });

  it('knows the serial of a message before the next event of its channel starts', async () => {
    const found: (string | null)[] = [];
    const { sink } = sinkOf(async ({ op, app, channel }, { messages }) => {
      if (op === 'append') found.push((await messages?.serialOf(app, channel ?? '', 'm')) ?? null);
      return accepted(op === 'publish' ? 'serial-1' : null);
    });
    const source = new MemorySource('orders');
    source.add(event('a', { optionsText: '{"message_id":"m"}' }));
    source.add(event('b', { op: 'append', message: 'id:m' }));
    source.start(sink);
    await source.stop(new AbortController().signal);
    expect(found).toEqual(['serial-1']);
    expect(source.status()).toMatchObject({ lagRows: 0, deadLetters: 0 });
  });
});
