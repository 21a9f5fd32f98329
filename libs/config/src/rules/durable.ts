import type { Problem } from '../problem.js';
import type { Config } from '../schema/index.js';
import { rule, type Rule } from './rule.js';

function positive(values: object, path: string, keys: readonly string[]): readonly Problem[] {
  const numbers = values as Readonly<Record<string, number>>;
  return keys
    .filter((key) => (numbers[key] ?? 0) <= 0)
    .map((key) => ({ path: `${path}.${key}`, message: 'must be greater than 0' }));
}

/** The table prefix of a durable backend ends up in statements, together with a suffix. */
function store(backend: Config['history']['backend'], history: Config['history']): readonly Problem[] {
  if (backend === 'memory') return [];
  const { table_prefix: prefix, ...rest } = history[backend];
  const path = `history.${backend}`;
  const timeout = positive(rest, path, ['write_timeout_ms']);
  if (prefix.trim() === '')
    return [...timeout, { path: '', message: `${path}.table_prefix must not be empty` }];
  if (/^[A-Za-z_][A-Za-z0-9_]{0,40}$/.test(prefix)) return timeout;
  const message = /^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)
    ? 'must be at most 41 characters'
    : `invalid identifier "${prefix}"`;
  return [...timeout, { path: `${path}.table_prefix`, message }];
}

const historySizes: Rule = {
  id: 'history',
  severity: 'error',
  check: ({ config: { history } }) => {
    if (!history.enabled) return [];
    const lanes = history.writer_shards >= 1 && history.writer_shards <= 1024;
    return [
      ...positive(history, 'history', ['retention_window_seconds', 'max_page_size', 'writer_queue_capacity']),
      ...(lanes ? [] : [{ path: 'history.writer_shards', message: 'must be between 1 and 1024' }]),
    ];
  },
};

const stores: Rule = {
  id: 'history-store',
  severity: 'error',
  check: ({ config: { history, versioned_messages: versions } }) => {
    const used = new Set([
      ...(history.enabled ? [history.backend] : []),
      ...(versions.enabled ? [versions.driver] : []),
    ]);
    return [...used].flatMap((backend) => store(backend, history));
  },
};

const presenceSizes: Rule = {
  id: 'presence-history',
  severity: 'error',
  check: ({ config: { presence_history: kept } }) =>
    kept.enabled ? positive(kept, 'presence_history', ['max_page_size', 'retention_window_seconds']) : [],
};

const versionSizes: Rule = {
  id: 'versioned-messages',
  severity: 'error',
  check: ({ config: { versioned_messages: versions } }) =>
    versions.enabled ? positive(versions, 'versioned_messages', ['max_page_size']) : [],
};

const versionStore: Rule = {
  id: 'version-store',
  severity: 'error',
  check: ({ config: { history, versioned_messages: versions } }) => {
    const other = versions.enabled && versions.driver !== history.backend && versions.driver !== 'memory';
    const message = `must be the history backend (history.backend is ${history.backend})`;
    return other ? [{ path: 'versioned_messages.driver', message }] : [];
  },
};

const WINDOWS = new Set([0, 20, 40, 100, 500]);

/** Rules of history, versions and AI transport. */
export const durableRules: readonly Rule[] = [
  historySizes,
  stores,
  presenceSizes,
  versionSizes,
  versionStore,
  rule(
    'ai-value',
    'ai_transport',
    'max_transport_value_bytes must be at least 256',
    ({ ai_transport: ai }) => ai.max_transport_value_bytes < 256,
  ),
  rule(
    'ai-message-ids',
    'ai_transport',
    'max_steer_codec_message_ids_bytes must be at least 2048',
    ({ ai_transport: ai }) => ai.max_steer_codec_message_ids_bytes < 2048,
  ),
  rule(
    'ai-window',
    'ai_transport',
    'rollup.default_window_ms must be one of 0, 20, 40, 100, 500 and within min/max',
    ({ ai_transport: { rollup } }) =>
      !WINDOWS.has(rollup.default_window_ms) ||
      rollup.default_window_ms < rollup.min_window_ms ||
      rollup.default_window_ms > rollup.max_window_ms,
  ),
  rule(
    'ai-windows',
    'ai_transport',
    'rollup.min_window_ms must be less than or equal to max_window_ms',
    ({ ai_transport: { rollup } }) => rollup.min_window_ms > rollup.max_window_ms,
  ),
];
