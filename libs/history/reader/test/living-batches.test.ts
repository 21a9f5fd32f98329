import { Tally } from '@carillon/history-annotations';
import { foldVersions } from '@carillon/history-messages';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LivingChannel } from './living.js';
import { provesOneOrder } from './living-orders.js';
import { openEmbedded, openMemory, openMysql, openRecords, openPostgres, type Opened } from './stores.js';

const STORES = [
  { name: 'memory', open: openMemory, orders: 60 },
  { name: 'records', open: openRecords, orders: 60 },
  { name: 'postgres', open: openPostgres, orders: 5 },
  { name: 'mariadb', open: openMysql, orders: 5 },
  { name: 'embedded postgres', open: openEmbedded, orders: 5 },
] as const;

describe.each(STORES)('messages and annotations in $name', ({ open, orders }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  const channelOf = (name: string) => new LivingChannel(opened.store, name);

  it('come to what they come to one after another when several writers change them at once', () =>
    provesOneOrder(opened, orders));

  it('come to the same in whatever batches they are changed', async () => {
    const step = fc.record({
      kind: fc.constantFrom('append', 'append', 'update', 'delete', 'annotate', 'unannotate' as const),
      message: fc.nat(1),
      text: fc.constantFrom('', 'a', 'ü', '"\\', '\u0000'),
      client: fc.constantFrom('u1', 'u2'),
      together: fc.boolean(),
    });
    let run = 0;
    const steps = fc.array(step, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        run += 1;
        const channel = channelOf(`batches-${run}`);
        const serials = [await channel.made('x'), await channel.made('y')];
        let batch: Parameters<typeof channel.write> = [];
        const annotations: string[] = [];
        const flush = async () => {
          for (const { annotation_serial: made } of await channel.write(...batch))
            if (made) annotations.push(made);
          batch = [];
        };
        for (const { kind, message, text, client, together } of all) {
          const serial = serials[message] ?? '';
          if (kind === 'append') batch.push(channel.append(serial, text));
          else if (kind === 'update') batch.push(channel.update(serial, { data: JSON.stringify(text) }));
          else if (kind === 'delete') batch.push(channel.remove(serial, { clear_fields: ['data'] }));
          else if (kind === 'annotate')
            batch.push(
              channel.annotate(serial, 'x:unique.v1', {
                name: text === '\0' ? 'n' : text || 'n',
                client_id: client,
              }),
            );
          else batch.push(channel.unannotate(serial, annotations.at(-1) ?? '0'));
          if (!together) await flush();
        }
        if (batch.length > 0) await flush();
        for (const serial of serials) {
          const message = await channel.message(serial);
          const folded = foldVersions(await channel.versions(serial));
          expect(folded).toEqual({ name: 'note', data: message?.data?.text ?? null, extras: null });
          const stream = await channel.stream();
          const query = { messageSerial: serial, type: null, sinceMs: null, afterNo: 0, limit: 1000 };
          const tally = Tally.of('x:unique.v1', null);
          const events = await opened.store.annotations({ ...query, streamKey: stream.streamKey });
          for (const event of events) tally.apply(event);
          const stored = await opened.store.summaries({
            ...stream,
            nowMs: channel.nowMs,
            belowNo: null,
            limit: 10,
          });
          const summary = stored.find(({ messageSerial }) => messageSerial === serial) ?? null;
          expect(Tally.of('x:unique.v1', summary).text()).toBe(tally.text());
        }
      }),
      { numRuns: 15 },
    );
  });
});
