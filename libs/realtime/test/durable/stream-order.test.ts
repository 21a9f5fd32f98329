import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECENT_MS } from '../../src/durable/recent-ids.js';
import { type Delivered, MAX_HELD, StreamOrder } from '../../src/durable/stream-order.js';
import { OTHER, otherwise, record, reset, STREAM } from './records.js';

function placed(next = 1) {
  const delivered: string[] = [];
  const order = new StreamOrder(
    ({ stream_id: id, serial }) => delivered.push(`${id === STREAM ? '' : 'other '}${serial}`),
    undefined,
    (at) => void delivered.push(`nothing from ${at?.next}`),
  );
  order.head(next === 1 ? null : { streamId: STREAM, next }, null, 0);
  return { order, delivered };
}

describe('the records of a stream', () => {
  it('are delivered once and in order, whatever the order in which they come', () => {
    const { order, delivered } = placed(5);
    for (const serial of [7, 4, 6, 7, 5, 5, 8, 3]) order.take(record(serial), 0);
    expect(delivered).toEqual(['5', '6', '7', '8']);
    expect(order.gap).toBeNull();
  });

  it('are the ones that came since somebody is subscribed, also when the store was asked later', () => {
    const { delivered, order } = unplaced();
    order.take(record(6), 0);
    order.take(record(7), 0);
    order.head({ streamId: STREAM, next: 8 }, null, 0);
    expect(delivered).toEqual([6, 7]);
  });

  it('are also those that were only on their way when the store was asked', () => {
    const { delivered, order } = unplaced();
    order.head({ streamId: STREAM, next: 5, handedOver: 2 }, null, 0);
    expect(order.gap).toBeNull();
    for (const serial of [2, 3, 3, 1, 4]) order.take(record(serial), 0);
    expect(delivered).toEqual([3, 4]);
    for (const serial of [4, 5, 3]) order.take(record(serial), 0);
    expect(delivered).toEqual([3, 4, 5]);
  });

  it('are never delivered twice or backwards, nor when they were handed over before somebody was subscribed', () => {
    const serials = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), serials, (handedOver, came) => {
        const { delivered, order } = unplaced();
        order.head({ streamId: STREAM, next: 9, handedOver }, null, 0);
        for (const serial of came) order.take(record(serial), 0);
        expect(delivered).toEqual(
          [...new Set(delivered)].toSorted((one, other) => Number(one) - Number(other)),
        );
        expect(delivered.filter((serial) => Number(serial) <= handedOver)).toEqual([]);
        const isInOrder = came.every((serial, at) => at === 0 || serial >= (came[at - 1] ?? 0));
        const due = new Set(came.filter((serial) => serial > handedOver && serial < 9));
        if (isInOrder) expect(delivered.filter((serial) => Number(serial) < 9)).toEqual([...due]);
      }),
    );
  });

  it('are missing from the first that did not come, since then', () => {
    const { order, delivered } = placed(3);
    order.take(record(6), 100);
    order.take(record(9), 200);
    expect([order.gap, order.gapSinceMs]).toEqual([{ fromSerial: 3, toSerial: 5 }, 100]);
    order.refetched(STREAM, [record(5), record(4), record(3)], 300);
    expect([delivered, order.gap]).toEqual([['3', '4', '5', '6'], { fromSerial: 7, toSerial: 8 }]);
    order.skip(400);
    expect(delivered.slice(4)).toEqual(['nothing from 7', '9']);
    expect([order.gap, order.gapSinceMs]).toEqual([null, null]);
  });

  it('are not given up where nothing waits behind them, whatever the store says it has', () => {
    const { order, delivered } = placed(3);
    order.head({ streamId: STREAM, next: 4 }, order.position, 100);
    expect([order.gap, order.gapSinceMs]).toEqual([{ fromSerial: 3, toSerial: 3 }, 100]);
    order.skip(2100);
    expect([order.gap, order.gapSinceMs]).toEqual([null, null]);
    order.head({ streamId: STREAM, next: 4 }, order.position, 5000);
    order.take(record(4), 6000);
    expect([order.gap, order.gapSinceMs]).toEqual([{ fromSerial: 3, toSerial: 3 }, 6000]);
    order.take(record(3), 6100);
    expect([delivered, order.gap]).toEqual([['3', '4'], null]);
  });

  it('are missing when the store has some that never came', () => {
    const { order, delivered } = placed(3);
    const askedAt = order.position;
    expect(order.head({ streamId: STREAM, next: 5 }, askedAt, 0)).toBe(false);
    expect(order.gap).toEqual({ fromSerial: 3, toSerial: 4 });
    order.refetched(STREAM, [record(3), 4], 0);
    expect([delivered, order.gap]).toEqual([['3'], null]);
  });

  it('are known to be lost when the store has fewer than were delivered as it was asked', () => {
    const { order } = placed(3);
    for (const serial of [3, 4]) order.take(record(serial), 0);
    const askedAt = order.position;
    order.take(record(5), 0);
    expect(order.head({ streamId: STREAM, next: 5 }, askedAt, 0)).toBe(false);
    expect(order.head({ streamId: STREAM, next: 4 }, askedAt, 0)).toBe(true);
  });

  it('begin at 1 after a reset, whatever of the old stream still comes', () => {
    const { order, delivered } = placed(3);
    order.take(record(3), 0);
    order.take(record(9), 0);
    order.take(record(2, OTHER), 0);
    expect(order.needsHead).toBe(true);
    order.take(reset(), 0);
    order.take(record(4), 0);
    order.take(record(1, OTHER), 0);
    expect(delivered).toEqual(['3', 'other 1', 'other 2']);
    order.take(reset(), 0);
    expect(order.position).toEqual({ streamId: OTHER, next: 3 });
  });

  it('of a stream nobody has heard of wait until the store says which there is', () => {
    const { order, delivered } = placed(3);
    order.take(record(2, OTHER), 0);
    const askedAt = order.position;
    order.head({ streamId: STREAM, next: 3 }, askedAt, 0);
    expect([order.needsHead, delivered]).toEqual([false, []]);
    order.take(record(2, OTHER), 0);
    order.head({ streamId: OTHER, next: 3 }, askedAt, 0);
    expect(order.gap).toEqual({ fromSerial: 1, toSerial: 1 });
    order.refetched(OTHER, [record(1, OTHER)], 0);
    expect(delivered).toEqual(['other 1', 'other 2']);
  });

  it('say themselves which stream a channel has that had none', () => {
    const { order, delivered } = placed();
    order.take(record(2), 0);
    order.take(record(1), 0);
    expect(delivered).toEqual(['1', '2']);
  });

  it('are delivered as they come where nobody can be asked', () => {
    const { order, delivered } = unplaced();
    order.take(record(8), 0);
    order.goOn(0);
    order.take(record(7), 0);
    order.take(record(9), 0);
    expect(delivered).toEqual([8, 9]);
  });

  it('do not wait in any number for one that is missing', () => {
    const { order, delivered } = placed(2);
    for (let serial = 3; serial <= MAX_HELD + 3; serial += 1) order.take(record(serial), 0);
    expect([delivered.length, ...delivered.slice(0, 2)]).toEqual([MAX_HELD + 2, 'nothing from 2', '3']);
    order.take(record(2), 0);
    expect(delivered).toHaveLength(MAX_HELD + 2);
  });

  it('come out complete, once and in order, however they are lost, doubled and mixed, once the store is read', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.nat({ max: 29 }).map((at) => ({ kind: 'record' as const, at })) },
      { weight: 1, arbitrary: fc.constant({ kind: 'head' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'fetch' as const }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 10 }), (steps, resetAt) => {
        // The store: some records of one stream, then a reset, then those of another.
        const all = [
          ...Array.from({ length: resetAt }, (_, n) => record(n + 1)),
          reset(),
          ...Array.from({ length: 29 - resetAt }, (_, n) => record(n + 1, OTHER)),
        ];
        const delivered: string[] = [];
        const order = new StreamOrder((one) => delivered.push(String(one.message_id)));
        order.head(null, null, 0);
        const head = { streamId: OTHER, next: 30 - resetAt };
        const rows = (from: number, to: number) =>
          all.filter(
            ({ stream_id: id, serial }) => id === OTHER && Number(serial) >= from && Number(serial) <= to,
          );
        const read = (): void => {
          order.head(head, order.position, 0);
          for (let { gap } = order; gap !== null; { gap } = order) {
            order.refetched(OTHER, rows(gap.fromSerial, gap.toSerial), 0);
          }
        };
        for (const one of steps) {
          if (one.kind === 'record') order.take(all[one.at] ?? record(1), 0);
          else if (one.kind === 'head') order.head(head, order.position, 0);
          else read();
        }
        read();
        const ofOther = delivered.filter((id) => id.startsWith(OTHER));
        expect(ofOther).toEqual(Array.from({ length: 29 - resetAt }, (_, n) => `${OTHER} ${n + 1}`));
        expect(delivered.slice(0, delivered.length - ofOther.length)).toEqual(
          all.slice(0, delivered.length - ofOther.length).map(({ message_id: id }) => id),
        );
        expect([order.gap, order.needsHead]).toEqual([null, false]);
      }),
    );
  });
});

