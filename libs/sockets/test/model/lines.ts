import { short, type Frame } from '../room/client.js';

/** Returns a frame without its text for humans. */
export function line(frame: Frame): string {
  const { event, channel, data } = frame;
  const at = channel === undefined ? '' : ` ${channel}`;
  const { code, type, status } = (data ?? {}) as { code?: number; type?: string; status?: number };
  if (event === 'pusher:error') return `error${at} ${code}`;
  if (event === 'pusher:subscription_error') return `subscription_error${at} ${type} ${status} ${code}`;
  return short(frame);
}

/** Counts due together may be sent in any order. */
export function settled(lines: readonly string[]): readonly string[] {
  const sorted = [...lines];
  const isCount = (index: number): boolean => sorted[index]?.startsWith('subscription_count') === true;
  for (let first = 0; first < sorted.length; first += 1) {
    let last = first;
    while (isCount(last)) last += 1;
    sorted.splice(first, last - first, ...sorted.slice(first, last).sort());
    first = Math.max(first, last);
  }
  return sorted;
}
