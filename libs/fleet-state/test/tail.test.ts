import { describe, expect, it } from 'vitest';
import { TailLimiter } from '../src/tail/limiter.js';
import type { TailStart } from '../src/tail/options.js';
import { TailReader } from '../src/tail/reader.js';
import { isSampled } from '../src/tail/sampling.js';
import { TailSession } from '../src/tail/tail-session.js';
import { shownData } from '../src/tail/trace.js';

const FULL = { payload: 'full', max_data_bytes: 4096 } as const;

describe('isSampled', () => {
  it('chooses about one of n messages, the same every time', () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => `message-${at}`);
    const chosen = ids.filter((id) => isSampled(id, 10));
    expect(chosen.length).toBeGreaterThan(1700);
    expect(chosen.length).toBeLessThan(2300);
    expect(ids.filter((id) => isSampled(id, 10))).toEqual(chosen);
    expect(ids.every((id) => isSampled(id, 1))).toBe(true);
  });
});

describe('shownData', () => {
  it('shows the text of a string and the JSON of other values', () => {
    expect(shownData('"{\\"id\\":1}"', FULL)).toEqual({ bytes: 8, data: '{"id":1}', data_truncated: false });
    expect(shownData('{"id":1}', FULL)).toEqual({ bytes: 8, data: '{"id":1}', data_truncated: false });
    expect(shownData(null, FULL)).toEqual({ bytes: 0, data: null, data_truncated: false });
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('cuts at a character when %i bytes are allowed', (max) => {
    const text = 'aé€😀b';
    const { data, data_truncated } = shownData(JSON.stringify(text), {
      payload: 'full',
      max_data_bytes: max,
    });
    expect(text.startsWith(data ?? 'x')).toBe(true);
    expect(Buffer.byteLength(data ?? '')).toBeLessThanOrEqual(max);
    expect(data_truncated).toBe(true);
  });

  it('shows only the size when payloads are off', () => {
    expect(shownData('"abc"', { payload: 'none', max_data_bytes: 4096 })).toEqual({ bytes: 3 });
  });
});

describe('TailLimiter', () => {
  it('counts every event as admitted or dropped', () => {
    let nowMs = 0;
    const limiter = new TailLimiter({ eventsPerSecond: 10, bytesPerSecond: 1000 }, () => nowMs);
    let admitted = 0;
    let dropped = 0;
    for (let at = 0; at < 500; at += 1) {
      nowMs += 13;
      if (limiter.admits(90 + (at % 7) * 40)) admitted += 1;
    }
    const left = limiter.takeDropped();
    dropped = (left.rate ?? 0) + (left.bytes ?? 0);
    expect(admitted + dropped).toBe(500);
    expect(left.bytes).toBeGreaterThan(0);
    expect(limiter.hasDropped).toBe(false);
  });
});

class Sink {
  isBehind = false;
  isOver = false;
  text = '';

  write(text: string): void {
    this.text += text;
  }

  end(): void {
    this.isOver = true;
  }

  of(event: string): readonly Readonly<Record<string, unknown>>[] {
    return [...this.text.matchAll(/(?:id: \d+\n)?event: (\w+)\ndata: (.*)\n\n/g)]
      .filter(([, name]) => name === event)
      .map(([, , data]) => JSON.parse(data ?? '') as Record<string, unknown>);
  }
}

const START: TailStart = {
  tail_id: 't_1',
  app_id: 'shop',
  target: { channel: 'orders' },
  sample: 1,
  max_events_per_second: 1000,
  payload: 'full',
  max_data_bytes: 65_536,
  reply_to: 'api-1',
};

const METRICS = { counter: () => ({ for: () => ({ add: () => undefined }) }) };

function session(
  sink: Sink,
  waitingBytes?: number,
): { readonly tail: TailSession; readonly reader: TailReader } {
  const reader = new TailReader(sink, waitingBytes);
  const covers = { nodes: ['gw-a'], missing: ['gw-b'], expiresAtMs: 1 };
  return { tail: new TailSession(START, reader, METRICS as never, covers), reader };
}

const batch = (count: number, size = 10) => ({
  tail_id: 't_1',
  traces: Array.from({ length: count }, (_, at) => ({
    kind: 'message',
    direction: 'out' as const,
    at_ms: at,
    fields: { data: 'x'.repeat(size) },
  })),
  dropped: {},
});

describe('TailSession', () => {
  it('keeps a bounded amount for a slow reader and tells the rest as a gap', () => {
    const sink = new Sink();
    const { tail, reader } = session(sink, 10_000);
    sink.isBehind = true;
    tail.received('gw-a', batch(300, 100));
    expect(sink.of('trace')).toHaveLength(0);
    sink.isBehind = false;
    reader.drained();
    tail.received('gw-a', batch(1));
    const dropped = sink.of('gap').reduce((sum, { dropped: one }) => sum + Number(one), 0);
    expect(sink.of('gap')[0]).toMatchObject({ reason: 'buffer' });
    expect(sink.of('trace').length + dropped).toBe(301);
    tail.end(null);
  });

  it('tells nodes that join, are missing and leave', () => {
    const sink = new Sink();
    const { tail } = session(sink);
    expect(sink.of('open')[0]).toMatchObject({ nodes: ['gw-a'], missing_nodes: ['gw-b'] });
    tail.received('gw-b', batch(0));
    tail.missing(['gw-a']);
    tail.gone('gw-a');
    tail.end('time');
    expect(sink.of('nodes')).toEqual([
      { nodes: ['gw-a', 'gw-b'], missing_nodes: [] },
      { nodes: ['gw-b'], missing_nodes: ['gw-a'] },
      { nodes: ['gw-b'], missing_nodes: [] },
    ]);
    expect(sink.of('end')).toEqual([{ reason: 'time' }]);
    expect(sink.isOver).toBe(true);
  });

  it('adds what nodes left out to its own gaps', () => {
    const sink = new Sink();
    const { tail } = session(sink);
    tail.received('gw-a', { ...batch(2), dropped: { rate: 5, bytes: 1 } });
    expect(sink.of('gap')).toEqual([
      { dropped: 5, reason: 'rate' },
      { dropped: 1, reason: 'bytes' },
    ]);
    tail.end(null);
  });
});
