import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CommitClient, systemClock } from '../../src/index.js';
import { publishOf } from '../samples.js';
import { openWriter, ToAll, type Writer } from './scene.js';

const HOSTILE = `'); drop table x; -- \\ "{}" NULL \u0001\u{1f514}`;

const clientOf = (writers: readonly Writer[]) =>
  new CommitClient(
    {
      clock: systemClock,
      transport: new ToAll(writers.map(({ lanes }) => lanes)),
      random: Math.random,
      resent: () => {},
    },
    { lanes: 1, nodeId: 'n', budgetMs: 20_000, maxRecordBytes: null },
  );

describe('writers over postgres', () => {
  let one: Writer;
  let other: Writer;
  let url: string;
  let end: () => Promise<void>;
  beforeAll(async () => {
    const corner = await (await engine('postgres')).isolate();
    ({ url, end } = corner);
    [one, other] = [await openWriter(url, 'w1'), await openWriter(url, 'w2')];
  });
  afterAll(async () => {
    await Promise.all([one, other].map(({ lanes }) => lanes.close()));
    await Promise.all([one, other].map(({ database }) => database.close()));
    await end();
  });

  const rowsOf = async (channel: string) => {
    const address = { appId: 'shop', channel, kind: 'messages' } as const;
    const [stream] = (await one.store.heads([address])).values();
    if (stream === undefined) return [];
    const { streamKey, generation } = stream;
    return one.store.range({ streamKey, generation, fromSerial: 1, toSerial: 9999, limit: 9999 });
  };

  /** Checks that serials are gapless, and that every record exists once with the reported serial. */
  const expectWhole = async (records: readonly CommitRecord[], results: readonly CommitResult[]) => {
    expect(results.filter(({ status }) => status !== 'applied')).toEqual([]);
    for (const channel of new Set(records.map((record) => record.channel))) {
      const told = records.flatMap((record, index) =>
        record.channel === channel && record.op === 'publish'
          ? [{ serial: results[index]?.delivery_serial, id: record.message_id }]
          : [],
      );
      const stored = (await rowsOf(channel)).map(({ deliverySerial, messageId }) => ({
        serial: deliverySerial,
        id: messageId,
      }));
      expect(stored).toEqual(told);
      expect(stored.map(({ serial }) => serial)).toEqual(told.map((_, index) => index + 1));
    }
  };

  it('commit and fan out a batch over many channels, whatever is in it', async () => {
    const records = Array.from({ length: 60 }, (_, n) => publishOf(`many-${n % 7} ${HOSTILE}`, HOSTILE));
    const results = await clientOf([one]).commit(records);
    await expectWhole(records, results);
    expect(JSON.parse(one.sent.at(-1)?.message ?? '')).toMatchObject({ data: HOSTILE });
  });

  it('on one lane, each sent every request, commit each record once', async () => {
    const records = Array.from({ length: 400 }, (_, n) => publishOf(`shared-${n % 5}`, String(n)));
    const client = clientOf([one, other]);
    const calls: Promise<readonly CommitResult[]>[] = [];
    for (let at = 0; at < records.length; at += 20) {
      calls.push(client.commit(records.slice(at, at + 20)));
      await pause(2);
    }
    await expectWhole(records, (await Promise.all(calls)).flat());
  }, 60_000);

  it('go on when their connections are cut off at any moment', async () => {
    const stop = { now: false };
    const cutting = (async () => {
      let cut = 0;
      while (!stop.now) {
        await pause(15);
        const { rows } = await other.database
          .query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'carillon%'
              and datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
          )
          .catch(() => ({ rows: [] }));
        cut += rows.length;
      }
      return cut;
    })();
    const records = Array.from({ length: 600 }, (_, n) => publishOf(`cut-${n % 3}`, String(n)));
    const client = clientOf([one, other]);
    const calls: Promise<readonly CommitResult[]>[] = [];
    for (let at = 0; at < records.length; at += 10) {
      calls.push(client.commit(records.slice(at, at + 10)));
      await pause(10);
    }
    stop.now = true;
    expect(await cutting).toBeGreaterThan(0);
    await expectWhole(records, (await Promise.all(calls)).flat());
  }, 120_000);

  it('cut off in the middle of COMMIT find out by the receipts what became of it', async () => {
    await clientOf([one]).commit([publishOf('torn', 'first')]);
    // A check at the commit that takes its time, and only for the message that is named.
    await one.database.query(
      `create function slow() returns trigger language plpgsql as
        $$ begin if new.message_id = 'slow' then perform pg_sleep(0.5); end if; return null; end $$`,
    );
    await one.database.query(
      `create constraint trigger slow after insert on service_history_records deferrable initially deferred
        for each row execute function slow()`,
    );
    const record = publishOf('torn', 'second', { message_id: 'slow' });
    const results = clientOf([one]).commit([record]);
    await vi.waitFor(async () => {
      const { rows } = await other.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where query like 'with held as materialized%' and state = 'active' and datname = current_database()`,
      );
      expect(rows.length).toBeGreaterThan(0);
    }, 10_000);
    expect(await results).toMatchObject([{ status: 'applied', delivery_serial: 2 }]);
    expect(one.retries.length).toBeGreaterThan(0);
    expect((await rowsOf('torn')).map(({ messageId }) => messageId).at(-1)).toBe('slow');
    expect(await rowsOf('torn')).toHaveLength(2);
  }, 60_000);

  it('answer a key that another writer knows', async () => {
    const idem = { scope: 'ab'.repeat(32), fingerprint: 'cd'.repeat(32), ttl_ms: 60_000 };
    const [first] = await clientOf([one]).commit([publishOf('keyed', 'x', { idem })]);
    const again = publishOf('keyed', 'x', { idem, pub_id: randomUUID() });
    expect(await clientOf([other]).commit([again])).toMatchObject([
      { status: 'duplicate', stream_id: first?.stream_id, delivery_serial: 1, history_serial: 1 },
    ]);
    const differs = publishOf('keyed', 'y', { idem: { ...idem, fingerprint: 'ef'.repeat(32) } });
    expect(await clientOf([other]).commit([differs])).toMatchObject([{ code: 'conflict' }]);
  });

  it('find a record that another process has committed and never handed over', async () => {
    // Its sender reports progress to the store at a later time, after the following steps.
    await Promise.all([one, other].map(({ lanes }) => lanes.close()));
    await one.database.query(
      `update service_history_streams set fanned_out_serial = 0 where channel = 'torn'`,
    );
    const next = await openWriter(url, 'w3');
    try {
      await next.lanes.resendTails();
      expect(next.sent.filter(({ channel }) => channel === 'torn')).toMatchObject([
        { serial: 1, resent: true },
        { serial: 2, resent: true },
      ]);
    } finally {
      await next.lanes.close();
      await next.database.close();
    }
  });
});
