import type { DeadLetter } from '@carillon/queue';
import { canSee, type Principal } from '../auth/principals.js';
import { redactedUrl } from '../apps/view.js';
import type { ManagementParts } from '../parts.js';
import { webhookOfEntry } from '../webhooks/entries.js';
import { type NamedQueue, queueErrors } from './queues.js';

export interface DeadLetterFilter {
  readonly app_id?: string;
  readonly since_ms?: number;
  readonly until_ms?: number;
}

/** Dead letters that one request looks at: the oldest ones, as many as a driver lists at once. */
const WINDOW = 1000;

type Job = Readonly<Record<string, unknown>>;

/** A dead letter with what its job says of itself. */
export interface ReadDeadLetter {
  readonly letter: DeadLetter;
  /** Null: the job cannot be read. */
  readonly job: Job | null;
  readonly appId: string | null;
}

/** Dead letters that match and that the principal may see, oldest first. Those of no known app need a token for all. */
export async function deadLettersOf(
  { name, queue }: NamedQueue,
  { app_id, since_ms = 0, until_ms = Infinity }: DeadLetterFilter,
  principal: Principal,
): Promise<readonly ReadDeadLetter[]> {
  const letters = await queueErrors(queue.listDeadLetters(name, WINDOW));
  return letters
    .map(read)
    .filter(
      ({ letter, appId }) =>
        (app_id === undefined || appId === app_id) &&
        (principal.apps === null || (appId !== null && canSee(principal, appId))) &&
        letter.failedAtMs >= since_ms &&
        letter.failedAtMs < until_ms,
    );
}

function read(letter: DeadLetter): ReadDeadLetter {
  const job = parsed(letter.data);
  const appId = job?.['app_id'];
  return { letter, job, appId: typeof appId === 'string' ? appId : null };
}

function parsed(data: string | null): Job | null {
  try {
    const value: unknown = data === null ? null : JSON.parse(data);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Job) : null;
  } catch {
    return null;
  }
}

/** The item of a dead letter, without its payload. */
export async function deadLetterItem(
  queue: string,
  { letter, job, appId }: ReadDeadLetter,
  { apps }: Pick<ManagementParts, 'apps'>,
) {
  const { id, failedAtMs, attempts, reason, detail, data } = letter;
  const jobId = job?.['delivery_id'] ?? job?.['batch_id'] ?? job?.['id'];
  const entry = job?.['entry'];
  return {
    id,
    queue,
    app_id: appId,
    job_id: typeof jobId === 'string' ? jobId : null,
    failed_at_ms: failedAtMs,
    attempts: typeof job?.['attempt'] === 'number' ? job['attempt'] : attempts,
    reason,
    bytes: data === null ? null : Buffer.byteLength(data),
    ...(typeof entry === 'string' && appId !== null
      ? await receiverOf(appId, entry, `${reason} ${detail ?? ''}`, apps)
      : {}),
  };
}

async function receiverOf(appId: string, entry: string, reason: string, apps: ManagementParts['apps']) {
  const app = await apps.findById(appId).catch(() => null);
  const webhook = app === null ? null : webhookOfEntry(app, entry);
  const [, status] = /status (\d{3})/.exec(reason) ?? [];
  const url = webhook?.entry.url ?? null;
  return {
    webhook_id: webhook?.id ?? null,
    url: url === null ? null : redactedUrl(url),
    last_status: status === undefined ? null : Number(status),
  };
}

/** The data with which a job starts anew: a webhook delivery counts its attempts in its data. */
export function restartedData({ letter, job }: ReadDeadLetter, nowMs: number): string | null {
  if (job?.['kind'] !== 'webhook_delivery') return letter.data;
  const { first_attempt_ms: _first, ...rest } = job;
  return JSON.stringify({ ...rest, attempt: 1, due_ms: nowMs });
}
