import type { Config } from '@carillon/config';

/** Commit timeout of backends without a setting of their own. */
const DEFAULT_WRITE_TIMEOUT_MS = 5000;

/** The time that one commit, and one read, may take in all. */
export function writeTimeoutMs({ history }: Pick<Config, 'history'>): number {
  return history.backend === 'memory' ? DEFAULT_WRITE_TIMEOUT_MS : history[history.backend].write_timeout_ms;
}

/** Whether publishers and writers are processes of their own. */
export const isClustered = ({ adapter }: Pick<Config, 'adapter'>): boolean => adapter.driver !== 'local';
