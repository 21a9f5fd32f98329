import { afterEach, beforeEach, describe } from 'vitest';
import { asking } from './conformance/asking.js';
import { followsTheModel, settlesWhateverIsConcurrent } from './conformance/interleavings.js';
import { joining } from './conformance/joining.js';
import { leaving } from './conformance/leaving.js';
import { life } from './conformance/life.js';
import { memberLimit } from './conformance/member-limit.js';
import { Scene } from './conformance/scene.js';
import { updating } from './conformance/updating.js';
import type { OpenWorld } from './world.js';

/** Requirements of every driver. `runs`: number of random cases. */
export function presenceConformance(name: string, open: OpenWorld, runs: number): void {
  describe(`presence over ${name}`, () => {
    const scene = new Scene();
    beforeEach(() => scene.open(open));
    afterEach(() => scene.world.close());

    joining(scene);
    memberLimit(scene);
    leaving(scene);
    updating(scene);
    asking(scene);
    life(scene);
    followsTheModel(open, runs);
    settlesWhateverIsConcurrent(open, runs);
  });
}
