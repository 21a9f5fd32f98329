import { randomUUID } from 'node:crypto';
import { cacheKeys, type CommitRecordOf } from '@carillon/contracts';
import { openLiving } from './living.js';
import { call, type CallOptions, publish } from './scene.js';

/** The API of one process, with everything on that a field may have an effect on. */
export type EffectScene = Awaited<ReturnType<typeof openEffectScene>>;

export const LOBBY = 'presence-lobby';

export async function openEffectScene() {
  const scene = await openLiving({ env: { PRESENCE_HISTORY_ENABLED: 'true' } });
  scene.sockets.counts = new Map([
    ['orders', 3],
    [LOBBY, 2],
  ]);
  // One connection: it is signed in, and may do everything with its own messages.
  scene.sockets.acting = {
    protocol: 2,
    clientId: 'u1',
    hasToken: true,
    rights: ['publish', 'subscribe', 'annotation-publish', 'annotation-subscribe', 'annotation-delete-any'],
  };
  await scene.presence.join(
    { appId: 'shop', channel: LOBBY, userId: 'u1', socketId: '1.2', userInfoText: '{}' },
    Infinity,
  );
  for (const userId of ['u1', 'u2', 'u3']) await scene.commits.commit([joined(userId)]);
  return scene;
}

const joined = (userId: string): CommitRecordOf<'presence'> => ({
  op: 'presence',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel: LOBBY,
  event: 'member_added',
  cause: 'join',
  user_id: userId,
  connection_id: '1.2',
  user_info: {},
  policy: {
    history_ms: 60_000,
    versions_ms: null,
    max_messages: null,
    max_bytes: null,
    versioned: false,
    cache: false,
    ai: null,
  },
});

/** A request to one operation. */
export interface Asked {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly options?: CallOptions;
}

/**
 * Sends a request twice and returns all observable effects, without values that are generated for each request: both
 * responses, frames to subscribers, webhooks, requests to sockets, revocations and stored messages.
 */
export async function seenOf(scene: EffectScene, { method, path, body, options }: Asked): Promise<string> {
  const before = { sent: scene.sent.length, told: scene.told.length, asked: scene.sockets.asked.length };
  const live = scene.sockets.delivered.length;
  const answers = [];
  for (let time = 0; time < 2; time += 1) {
    const { status, body: said } = await call(scene, method, path, body, options);
    answers.push([status, said]);
  }
  const revoked = [];
  for (const name of [cacheKeys.revokedToken('shop', 't-1'), cacheKeys.revokedClient('shop', 'u-9')]) {
    const entry = await scene.cache.entry(name);
    revoked.push(entry === null ? null : [entry.value, Math.ceil((entry.ttlMs ?? 0) / 60_000)]);
  }
  const history = await call(scene, 'GET', '/channels/orders/history', undefined, {});
  return stable({
    answers,
    revoked,
    history: history.body,
    frames: scene.sent.slice(before.sent),
    delivered: scene.sockets.delivered.slice(live).map(({ fact, exceptSocketId }) => [fact, exceptSocketId]),
    webhooks: scene.told.slice(before.told),
    questions: scene.sockets.asked.slice(before.asked),
  });
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const VERSION_SERIAL = /\d{20}:[\w.-]+:(\d{20})/g;
const TIME_MS = /\b1[78]\d{11}\b/g;
const CURSOR = /eyJ[\w-]{20,}/g;

const stable = (seen: object): string =>
  JSON.stringify(seen)
    .replaceAll(UUID, 'uuid')
    .replaceAll(VERSION_SERIAL, 'serial-$1')
    .replaceAll(TIME_MS, 'time')
    .replaceAll(CURSOR, 'cursor');

/** Publishes a message to `orders`, with two more versions, and returns its path. */
export async function someMessage(scene: EffectScene): Promise<string> {
  const event = { name: 'note', channel: 'orders', data: 'a', message_id: 'm-0', extras: { ref: 1 } };
  const { body } = await publish(scene, event);
  const { channels } = body as { channels: Record<string, { message_serial: string }> };
  const path = `/channels/orders/messages/${channels['orders']?.message_serial ?? ''}`;
  for (const data of ['b', 'c']) await call(scene, 'POST', `${path}/append`, { data });
  return path;
}
