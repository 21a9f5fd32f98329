import { MOST_LINES, type JobOptions, type Queue } from '@carillon/queue';
import { createHash } from 'node:crypto';

/** How many batches of one app are worked on at once; also how many lines a batch stands in at most. */
const BATCHES_AT_ONCE = 16;

/**
 * The lines of a batch: those of the parts of its app that its channels fall into, so that batches about one channel
 * become deliveries in order, and one app's batches never hold up another's.
 */
export function batchLines(appId: string, channels: Iterable<string>): string[] {
  const parts = new Set<number>();
  for (const channel of new Set(channels)) {
    if (parts.size === BATCHES_AT_ONCE) break;
    parts.add(digest(channel).readUInt8() % BATCHES_AT_ONCE);
  }
  return Array.from(parts, (part) => `batches ${appId} ${part}`);
}

/**
 * The lines of a delivery: one a channel at its receiver. Batches are cut so that no delivery has more channels than
 * a job may have lines; the first ones count if an older process cut it otherwise.
 */
export function deliveryLines(appId: string, entry: string, channels: Iterable<string>): string[] {
  // Names of channels may be longer than those of lines.
  const lines = Array.from(new Set(channels), (channel) =>
    digest(`${appId} ${entry} ${channel}`).toString('base64url', 0, LINE_BYTES),
  );
  return lines.slice(0, MOST_LINES);
}

/** As options of a job; nothing where the queue keeps no order. */
export const inLines = (
  { capabilities }: { readonly capabilities: Pick<Queue['capabilities'], 'lines'> },
  lines: readonly string[],
): Pick<JobOptions, 'lines'> => (capabilities.lines ? { lines } : {});

const LINE_BYTES = 16;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
