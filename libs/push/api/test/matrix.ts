import { afterAll, beforeAll, describe } from 'vitest';
import { type Broker, openScene, type Scene, type Storage } from './scene.js';

/** Tests independent of the store and the broker, which share a scene: each uses ids of its own. */
export type Suite = (open: () => Scene) => void;
/** Suites by title. */
export type Suites = Readonly<Record<string, Suite>>;

/** Repairs lost work immediately. */
const ENV = { PUSH_REPAIR_INTERVAL_SECS: '1', PUSH_REPAIR_MIN_AGE_SECS: '0' };

export function pushOver(storage: Storage, broker: Broker, suites: Suites): void {
  describe(`push over ${storage} and a queue in ${broker}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(storage, broker, ENV);
    });
    afterAll(() => scene.close());
    describe.each(Object.entries(suites))('%s', (_title, suite) => {
      suite(() => scene);
    });
  });
}
