import { describe, onTestFinished } from 'vitest';
import { type Broker, openScene, type Scene, type Storage } from './scene.js';

/** A scene with settings of its own, which ends with the test that runs. */
export async function sceneWith(
  env: Record<string, string>,
  storage: Storage = 'memory',
  broker: Broker = 'memory',
  toml = '',
): Promise<Scene> {
  const scene = await openScene(storage, broker, env, toml);
  onTestFinished(() => scene.close());
  return scene;
}

/** Stores and queues used in production, and in memory; the embedded database starts too slowly. */
const PLACES: readonly (readonly [Storage, Broker])[] = [
  ['memory', 'memory'],
  ['postgres', 'redis'],
  ['mysql', 'redis'],
  ...(process.env['CARILLON_PROOF'] === 'true' ? [['embedded', 'memory'] as const] : []),
];

/** A scene with its own settings, over the given store and queue. */
export type SceneWith = (env: Record<string, string>, toml?: string) => Promise<Scene>;

/** Runs tests with their own settings over every store and queue. */
export function overPlaces(tests: (sceneWith: SceneWith) => void): void {
  for (const [storage, broker] of PLACES) {
    const timeout = storage === 'embedded' ? 150_000 : 30_000;
    describe(`over ${storage} and a queue in ${broker}:`, { timeout }, () => {
      tests((env, toml) => sceneWith(env, storage, broker, toml));
    });
  }
}

/** Whether a push is over, by its status. */
export const done = ({ state }: Readonly<Record<string, unknown>>): boolean =>
  !['queued', 'planning', 'dispatching', 'throttled'].includes(String(state));

export const publish = (scene: Scene, publishId: string, recipients: readonly object[], more = {}) =>
  scene.send('POST', '/publish', { publishId, recipients, payload: { title: 'Hi' }, ...more });
