import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TREE } from './tree.js';

/** The release that a rollout of this tree starts from. Updated with each release. */
interface LastRelease {
  readonly commit: string;
  /** Recorded names of the migrations that it requires, on PostgreSQL, with the default table names. */
  readonly migrations: readonly string[];
}

export const LAST_RELEASE = JSON.parse(
  readFileSync(join(TREE, 'tools/test/fleet/last-release.json'), 'utf8'),
) as LastRelease;
