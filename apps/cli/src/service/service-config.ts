import { type Loaded, load, nodeFiles, type ProcessKind } from '@carillon/config';
import type { Env } from '../program/invocation.js';

/** Apps of this build, by the name that `--process` takes. */
export const PROCESSES: readonly ProcessKind[] = [
  'server',
  'gateway',
  'api',
  'webhook-worker',
  'push-planner',
  'push-dispatch',
  'push-feedback',
  'history-writer',
  'mcp-gateway',
];

/** Loads and validates the configuration of a process. Problems are part of the result. */
export const readServiceConfig = (from: {
  readonly process: ProcessKind;
  /** Null: found as the service finds it. */
  readonly file: string | null;
  readonly env: Env;
  readonly cwd: string;
}): Loaded =>
  load({
    process: from.process,
    named: from.file,
    env: from.env,
    cwd: from.cwd,
    files: nodeFiles,
    drivers: {},
    workers: 1,
  });
