import type { QueueCapabilities, QueueLimits } from './capabilities.js';
import { InvalidJob, QueueOptionUnsupported } from './failures.js';
import type { NewJob } from './port.js';

const LONGEST_NAME_BYTES = 512;

/** Rules for the options of a job. */
export interface JobRules {
  readonly driver: string;
  readonly capabilities: QueueCapabilities;
  readonly limits: QueueLimits;
}

/** Throws `InvalidJob` or `QueueOptionUnsupported` unless the driver can take the job exactly as it is. */
export function checkJob(job: NewJob, rules: JobRules): void {
  const { data, jobId, deduplicationKey, delayMs, maxAttempts, partitionKey } = job;
  const { driver, capabilities, limits } = rules;
  if (Buffer.byteLength(data, 'utf8') > limits.maxJobBytes) {
    throw new InvalidJob(`data must be at most ${limits.maxJobBytes} bytes`);
  }
  checkName('jobId', jobId);
  checkName('deduplicationKey', deduplicationKey);
  checkName('partitionKey', partitionKey);
  checkInteger('delayMs', delayMs, 0);
  checkInteger('maxAttempts', maxAttempts, 1);
  if (!capabilities.deduplication) {
    if (jobId !== undefined) throw new QueueOptionUnsupported(driver, 'jobId');
    if (deduplicationKey !== undefined) throw new QueueOptionUnsupported(driver, 'deduplicationKey');
  }
  if (!limits.attemptOverride && maxAttempts !== undefined) {
    throw new QueueOptionUnsupported(driver, 'maxAttempts');
  }
  checkDelay(delayMs ?? 0, rules);
}

/** Throws `InvalidJob` unless a queue may have this name. */
export function checkQueueName(queue: string): void {
  checkName('queue name', queue);
}

function checkDelay(delayMs: number, { driver, capabilities, limits }: JobRules): void {
  if (delayMs === 0) return;
  if (!capabilities.delayedDelivery) throw new QueueOptionUnsupported(driver, 'delayMs');
  if (delayMs > limits.maxDelayMs) {
    throw new QueueOptionUnsupported(driver, 'delayMs', `must be at most ${limits.maxDelayMs}`);
  }
}

function checkName(what: string, name: string | undefined): void {
  if (name === undefined) return;
  const bytes = Buffer.byteLength(name, 'utf8');
  if (bytes < 1 || bytes > LONGEST_NAME_BYTES) {
    throw new InvalidJob(`${what} must be 1 to ${LONGEST_NAME_BYTES} bytes`);
  }
}

function checkInteger(what: string, value: number | undefined, min: number): void {
  if (value === undefined) return;
  if (!Number.isSafeInteger(value) || value < min) {
    throw new InvalidJob(`${what} must be an integer of at least ${min}`);
  }
}
