import { App } from '@carillon/app-registry';
import { parseAppRecord, type AppRecord, type WebhookEntry } from '@carillon/config';
import { Logger, Metrics, type LogFields } from '@carillon/runtime';
import { configuration } from '@carillon/testing';

/** The configuration of this environment, everything else at its default. */
export const config = configuration;

/** The credentials of the worked examples. */
export const KEY = 'k_4f81d0c7b29e';
export const SECRET = 's_7a3e5590c1bd42f8';

/** A valid record; receivers are in the stored form. */
export function record(webhooks: readonly object[] = [], more: object = {}): AppRecord {
  const parsed = parseAppRecord({ id: 'shop', key: KEY, secret: SECRET, policy: { webhooks }, ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

export const app = (webhooks: readonly object[] = [], more: object = {}): App =>
  new App(record(webhooks, more), config());

/** One receiver, in the form it has in a record that was read. */
export function entry(stored: object = {}): WebhookEntry {
  const [first] = record([{ url: 'http://h/', event_types: ['channel_occupied'], ...stored }]).policy
    .webhooks;
  if (first === undefined) throw new Error('no entry');
  return first;
}

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines. */
export function recordingLog(): { readonly log: Logger; readonly lines: Line[] } {
  const lines: Line[] = [];
  const log = new Logger('service::webhook', 'trace', (level, _, message, fields = {}) => {
    lines.push({ level, message, fields });
  });
  return { log, lines };
}

export const metrics = (): Metrics => new Metrics({ prefix: '', port: 6001, log: recordingLog().log });

/** Value of one series; 0 if missing. */
export async function valueOf(
  from: Metrics,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const found = (await from.samples()).filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Waits until it is so; the runner's time-out ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
