import { EVENT_OVERHEAD_BYTES, type IngestEvent, type IngestOperation } from '../../event.js';
import type { Dead } from '../../outcome.js';
import type { Row } from './client.js';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The event of a row of the fetch. `name` holds the message of a mutation. */
export function eventOf(row: Row): IngestEvent {
  const op = String(row['op']) as IngestOperation;
  const name = text(row['name']);
  const isPublish = op === 'publish';
  return {
    id: String(row['id']),
    op,
    app: String(row['app']),
    channel: text(row['channel']),
    name: isPublish ? name : null,
    message: isPublish ? null : name,
    data: text(row['data']),
    isJson: row['json'] === true,
    optionsText: text(row['options']) ?? '{}',
    atMs: Number(row['at_ms']),
    bytes: Number(row['bytes'] ?? EVENT_OVERHEAD_BYTES),
  };
}

/** The row of a dead letter, as `store` reads it. */
export const deadRow = (event: IngestEvent, { code, status, reason, attempts }: Dead) => ({
  id: event.id,
  code,
  status,
  reason: reason.slice(0, 512),
  attempts,
  at_ms: event.atMs,
  op: event.op,
  app: event.app,
  channel: event.channel,
  name: event.name ?? event.message,
  data: event.data,
  json: event.isJson,
  options: event.optionsText,
});

export type DeadRow = ReturnType<typeof deadRow>;
