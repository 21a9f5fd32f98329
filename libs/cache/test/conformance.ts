import { describe } from 'vitest';
import { boundsConformance } from './conformance/bounds.js';
import { conditionsConformance } from './conformance/conditions.js';
import { countersConformance } from './conformance/counters.js';
import { expiryConformance } from './conformance/expiry.js';
import { modelConformance } from './conformance/model.js';
import { scanConformance } from './conformance/scan.js';
import type { OpenStore } from './conformance/store.js';
import { valuesConformance } from './conformance/values.js';

/** Requirements of drivers that store. `open` returns an empty store with a default TTL of an hour. */
export function conformance(driver: string, open: OpenStore): void {
  describe(`cache ${driver}`, () => {
    valuesConformance(open);
    expiryConformance(open);
    conditionsConformance(open);
    countersConformance(open);
    scanConformance(open);
    boundsConformance(open);
    modelConformance(open);
  });
}