describe('records of another past of the stream', () => {
  it('are delivered once each, and told with what was delivered instead', () => {
    const { delivered, told, order } = past();
    for (const serial of [1, 2, 3]) order.take(record(serial), 0);
    for (const one of [otherwise(2), otherwise(2), record(2), otherwise(3), otherwise(4)]) order.take(one, 0);
    expect(delivered.slice(3)).toEqual(['otherwise 2', 'otherwise 3', 'otherwise 4']);
    expect(told).toEqual([2, 3].map((serial) => ({ serial, messageId: `${STREAM} ${serial}` })));
    expect([order.position, order.lastMessageId]).toEqual([{ streamId: STREAM, next: 5 }, 'otherwise 4']);
  });

  it('are none where it is not known what was delivered', () => {
    const { delivered, told, order } = past();
    order.take({ ...record(1), message_id: null }, 0);
    order.take(record(2), 0);
    order.refetched(STREAM, [3], 0);
    order.head({ streamId: STREAM, next: 4 }, null, 0);
    order.refetched(STREAM, [3], 0);
    for (const one of [otherwise(1), { ...record(2), message_id: null }, otherwise(3)]) order.take(one, 0);
    order.take(otherwise(2), RECENT_MS);
    expect([delivered.length, told]).toEqual([2, []]);
    order.take(reset(), 0);
    order.take(record(1, OTHER), 0);
    order.take(record(2, OTHER), 0);
    expect([delivered.length, told]).toEqual([4, []]);
  });

  it('are told exactly when they contradict, however both pasts are mixed and doubled', () => {
    const step = fc.record({ serial: fc.integer({ min: 1, max: 20 }), isOther: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(step, { maxLength: 60 }),
        fc.boolean(),
        (head, steps, isSame) => {
          const { delivered, told, order } = past();
          for (let serial = 1; serial <= head; serial += 1) order.take(record(serial), 0);
          for (const { serial, isOther } of steps)
            order.take(isOther && !isSame ? otherwise(serial) : record(serial), 0);
          // Every record is delivered at most once.
          expect(new Set(delivered).size).toBe(delivered.length);
          const others = new Set(
            steps.filter(({ serial, isOther }) => isOther && serial <= head).map(({ serial }) => serial),
          );
          const known = told.filter(({ serial }) => serial <= head).map(({ serial }) => serial);
          expect(known.toSorted((one, other) => one - other)).toEqual(
            isSame ? [] : [...others].toSorted((one, other) => one - other),
          );
          if (isSame) expect(told).toEqual([]);
        },
      ),
    );
  });
});

function unplaced() {
  const delivered: unknown[] = [];
  return { delivered, order: new StreamOrder(({ serial }) => delivered.push(serial)) };
}

function past() {
  const delivered: string[] = [];
  const told: Delivered[] = [];
  const order = new StreamOrder(
    ({ message_id: id }) => delivered.push(String(id)),
    (one) => told.push(one),
  );
  order.head({ streamId: STREAM, next: 1 }, null, 0);
  return { delivered, told, order };
}
