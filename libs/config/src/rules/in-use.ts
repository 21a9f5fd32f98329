import type { Problem } from '../problem.js';
import type { ProcessKind } from '../process-kind.js';
import type { Config } from '../schema/index.js';
import type { Rule } from './rule.js';

type Section = keyof Config;

const DURABLE = ['history', 'presence_history', 'versioned_messages', 'annotations'] as const;
const PUSH = ['push', 'push_rules'] as const;
const FACES = ['compat', 'mcp', 'management', 'idempotency', 'rate_limiter'] as const;
const PUSH_WORKER = [
  ...DURABLE,
  ...FACES,
  'adapter',
  'ai_transport',
  'queue',
  'webhooks',
  'websocket',
] as const;

/**
 * Sections that an app does not use, although its file may set them for the others: only their schema is checked. All
 * other sections are validated by every app.
 */
const UNUSED: Readonly<Record<ProcessKind, readonly Section[]>> = {
  server: [],
  api: ['websocket'],
  'mcp-gateway': ['websocket', 'management'],
  // It is an api process without listeners for clients.
  ingest: ['websocket', 'mcp', 'compat', 'management'],
  gateway: [...PUSH, 'management'],
  'history-writer': [...PUSH, ...FACES, 'cache', 'websocket'],
  'webhook-worker': [...DURABLE, ...PUSH, ...FACES, 'adapter', 'ai_transport', 'cache', 'websocket'],
  'push-planner': PUSH_WORKER,
  'push-dispatch': PUSH_WORKER,
  'push-feedback': PUSH_WORKER,
};

/** The sections of rules whose problems have no path. */
const OF_RULES: Readonly<Record<string, readonly Section[]>> = {
  X1: ['adapter'],
  X2: ['adapter'],
  X3: ['adapter', 'cache'],
  X4: ['adapter', 'compat'],
  X5: ['adapter', 'history'],
  X6: ['adapter', 'presence_history'],
  X7: ['adapter', 'versioned_messages'],
  X8: ['annotations'],
  X9: ['ai_transport'],
  X10: ['adapter', 'ai_transport'],
  X15: ['cache'],
  'history-store': ['history'],
};

/** Whether a problem found by a rule is relevant to the current app. */
export function isJudged(process: ProcessKind, { id }: Rule, { path }: Problem): boolean {
  const unused: readonly string[] = UNUSED[process];
  const [head = ''] = path.split('.');
  const sections = path === '' ? (OF_RULES[id] ?? []) : [head];
  return !sections.some((section) => unused.includes(section));
}
