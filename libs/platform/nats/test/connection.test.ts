import { engine } from '@carillon/test-backends';
import { describe, expect, it } from 'vitest';
import { type Connection, textOf } from '../src/connection.js';
import { natsServer } from './server.js';
import { dialerOf } from './settings.js';

const answers = (connection: Connection): Promise<boolean> =>
  new Promise((resolve) => connection.ping(resolve));

const opened = async (events: string[] = []): Promise<Connection> =>
  dialerOf({ NATS_SERVERS: (await engine('nats')).url }, events).open();

const subject = (): string => `connection.${Math.random().toString(36).slice(2)}`;

describe('Connection', () => {
  it('brings each request its own answer, and tells when nobody takes it', async () => {
    const [asking, serving] = [await opened(), await opened()];
    const served = subject();
    serving.hear({
      subject: served,
      queue: 'q',
      take: ({ data, reply }) => serving.tell(reply ?? '', `answer to ${textOf(data)}`),
      refused: () => {},
    });
    expect(await answers(serving)).toBe(true);
    const asked = ['1', '\uFEFF2', 'é'].map((text) => asking.ask(served, text, 60_000));
    expect(await Promise.all(asked)).toEqual(
      ['1', '\uFEFF2', 'é'].map((text) => ({ kind: 'reply', text: `answer to ${text}` })),
    );
    expect(await asking.ask(subject(), 'nobody', 60_000)).toEqual({ kind: 'no_responder' });
    await serving.close();
    await asking.close();
  });

  it('is silent to requests when the time or the connection is over', async () => {
    const [asking, serving] = [await opened(), await opened()];
    const served = subject();
    serving.hear({ subject: served, take: () => {}, refused: () => {} });
    expect(await answers(serving)).toBe(true);
    expect(await asking.ask(served, 'one', 1)).toEqual({ kind: 'silent' });
    const asked = asking.ask(served, 'two', 60_000);
    await asking.close();
    expect(await asked).toEqual({ kind: 'silent' });
    expect(await asking.ask(served, 'three', 60_000)).toEqual({ kind: 'silent' });
    await serving.close();
  });

  it('takes what is on its way when it drains, and nothing more when it drops', async () => {
    const [sending, hearing] = [await opened(), await opened()];
    const heard: string[] = [];
    const [drained, dropped] = [subject(), subject()];
    const take = (message: { readonly data: Uint8Array }): void => void heard.push(textOf(message.data));
    const first = hearing.hear({ subject: drained, take, refused: () => {} });
    const second = hearing.hear({ subject: dropped, take, refused: () => {} });
    expect(await answers(hearing)).toBe(true);
    second.drop();
    expect(await answers(hearing)).toBe(true);
    sending.publish(drained, Buffer.from('drained'));
    sending.publish(dropped, Buffer.from('dropped'));
    expect(await answers(sending)).toBe(true);
    first.drain();
    expect(await answers(hearing)).toBe(true);
    expect(heard).toEqual(['drained']);
    await sending.close();
    await hearing.close();
  });

  it('sends what was published when it closes', async () => {
    const [sending, hearing] = [await opened(), await opened()];
    const heard: string[] = [];
    const address = subject();
    hearing.hear({ subject: address, take: ({ data }) => void heard.push(textOf(data)), refused: () => {} });
    expect(await answers(hearing)).toBe(true);
    sending.publish(address, Buffer.from('last'));
    await sending.close();
    await sending.close();
    expect(await answers(hearing)).toBe(true);
    expect(heard).toEqual(['last']);
    await hearing.close();
  });

  it('answers every ping with false when the server goes', async () => {
    const { nats, stop } = await natsServer('');
    const connection = await dialerOf({ NATS_SERVERS: nats }).open();
    await stop();
    expect(await answers(connection)).toBe(false);
    await connection.closed;
    expect(await answers(connection)).toBe(false);
    expect(connection.isClosed).toBe(true);
    connection.publish('a', Buffer.from('1'));
    connection.leave();
    await connection.close();
  });

  it('goes on when the server denies one message or one subscription', async () => {
    const events: string[] = [];
    const { url } = await engine('nats');
    const user = { NATS_USERNAME: 'limited', NATS_PASSWORD: 'limited' };
    const connection = await dialerOf({ NATS_SERVERS: url, ...user }, events).open();
    const denied: string[] = [];
    connection.refused = (address) => void denied.push(`publish ${address}`);
    const hearing = { take: () => {}, refused: () => void denied.push('subscribe') };
    connection.hear({ ...hearing, subject: 'denied.a' });
    connection.hear({ ...hearing, subject: 'denied.b', queue: 'q' });
    connection.publish('denied.c', Buffer.from('1'));
    expect(await answers(connection)).toBe(true);
    expect(denied.toSorted()).toEqual(['publish denied.c', 'subscribe', 'subscribe']);
    expect(events).toEqual(['connected', 'server_error', 'server_error', 'server_error']);
    expect(connection.isClosed).toBe(false);
    await connection.close();
  });
});
