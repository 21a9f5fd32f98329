import { describe, expect, it } from 'vitest';
import { Outbox } from '../src/cluster/outbox.js';
import { Refused, SessionLost, type Session } from '../src/cluster/wire.js';

/** A session that holds messages until the test settles them. */
class HeldSession implements Pick<Session, 'publish'> {
  readonly held: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];

  publish(_: string, text: string): Promise<void> {
    return new Promise((resolve, reject) => this.held.push({ text, resolve, reject }));
  }

  get texts(): string[] {
    return this.held.map(({ text }) => text);
  }
}

/** A session that confirms all messages since the last confirmation together. */
class SharedSession implements Pick<Session, 'publish'> {
  readonly texts: string[] = [];
  #next: { confirmed: Promise<void>; answer: (failure: Error | null) => void } | null = null;

  publish(_: string, text: string): Promise<void> {
    this.texts.push(text);
    this.#next ??= shared();
    return this.#next.confirmed;
  }

  answer(failure: Error | null): void {
    const next = this.#next;
    this.#next = null;
    next?.answer(failure);
  }
}

const nothing = (): void => {};

function shared() {
  let answer: (failure: Error | null) => void = nothing;
  const confirmed = new Promise<void>((resolve, reject) => {
    answer = (failure) => (failure === null ? resolve() : reject(failure));
  });
  return { confirmed, answer };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the outbox', () => {
  it('sends again, in order, what a lost session did not confirm, and nothing else', async () => {
    const outbox = new Outbox();
    const [first, second] = [new HeldSession(), new HeldSession()];
    const settled: string[] = [];
    const send = (text: string) => outbox.send('a', text).then(() => settled.push(text));
    const early = [send('1'), send('2')];
    outbox.attach(first);
    const all = [...early, send('3'), send('4')];
    expect(first.texts).toEqual(['1', '2', '3', '4']);
    first.held[0]?.resolve();
    first.held[2]?.resolve();
    await turn();
    first.held[1]?.reject(new SessionLost());
    first.held[3]?.reject(new SessionLost());
    outbox.detach();
    all.push(send('5'));
    outbox.attach(second);
    expect(second.texts).toEqual(['2', '4', '5']);
    for (const { resolve } of second.held) resolve();
    await Promise.all(all);
    expect(settled).toEqual(['1', '3', '2', '4', '5']);
    expect(outbox.size).toBe(0);
  });

  it('sends again, in order, all that a lost session would have confirmed together', async () => {
    const outbox = new Outbox();
    const shared = new SharedSession();
    const next = new HeldSession();
    outbox.attach(shared);
    const settled: string[] = [];
    const send = (text: string) => outbox.send('a', text).then(() => settled.push(text));
    const all = ['1', '2'].map(send);
    shared.answer(null);
    await turn();
    expect([settled, outbox.size]).toEqual([['1', '2'], 0]);
    all.push(...['3', '4', '5'].map(send));
    shared.answer(new SessionLost());
    await turn();
    outbox.detach();
    outbox.attach(next);
    expect([settled, next.texts]).toEqual([
      ['1', '2'],
      ['3', '4', '5'],
    ]);
    for (const { resolve } of next.held) resolve();
    await Promise.all(all);
    expect(settled).toEqual(['1', '2', '3', '4', '5']);
    outbox.close();
  });

  it('hands over more when many were confirmed together', async () => {
    const outbox = new Outbox();
    const session = new SharedSession();
    outbox.attach(session);
    const all = Array.from({ length: 5000 }, (_, at) => outbox.send('a', String(at)));
    for (const handed of [2048, 4096, 5000]) {
      expect(session.texts).toHaveLength(handed);
      session.answer(null);
      await turn();
    }
    await Promise.all(all);
    expect(session.texts).toEqual(Array.from({ length: 5000 }, (_, at) => String(at)));
    outbox.close();
  });

  it('tells the sender of a message that is refused, and of no other', async () => {
    const outbox = new Outbox();
    const session = new HeldSession();
    outbox.attach(session);
    const sent = [outbox.send('a', '1'), outbox.send('a', '2')];
    session.held[0]?.reject(new Error('too large for the broker'));
    session.held[1]?.resolve();
    await expect(sent[0]).rejects.toThrow('too large for the broker');
    await sent[1];
    outbox.close();
  });

  it('tells apart what the broker took and what not of all that it confirms together', async () => {
    const outbox = new Outbox();
    const session = new SharedSession();
    outbox.attach(session);
    const sent = ['a', 'b', 'a', 'c'].map((address) => outbox.send(address, '1'));
    session.answer(new Refused(new Set(['a', 'c'])));
    const outcome = await Promise.allSettled(sent);
    expect(outcome.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected']);
    expect(outbox.size).toBe(0);
    outbox.close();
  });

  it('gives up what waits too long, and refuses what does not fit', async () => {
    const outbox = new Outbox({ maxLetters: 3, maxUnits: 10 });
    const waits = [outbox.send('a', '1234'), outbox.send('a', '123456')];
    await expect(outbox.send('a', '7')).rejects.toThrow('too many messages wait for the broker');
    for (const one of waits) await expect(one).rejects.toThrow('not confirmed by the broker in 2000 ms');
    expect(outbox.isFull).toBe(false);
    const more = ['1', '2', '3'].map((text) => outbox.send('a', text));
    expect(outbox.isFull).toBe(true);
    await expect(outbox.send('a', '4')).rejects.toThrow('too many messages');
    const outcome = Promise.allSettled(more);
    outbox.close();
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(outbox.send('a', '5')).rejects.toThrow('the broker is closed');
  });

  it('hands over so many at a time, however long the line', async () => {
    const outbox = new Outbox();
    const session = new HeldSession();
    outbox.attach(session);
    const all = Array.from({ length: 9000 }, (_, at) => outbox.send('a', String(at)));
    expect(session.held).toHaveLength(2048);
    for (let at = 0; at < session.held.length; at += 1) {
      session.held[at]?.resolve();
      if (at % 500 === 0) await turn();
      if (at === session.held.length - 1) await turn();
    }
    await Promise.all(all);
    expect(session.texts).toEqual(Array.from({ length: 9000 }, (_, at) => String(at)));
    outbox.close();
  });
});
