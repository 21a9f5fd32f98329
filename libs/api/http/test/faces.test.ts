import { errorBody, toServiceError } from '@carillon/errors';
import {
  DESCRIPTIONS,
  inputOfArguments,
  jsonBody,
  keyHolder,
  type Operation,
} from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { call, counted, openScene, type Scene, type SceneOptions } from './scene.js';

type Name = keyof typeof DESCRIPTIONS;

interface Asked {
  readonly name: Name;
  readonly method: string;
  readonly path: string;
  /** Input of a transport without paths and queries. */
  readonly given: Record<string, unknown>;
  readonly query?: Record<string, string>;
}

/** A face that is no more than a call, answering as HTTP would. */
async function directly({ operations, app }: Scene, { name, given }: Asked) {
  const { live, ...common } = operations;
  const all: Record<string, Operation<never, unknown>> = { ...common, ...live };
  try {
    const input = inputOfArguments(DESCRIPTIONS[name], jsonBody(given)) as never;
    const done = await all[name]?.perform(keyHolder(app, 'test'), input);
    return { status: 200, body: done?.value, replayed: done?.mark === 'replayed' };
  } catch (error) {
    const { status } = toServiceError(error);
    return { status, body: errorBody(toServiceError(error)), replayed: false };
  }
}

async function overHttp(scene: Scene, { method, path, given, query = {} }: Asked) {
  const { idempotency_key: key, ...body } = given;
  const isHeader = 'batch' in given && typeof key === 'string';
  const headers: Record<string, string> = isHeader ? { 'x-idempotency-key': key } : {};
  const sent = method === 'POST' ? (isHeader ? body : given) : undefined;
  const answer = await call(scene, method, path, sent, { query, headers });
  const replayed = answer.headers.get('x-idempotency-replayed') === 'true';
  return { status: answer.status, body: answer.body, replayed };
}

const publishing = (given: Record<string, unknown>): Asked => ({
  name: 'publishEvent',
  method: 'POST',
  path: '/events',
  given,
});
const batch = (given: Record<string, unknown>): Asked => ({
  name: 'publishBatch',
  method: 'POST',
  path: '/batch_events',
  given,
});

const EVENT = { name: 'e', channel: 'a', data: 'x' };

/** Sends the same requests to one process over HTTP and to another one directly, and compares the results. */
async function alike(asked: readonly Asked[], options: SceneOptions = {}) {
  const [http, direct] = [await openScene(options), await openScene(options)];
  const answers = [];
  for (const one of asked) {
    const answer = await directly(direct, one);
    expect(await overHttp(http, one)).toEqual(answer);
    answers.push(answer);
  }
  expect(http.sockets.delivered.length).toBe(direct.sockets.delivered.length);
  return { answers, delivered: direct.sockets.delivered.length, direct };
}

describe('a face that calls operations directly', () => {
  it.each<[string, Asked, number]>([
    ['a publish', publishing(EVENT), 200],
    ['a publish without a name', publishing({ channel: 'a' }), 400],
    ['a publish without a channel', publishing({ name: 'e' }), 400],
    ['a publish to a channel that cannot be', publishing({ ...EVENT, channel: 'a b' }), 400],
    ['a publish of something else', publishing({ ...EVENT, tags: [] }), 400],
    ['a long name', publishing({ ...EVENT, name: 'n'.repeat(201) }), 400],
    ['too much data', publishing({ ...EVENT, data: 'd'.repeat(200_000) }), 413],
    ['AI content elsewhere', publishing({ ...EVENT, name: 'ai-input' }), 403],
    ['a long key', publishing({ ...EVENT, idempotency_key: 'k'.repeat(200) }), 400],
    ['an empty key', publishing({ ...EVENT, idempotency_key: '' }), 400],
    ['counts', publishing({ ...EVENT, message_id: 'm', info: 'subscription_count' }), 200],
    ['a batch without a list', batch({}), 400],
    ['a batch with a bad item', batch({ batch: [EVENT, { name: 'e' }] }), 400],
    ['a batch', batch({ batch: [EVENT, EVENT] }), 200],
    ['too many in a batch', batch({ batch: Array.from({ length: 11 }, () => EVENT) }), 400],
    [
      'a channel',
      {
        name: 'channelState',
        method: 'GET',
        path: '/channels/a',
        given: { channel: 'a', info: ['subscription_count'] },
        query: { info: 'subscription_count' },
      },
      200,
    ],
    [
      'users of no presence channel',
      { name: 'channelUsers', method: 'GET', path: '/channels/a/users', given: { channel: 'a' } },
      400,
    ],
    [
      'a history that nobody keeps',
      { name: 'readHistory', method: 'GET', path: '/channels/a/history', given: { channel: 'a' } },
      422,
    ],
    [
      'revocations of nobody',
      { name: 'revokeTokens', method: 'POST', path: '/revocations', given: { reason: 'x' } },
      400,
    ],
    [
      'connections of a user',
      {
        name: 'terminateConnections',
        method: 'POST',
        path: '/users/u/terminate_connections',
        given: { user_id: 'u' },
      },
      200,
    ],
  ])('is told the same of %s', async (_what, asked, status) => {
    const apps = [{ ...LIMITED, max_event_batch_size: 10, max_event_payload_in_kb: 100 }];
    const { answers } = await alike([asked], { apps });
    expect(answers.map((one) => one.status)).toEqual([status]);
  });

  it('publishes once for a key and is told the same again', async () => {
    const keyed = publishing({ ...EVENT, info: 'subscription_count', idempotency_key: 'once' });
    const first = batch({ batch: [EVENT], idempotency_key: 'once' });
    const { direct } = await alike([first, first]);
    expect(direct.sockets.delivered).toHaveLength(1);
    const again = await directly(direct, keyed);
    expect(await directly(direct, keyed)).toEqual({ ...again, replayed: true });
    expect(direct.sockets.delivered).toHaveLength(2);
    const labels = { app_id: 'shop' };
    expect(await counted(direct, 'service_idempotency_duplicates_total', labels)).toBe(2);
  });

  it('has the rate of the app, counted as its own', async () => {
    const apps = [{ ...LIMITED, max_backend_events_per_second: 2 }];
    const { answers, direct } = await alike([batch({ batch: [EVENT, EVENT] }), publishing(EVENT)], { apps });
    expect(answers.map((one) => one.status)).toEqual([200, 429]);
    const labels = { limiter_type: 'app_backend', request_context: 'test' };
    expect(await counted(direct, 'service_rate_limit_triggered_total', labels)).toBe(1);
  });

  it('is refused for an app that is switched off', async () => {
    const { answers, delivered } = await alike([publishing(EVENT)], {
      apps: [{ ...LIMITED, enabled: false }],
    });
    expect([answers[0]?.status, delivered]).toEqual([403, 0]);
  });
});

const LIMITED = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };
