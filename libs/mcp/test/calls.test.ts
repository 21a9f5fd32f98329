import { EventEmitter, once } from 'node:events';
import { ServiceError } from '@carillon/errors';
import { DESCRIPTIONS } from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { scene } from './scene.js';

/** An operation that starts and ends on request. */
function stalling(name: keyof typeof DESCRIPTIONS) {
  const news = new EventEmitter();
  const begun = once(news, 'begun');
  const ended = once(news, 'ended');
  const perform = async () => {
    news.emit('begun');
    const [value] = (await ended) as [object];
    return { value };
  };
  return {
    begun,
    end: (value: object): void => void news.emit('ended', value),
    operation: { [name]: { description: DESCRIPTIONS[name], perform } },
  };
}

const limited = async () => {
  throw new ServiceError('rate_limited', { retryAfterSeconds: 7 });
};
const broken = async () => {
  throw new Error('hush: postgres://user:hush@db');
};

const CHANNEL = { channel: 'orders' };

describe('a call whose operation stalls', () => {
  it('ends with the time of requests, and says of a change that it may be done', async () => {
    const read = stalling('readHistory');
    const write = stalling('publishEvent');
    const { begin, call } = await scene({
      mcp: { request_timeout_ms: 100 },
      operations: { ...read.operation, ...write.operation },
    });
    const session = await begin();
    expect(await call(session, 'get_channel_history', CHANNEL)).toMatchObject({
      isError: true,
      said: { error: 'timed out', code: 'timeout', status: 504 },
    });
    expect(await call(session, 'publish_event', { ...CHANNEL, name: 'n', data: 'x' })).toMatchObject({
      isError: true,
      said: { error: 'timed out; the change may have been applied', code: 'timeout', status: 504 },
    });
  });

  it('ends when it is cancelled, and later calls work', async () => {
    const read = stalling('readHistory');
    const { begin, call, send, records } = await scene({ operations: read.operation });
    const session = await begin();
    const called = call(session, 'get_channel_history', CHANNEL, 'slow');
    await read.begun;
    const notice = { method: 'notifications/cancelled', params: { requestId: 'slow' } };
    expect((await send(notice, { session })).status).toBe(202);
    expect(await called).toMatchObject({ status: 200, error: { code: -32_000, message: 'cancelled' } });
    expect(records().at(-1)).toMatchObject({ tool: 'get_channel_history', outcome: 'cancelled' });
    read.end({ items: [] });
    expect(await call(session, 'get_channel_history', CHANNEL)).toMatchObject({ isError: false });
  });

  it('is finished while the process drains, which takes no more', async () => {
    const read = stalling('readHistory');
    const { begin, call, send, process, server } = await scene({ operations: read.operation });
    const session = await begin();
    const called = call(session, 'get_channel_history', CHANNEL);
    await read.begun;
    process.advance('DRAINING');
    server.drain();
    const refused = await send({ id: 1, method: 'ping' }, { session });
    expect([refused.status, refused.headers['retry-after'], refused.json]).toMatchObject([
      503,
      '1',
      { error: { code: 1503 } },
    ]);
    read.end({ items: [] });
    expect(await called).toMatchObject({ isError: false, said: { items: [] } });
  });
});

describe('a call that its operation refuses', () => {
  it('says when to come again', async () => {
    const operations = { publishEvent: { description: DESCRIPTIONS.publishEvent, perform: limited } };
    const { begin, call } = await scene({ operations });
    expect(await call(await begin(), 'publish_event', { ...CHANNEL, name: 'n', data: 'x' })).toMatchObject({
      isError: true,
      said: { status: 429, retry_after_seconds: 7 },
    });
  });

  it('says nothing of a fault', async () => {
    const operations = { readHistory: { description: DESCRIPTIONS.readHistory, perform: broken } };
    const { begin, call } = await scene({ operations });
    expect((await call(await begin(), 'get_channel_history', CHANNEL)).said).toEqual({
      error: 'Internal server error',
      code: 'internal_error',
      status: 500,
    });
  });
});
