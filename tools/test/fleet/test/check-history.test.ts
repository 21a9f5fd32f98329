import { describe, expect, it } from 'vitest';
import { checkAnswers } from '../src/durable/check-answers.js';
import { checkHistories } from '../src/durable/check-history.js';
import type { Attempt, ChannelHistory, DurablePublication, Row } from '../src/durable/records.js';
import type { ConnectionRecord } from '../src/model/records.js';

const CHANNEL = 'orders';

const publication = (number: number, changes: Partial<DurablePublication> = {}): DurablePublication => ({
  publisher: 'shop',
  channel: CHANNEL,
  number,
  messageId: `shop-${number}`,
  beganAtMs: number * 10,
  acceptedAtMs: number * 10 + 5,
  attempts: [{ api: 'api-1', tookMs: 5, status: 200, code: null, saysWhen: false }],
  historySerial: number,
  ...changes,
});

const row = (serial: number, number = serial): Row => ({
  serial,
  publisher: 'shop',
  number,
  messageId: `shop-${number}`,
});

function history(rows: readonly Row[], changes: Partial<ChannelHistory> = {}): ChannelHistory {
  const backwards = rows.map(({ serial }) => serial).toReversed();
  return {
    channel: CHANNEL,
    streamIds: ['s-1'],
    rows,
    backwards,
    nextSerial: rows.length + 1,
    state: 'healthy',
    ...changes,
  };
}

const connection = (
  numbers: readonly number[],
  changes: Partial<ConnectionRecord> = {},
): ConnectionRecord => ({
  name: 'client-1.1',
  gateway: 'gateway-1',
  confirmedAtMs: new Map([[CHANNEL, 0]]),
  received: new Map([[CHANNEL, numbers.map((number) => ({ publisher: 'shop', number }))]]),
  end: null,
  ...changes,
});

const THREE = [publication(1), publication(2), publication(3)];
const ROWS = [row(1), row(2), row(3)];

const found = (
  publications: readonly DurablePublication[],
  stored: ChannelHistory,
  ...connections: readonly ConnectionRecord[]
): string[] => checkHistories({ publications, histories: [stored], connections });

describe('a history', () => {
  it('that holds what was accepted, in order and delivered, is right', () => {
    expect(found(THREE, history(ROWS), connection([1, 2, 3]))).toEqual([]);
  });

  it.each<[string, ChannelHistory]>([
    ['the serials are 1 3', history([row(1), row(3)])],
    ['a walk backwards finds something else', history(ROWS, { backwards: [3, 1] })],
    ['the next serial is 5', history(ROWS, { nextSerial: 5 })],
    ['its rows are of 2 streams', history(ROWS, { streamIds: ['s-1', 's-2'] })],
    ['its state is degraded', history(ROWS, { state: 'degraded' })],
    ['shop 3 was accepted and is not stored', history([row(1), row(2)])],
    ['shop 1 is stored as 1 and as 3', history([row(1), row(2), row(3, 1)])],
    ['shop 9 is stored and was never published', history([...ROWS, row(4, 9)])],
    ['shop 2 is stored as 1, and its publisher was told 2', history([row(1, 2), row(2, 1), row(3)])],
    ['shop 1 was accepted before shop 2 was begun', history([row(1, 2), row(2, 1), row(3)])],
  ])('of which %s is wrong', (wrong, stored) => {
    expect(found(THREE, stored).join('\n')).toContain(wrong);
  });

  it('may hold what was not accepted, or not, but once', () => {
    const lost = publication(4, { acceptedAtMs: null, historySerial: null, messageId: null });
    const stored = { ...row(4), messageId: 'generated' };
    expect(found([...THREE, lost], history(ROWS))).toEqual([]);
    expect(found([...THREE, lost], history([...ROWS, stored]))).toEqual([]);
    const twice = history([...ROWS, stored, { ...stored, serial: 5 }]);
    expect(found([...THREE, lost], twice)).toEqual([`${CHANNEL}: shop 4 is stored as 4 and as 5`]);
  });
});

describe('the frames of a connection', () => {
  it('may begin where it was confirmed, and end where it ended', () => {
    const late = connection([2], {
      confirmedAtMs: new Map([[CHANNEL, 15]]),
      end: { atMs: 29, code: null },
    });
    expect(found(THREE, history(ROWS), late)).toEqual([]);
  });

  it.each<[string, readonly number[]]>([
    ['got 3 after 1', [1, 3]],
    ['got 1 after 2', [2, 1, 3]],
    ['got 2 after 2', [1, 2, 2, 3]],
    ['began with 2, and 1 was due', [2, 3]],
    ['ended with 2 of 3', [1, 2]],
    ['got nothing of 3 that were due', []],
    ['got shop 7, which is not stored after 3', [1, 2, 3, 7]],
    ['got shop 7, which is not stored', [7]],
  ])('are wrong when it %s', (wrong, numbers) => {
    expect(found(THREE, history(ROWS), connection(numbers)).join('\n')).toContain(wrong);
  });
});

describe('a gateway that gave something up', () => {
  const gaveUp = new Set(['gateway-1']);
  const jumping = (numbers: readonly number[]): string[] =>
    checkHistories({
      publications: THREE,
      histories: [history(ROWS)],
      connections: [connection(numbers)],
      gaveUp,
    });

  it('may leave something out, and may not go back', () => {
    expect(jumping([1, 3])).toEqual([]);
    expect(jumping([2, 3])).toEqual([]);
    expect(jumping([2, 1, 3])).not.toEqual([]);
    expect(jumping([1, 1, 2, 3])).not.toEqual([]);
  });
});

describe('the answers of a run', () => {
  const refused: Attempt = {
    api: 'api-1',
    tookMs: 5001,
    status: 503,
    code: 'service_unavailable',
    saysWhen: true,
  };
  const answered = (attempt: Partial<Attempt>) => [
    publication(1, { attempts: [{ ...refused, ...attempt }] }),
  ];
  const fault = { mayRefuse: true, mayHangUp: false };

  it('may be refusals that say when to try again', () => {
    expect(checkAnswers(answered({}), fault)).toEqual([]);
    expect(checkAnswers(answered({}), { ...fault, mayRefuse: false })).toHaveLength(1);
    expect(checkAnswers(THREE, { ...fault, mustRefuse: true })).toEqual(['nobody was refused']);
  });

  it.each<[string, Partial<Attempt>]>([
    ['a refusal that does not say when', { saysWhen: false }],
    ['another refusal', { status: 500, code: 'internal_error' }],
    ['none', { status: null }],
    ['late', { status: 200, tookMs: 7000 }],
  ])('may not be %s', (_, attempt) => {
    expect(checkAnswers(answered(attempt), fault)).toHaveLength(1);
  });

  it('accept every event with a key in the end', () => {
    const never = publication(1, { acceptedAtMs: null });
    expect(checkAnswers([never], fault)).toEqual(['shop 1 on orders was never accepted']);
    expect(checkAnswers([{ ...never, messageId: null }], fault)).toEqual([]);
  });
});
