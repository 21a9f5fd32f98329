import { rawMember } from '@carillon/protocol';

/** State of a streamed answer. */
export type StreamStatus = 'streaming' | 'complete' | 'cancelled';

const STATUSES: ReadonlySet<unknown> = new Set<StreamStatus>(['streaming', 'complete', 'cancelled']);

/** The status of `extras.ai.transport`, from the JSON text of `extras`; null: no stream. */
export function streamStatus(extrasText: string | null): StreamStatus | null {
  const status = headerOf(extrasText, 'transport', 'status');
  return STATUSES.has(status) ? (status as StreamStatus) : null;
}

/** Whether an append with these extras may be empty, because it ends its stream. */
export function endsStream(extrasText: string | null): boolean {
  const status = headerOf(extrasText, 'codec', 'status') ?? headerOf(extrasText, 'transport', 'status');
  return isOver(status);
}

/** Whether the stream accepts no further appends. */
export const isOver = (status: string | null): boolean => status === 'complete' || status === 'cancelled';

/** Returns a header of `extras.ai`; null if missing or not a string. */
export function headerOf(
  extrasText: string | null,
  part: 'codec' | 'transport',
  name: string,
): string | null {
  const headers = objectIn(objectIn(extrasText, 'ai'), part);
  const raw = headers === null ? null : rawMember(headers, name);
  const value: unknown = raw === null ? null : JSON.parse(raw);
  return typeof value === 'string' ? value : null;
}

function objectIn(text: string | null, name: string): string | null {
  const member = text === null ? null : rawMember(text, name);
  return member?.startsWith('{') === true ? member : null;
}
