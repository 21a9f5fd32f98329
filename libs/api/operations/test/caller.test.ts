import { Capabilities } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { jsonBody, keyHolder, tokenHolder } from '../src/index.js';
import { openOperations } from './scene.js';

const event = (channel: string, more: object = {}) => ({
  body: jsonBody({ name: 'e', channel, data: 'x', ...more }),
});

function opened() {
  const { operations, app, delivered } = openOperations();
  const { live } = operations;
  if (live === null) throw new Error('a process with sockets');
  const capabilities = Capabilities.ofToken(
    new Map([
      ['publish', ['chat-*']],
      ['presence', ['presence-chat']],
    ]),
  );
  const token = tokenHolder(app, 'test', { capabilities, userId: 'ada' });
  return { operations, live, delivered, token, server: keyHolder(app, 'test') };
}

/** Refusal of the call; null if it was done. */
const refusalOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return null;
  } catch (error) {
    return error;
  }
};

describe('who holds a token', () => {
  it('publishes where it may, under its own id, and nowhere else', async () => {
    const { operations, delivered, token } = opened();
    await operations.publishEvent.perform(token, event('chat-1'));
    expect(delivered.map(({ channel }) => channel)).toEqual(['chat-1']);
    const missing = { code: 'forbidden', message: 'capability publish is missing' };
    const { publishEvent, publishBatch } = operations;
    expect(await refusalOf(() => publishEvent.perform(token, event('news')))).toMatchObject(missing);
    const both = { name: 'e', channels: ['chat-1', 'news'], data: 'x' };
    expect(await refusalOf(() => publishEvent.perform(token, { body: jsonBody(both) }))).toMatchObject(
      missing,
    );
    const batch = { body: jsonBody({ batch: [{ name: 'e', channel: 'chat-1' }, both] }) };
    expect(await refusalOf(() => publishBatch.perform(token, batch))).toMatchObject({
      code: 'forbidden',
      message: 'batch[1]: capability publish is missing',
    });
    expect(delivered).toHaveLength(1);
  });

  it('is shown what it may see, and does nothing to the app as a whole', async () => {
    const { operations, live, token, server } = opened();
    const { channelUsers, channelState, listChannels, terminateConnections } = live;
    expect(await channelUsers.perform(token, { channel: 'presence-chat' })).toEqual({ value: { users: [] } });
    for (const work of [
      () => channelUsers.perform(token, { channel: 'presence-other' }),
      () => channelState.perform(token, { channel: 'chat-1' }),
      () => listChannels.perform(token, {}),
      () => terminateConnections.perform(token, { user_id: 'ada' }),
      () => operations.revokeTokens.perform(token, { body: jsonBody({ jti: 'x' }) }),
    ]) {
      expect(await refusalOf(work)).toMatchObject({ code: 'forbidden' });
    }
    expect(await terminateConnections.perform(server, { user_id: 'ada' })).toEqual({ value: { ok: true } });
  });
});
