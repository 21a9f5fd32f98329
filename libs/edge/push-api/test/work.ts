import { onTestFinished } from 'vitest';
import { type Broker, openScene, type Scene, type Storage } from './scene.js';

/** A scene with settings of its own, which ends with the test that runs. */
export async function sceneWith(
  env: Record<string, string>,
  storage: Storage = 'memory',
  broker: Broker = 'memory',
): Promise<Scene> {
  const scene = await openScene(storage, broker, env);
  onTestFinished(() => scene.close());
  return scene;
}

/** Whether a push is over, by its status. */
export const done = ({ state }: Readonly<Record<string, unknown>>): boolean =>
  !['queued', 'planning', 'dispatching', 'throttled'].includes(String(state));

export const publish = (scene: Scene, publishId: string, recipients: readonly object[], more = {}) =>
  scene.send('POST', '/publish', { publishId, recipients, payload: { title: 'Hi' }, ...more });
