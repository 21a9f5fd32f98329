import type { Producer, ProducerBatch } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { RecordSender } from '../src/index.js';

class SessionLost extends Error {}

const text = (value: unknown): string => (value instanceof Buffer ? value.toString() : '');

/** A producer stub; `answer` decides the outcome of each request. */
function producer(answer: (values: readonly string[]) => Promise<void> | void) {
  const requests: ProducerBatch[] = [];
  const sendBatch = async (batch: ProducerBatch) => {
    requests.push(batch);
    await answer(
      (batch.topicMessages ?? []).flatMap(({ messages }) => messages.map(({ value }) => text(value))),
    );
    return [];
  };
  const lost: string[] = [];
  const sending = new RecordSender({
    producer: { sendBatch } as unknown as Producer,
    timeoutMs: 5000,
    lostError: (reason) => new SessionLost(reason),
    onFailure: (reason) => lost.push(reason),
  });
  const sent = () =>
    requests.map(({ topicMessages = [] }) =>
      topicMessages.map(({ topic, messages }) => [
        topic,
        messages.map(({ key, value }) => [key, text(value)]),
      ]),
    );
  return { requests, sending, lost, sent };
}

const tooLarge = () => Object.assign(new Error('too large'), { type: 'MESSAGE_TOO_LARGE' });

describe('RecordSender', () => {
  it('keeps one request in flight and puts later records into the next one, in order', async () => {
    const held = new AbortController();
    const release = new Promise<void>((done) => held.signal.addEventListener('abort', () => done()));
    const { sending, sent } = producer(() => release);
    const first = [sending.send('t', 'a', '1'), sending.send('u', 'b', '2')];
    await Promise.resolve();
    await Promise.resolve();
    const second = [sending.send('t', 'a', '3'), sending.send('t', 'c', '4')];
    expect(sent()).toHaveLength(1);
    held.abort();
    await Promise.all([...first, ...second]);
    expect(sent()).toEqual([
      [
        ['t', [['a', '1']]],
        ['u', [['b', '2']]],
      ],
      [
        [
          't',
          [
            ['a', '3'],
            ['c', '4'],
          ],
        ],
      ],
    ]);
  });

  it('splits records over several requests when they exceed the request limit', async () => {
    const { sending, sent } = producer(() => undefined);
    const large = 'x'.repeat(300 * 1024);
    await Promise.all(['1', '2', '3'].map((key) => sending.send('t', key, large)));
    expect(sent()).toHaveLength(3);
  });

  it('rejects only the record that is too large for the broker', async () => {
    const { sending, sent, lost } = producer((values) => {
      if (values.includes('huge')) throw tooLarge();
    });
    const outcomes = await Promise.allSettled(
      ['1', 'huge', '3'].map((value) => sending.send('t', '', value)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { message: 'too large for the broker' } });
    expect(sent()).toHaveLength(4);
    expect(lost).toEqual([]);
  });

  it('rejects pending and later records after any other failure', async () => {
    const { sending, lost } = producer(() => {
      throw new Error('gone');
    });
    const first = sending.send('t', '', '1');
    await Promise.resolve();
    await Promise.resolve();
    const outcomes = await Promise.allSettled([first, sending.send('t', '', '2')]);
    await expect(sending.send('t', '', '3')).rejects.toThrow(SessionLost);
    for (const one of outcomes) expect(one).toMatchObject({ reason: expect.any(SessionLost) as unknown });
    expect(lost).toEqual(['gone']);
    await sending.idle();
  });
});
