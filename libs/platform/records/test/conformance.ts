import { describe } from 'vitest';
import type { RecordsBackend } from './backend.js';
import { commitConformance } from './conformance-commits.js';
import { concurrencyConformance } from './conformance-concurrency.js';
import { crashConformance } from './conformance-crash.js';
import { expiryConformance } from './conformance-expiry.js';
import { failureConformance } from './conformance-failures.js';
import { limitConformance } from './conformance-limits.js';
import { readConformance } from './conformance-reads.js';

/** Proves every promise of `RecordStore` for one driver. */
export function recordsConformance(name: string, backend: RecordsBackend): void {
  describe(`records in ${name}`, () => {
    readConformance(backend);
    commitConformance(backend);
    concurrencyConformance(backend);
    limitConformance(backend);
    expiryConformance(backend);
    failureConformance(backend);
    crashConformance(backend);
  });
}
