import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { complaintOf } from '../src/complaint.js';
import { natsScene } from './scene.js';

const heads = (text: string): Buffer => Buffer.from(text);

describe('a connection to NATS', () => {
  it('answers the server, and tells that it is about to go', () => {
    const { connection, written, events } = natsScene();
    connection.incoming.ping();
    connection.incoming.info('{"ldm":true,"max_payload":99}');
    expect(written).toEqual(['PONG\r\n']);
    expect(events).toEqual(['lame_duck']);
    expect(connection.maxPayload).toBe(99);
    connection.incoming.info('no such text');
    expect(connection.maxPayload).toBe(99);
  });

  it('brings each request its own answer, and says when nobody takes it', async () => {
    const { connection, written } = natsScene();
    const asked = [1, 2, 3].map((number) => connection.ask(`s${number}`, `question ${number}`, 60_000));
    await turn();
    expect(written).toHaveLength(1);
    const [, inbox = ''] = /^SUB (inbox\.\S+)\.\* 1\r\n/.exec(written[0] ?? '') ?? [];
    expect(written[0]).toContain(`PUB s2 ${inbox}.2 10\r\nquestion 2\r\n`);
    const { incoming } = connection;
    incoming.message(1, `${inbox}.3`, null, null, Buffer.from('third'));
    incoming.message(1, `${inbox}.3`, null, null, Buffer.from('third again'));
    incoming.message(1, `${inbox}.9`, null, null, Buffer.from('to nobody'));
    incoming.message(1, `${inbox}.2`, null, heads('NATS/1.0 503\r\n\r\n'), Buffer.alloc(0));
    incoming.message(1, `${inbox}.1`, null, heads('NATS/1.0\r\na: 503\r\n\r\n'), Buffer.from('first'));
    expect(await Promise.all(asked)).toEqual([
      { kind: 'reply', text: 'first' },
      { kind: 'no_responder' },
      { kind: 'reply', text: 'third' },
    ]);
  });

  it('is silent to requests when the time is over, or the connection', async () => {
    const { connection, end } = natsScene();
    expect(await connection.ask('s', 'one', 1)).toEqual({ kind: 'silent' });
    const asked = connection.ask('s', 'two', 60_000);
    end();
    expect(await asked).toEqual({ kind: 'silent' });
    expect(await connection.ask('s', 'three', 60_000)).toEqual({ kind: 'silent' });
  });

  it('does not send what would make the server end it', async () => {
    const { connection, written } = natsScene(4);
    connection.tell('s', 'fünf');
    connection.tell('s', 'four');
    await turn();
    expect(written).toEqual(['PUB s 4\r\nfour\r\n']);
  });

  it('is over for everybody at once', async () => {
    const { connection, written, end } = natsScene();
    const answers: boolean[] = [];
    connection.ping((isAnswered) => answers.push(isAnswered));
    connection.ping((isAnswered) => answers.push(isAnswered));
    connection.incoming.pong();
    end('why');
    end('why again');
    connection.ping((isAnswered) => answers.push(isAnswered));
    connection.publish('s', 'text', 4);
    connection.leave();
    expect(answers).toEqual([true, false, false]);
    expect(written).toEqual(['PING\r\n', 'PING\r\n']);
    expect([connection.isClosed, await connection.closed]).toEqual([true, 'why']);
  });

  it.each([
    ['Stale Connection', 'server_error'],
    ['Slow Consumer', 'slow_consumer'],
    ['Maximum Payload Violation', 'server_error'],
  ])('is over when the server says: %s', async (text, event) => {
    const { connection, events } = natsScene();
    connection.incoming.error(text);
    expect(await connection.closed).toBe(text);
    expect(events).toEqual([event]);
  });

  it('goes on when the server refuses one message or one subscription', () => {
    const { connection, events } = natsScene();
    const refused = vi.fn();
    const hearing = { take: () => {}, refused: () => {} };
    const untaken: string[] = [];
    connection.refused = (subject) => void untaken.push(subject);
    connection.hear({ ...hearing, subject: 'b', refused });
    connection.hear({ ...hearing, subject: 'c', queue: 'q', refused });
    connection.incoming.error('Permissions Violation for Publish to "a"');
    expect(refused).not.toHaveBeenCalled();
    connection.incoming.error('Permissions Violation for Subscription to "b"');
    connection.incoming.error('Permissions Violation for Subscription to "c" using queue "q"');
    expect(refused).toHaveBeenCalledTimes(2);
    expect(untaken).toEqual(['a']);
    expect(events).toEqual(['server_error', 'server_error', 'server_error']);
    expect(connection.isClosed).toBe(false);
  });
});

describe('what a server complains of', () => {
  it('is the connection unless it says otherwise', () => {
    expect(complaintOf('')).toEqual({ about: 'connection', event: 'server_error' });
    expect(complaintOf('Invalid Publish Subject')).toEqual({ about: 'message', subject: null });
    expect(complaintOf('Permissions Violation for Publish with Reply of "a"')).toMatchObject({
      subject: null,
    });
  });
});
