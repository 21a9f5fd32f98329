import { decodeReadAnswer, encode, READ, type ReadBody } from '@carillon/contracts';
import { NOTHING_STORED, type RangeQuery } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import type { ChannelReads } from '../../src/index.js';
import { ReadDesk } from '../../src/reads/read-desk.js';
import { Gate } from '../lane/scene.js';
import { ManualClock, settled } from '../manual-clock.js';
import type { WriterEvents } from '../../src/writer/events.js';

const MAX_BYTES = 1024 * 1024;

const range = (key: number): ReadBody['range'] => ({
  stream_key: String(key),
  generation: NOTHING_STORED.nextDeliverySerial,
  from_serial: 1,
  to_serial: 1,
  limit: 1,
});

function scene() {
  const clock = new ManualClock();
  const gate = new Gate();
  const begun: string[] = [];
  const reads = {
    range: async ({ streamKey }: RangeQuery) => {
      begun.push(streamKey);
      await gate.opened;
      return [];
    },
  } as unknown as ChannelReads;
  const desk = new ReadDesk({
    clock,
    lanes: 1,
    maxBytes: MAX_BYTES,
    reads,
    events: { failed: () => {} } as unknown as WriterEvents,
  });
  const ask = async (body: Pick<ReadBody, 'app_id' | 'range'>): Promise<string> => {
    const encoded = encode(READ, { lanes: 1, lane: 0, node_id: 'gw-1', ...body }, MAX_BYTES);
    if (!encoded.ok) throw new Error(encoded.detail);
    const decoded = decodeReadAnswer((await desk.answer(0, encoded.text)) ?? '', MAX_BYTES);
    return decoded.ok ? decoded.message.kind : decoded.detail;
  };
  return { clock, gate, begun, ask };
}

describe('ReadDesk', () => {
  it('starts the read of a quiet app while another app has 100 reads waiting', async () => {
    const { gate, begun, ask } = scene();
    const busy = Array.from({ length: 100 }, (_, index) => ask({ app_id: 'busy', range: range(index) }));
    await settled();
    const running = begun.length;
    expect(running).toBeLessThan(16);
    const quiet = ask({ app_id: 'quiet', range: range(1000) });
    await settled();
    expect(begun.slice(running)).toEqual(['1000']);
    gate.open();
    expect(new Set(await Promise.all([...busy, quiet]))).toEqual(new Set(['read_answer']));
  });

  it('refuses reads of an app beyond its waiting ones, and those that waited too long', async () => {
    const { clock, gate, begun, ask } = scene();
    const asked = Array.from({ length: 140 }, (_, index) => ask({ app_id: 'busy', range: range(index) }));
    await settled();
    const running = begun.length;
    await clock.pass(2001);
    gate.open();
    const answers = await Promise.all(asked);
    expect(answers.filter((kind) => kind === 'read_answer')).toHaveLength(running);
    expect(await ask({ app_id: 'busy', range: range(1) })).toBe('read_answer');
  });
});
