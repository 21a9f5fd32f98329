import { pause, type Logger } from '@carillon/runtime';
import { JobConflict, QueueUnavailable } from '../../failures.js';
import { fingerprint } from '../../fingerprint.js';
import {
  MAX_BYTES,
  MAX_JOB_BYTES,
  type Claim,
  type ClaimedJob,
  type JobStore,
  type Outcome,
  type PreparedJob,
  type Returned,
  type Settled,
} from '../../job-store.js';
import type { Reliability } from '../../options.js';
import type { DeadLetter, JobEvent, QueueStats } from '../../port.js';
import { Bells } from './bells.js';
import type { OpenLink, QueueLink } from './link.js';
import { claimedJob, deadLetterOf, eventOf, HEADER_BYTES } from './records.js';
import { list, listOf, oneOf, text, whole } from './replies.js';
import { ScriptRunner } from './script-runner.js';
import {
  ACKNOWLEDGE,
  CLAIM,
  DEFER,
  ENQUEUE,
  FAIL_DELIVERY,
  GIVE_UP,
  LIST_DEAD,
  RELEASE,
  REMOVE_DEAD,
  RENEW,
  REPLAY_DEAD,
  STATS,
} from './scripts.js';

/** Pauses before an enqueue is tried again: ids are stable, so it cannot be done twice. */
const ENQUEUE_PAUSES_MS = [50, 100];
const LARGEST_RECORD_BYTES = MAX_JOB_BYTES + HEADER_BYTES;
/** Stands for "unlimited" attempts. */
const MAX_ATTEMPTS = 999_999_999;

export interface RedisStoreOptions {
  readonly prefix: string;
  readonly reliability: Reliability;
  readonly open: OpenLink;
  readonly log: Logger;
}

/** Jobs in Redis, single or cluster: every transition is one script on the keys of one queue. */
export class RedisStore implements JobStore {
  readonly #bells: Bells;
  #link: QueueLink | null = null;
  #scripts: ScriptRunner | null = null;

  constructor(private readonly options: RedisStoreOptions) {
    this.#bells = new Bells(options.prefix, options.open);
  }

  async connect(): Promise<void> {
    const { open, prefix, reliability } = this.options;
    const link = await open(0);
    const problem = await link.health();
    if (problem !== null) {
      link.close();
      throw new QueueUnavailable(problem);
    }
    this.#link = link;
    this.#scripts = new ScriptRunner(link, prefix, reliability);
  }

  async add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    const args = jobs.flatMap(({ id, stableId, data, delayMs, deduplicationKey, maxAttempts, owner }) => [
      id,
      stableId ? fingerprint(data) : '',
      data,
      delayMs,
      deduplicationKey ?? '',
      maxAttempts === null ? '' : Math.min(maxAttempts, MAX_ATTEMPTS),
      owner ?? '',
    ]);
    const reply = listOf(await this.#enqueue(queue, args), (item) => item);
    if (reply[0] === 'conflict' && typeof reply[1] === 'number') {
      throw new JobConflict(jobs[reply[1] - 1]?.id ?? '');
    }
    return reply.map((id) => text(id));
  }

  async claim(queue: string, token: string, limit: number): Promise<Claim> {
    const reply = await this.#run(CLAIM, queue, [token, limit, MAX_BYTES, LARGEST_RECORD_BYTES]);
    const [retried, dead, dropped, nextMs, handed] = list(reply);
    const jobs = listOf(handed, (job) => claimedJob(job, token)).filter((job) => job !== null);
    if (whole(dropped) > 0) {
      this.options.log.warn('ids without a job were dropped from a queue', {
        queue,
        dropped: whole(dropped),
      });
    }
    const next = whole(nextMs);
    return {
      jobs,
      nextMs: next < 0 ? null : Math.max(1, next),
      retried: whole(retried),
      dead: whole(dead),
    };
  }

  async settle(queue: string, { id, token }: ClaimedJob, outcome: Outcome): Promise<Settled> {
    switch (outcome.kind) {
      case 'ok':
        return oneOf(await this.#run(ACKNOWLEDGE, queue, [id, token]), ['ok', 'lost']);
      case 'defer': {
        const { delayMs, data } = outcome;
        const args = [id, token, delayMs, ...(data === undefined ? [] : [data])];
        return oneOf(await this.#run(DEFER, queue, args), ['deferred', 'lost']);
      }
      case 'dead':
        return oneOf(await this.#run(GIVE_UP, queue, [id, token, oneLine(outcome.reason)]), ['dead', 'lost']);
      case 'retry': {
        const args = [id, token, outcome.reason, outcome.detail];
        return oneOf(await this.#run(FAIL_DELIVERY, queue, args), ['retry', 'dead', 'lost']);
      }
      default:
        return outcome satisfies never;
    }
  }

  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    if (jobs.length === 0) return [];
    const args = jobs.flatMap(({ id, token }) => [id, token]);
    const lost = new Set(listOf(await this.#run(RENEW, queue, args), whole));
    return jobs.filter((_, index) => lost.has(index + 1));
  }

  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    if (jobs.length === 0) return;
    const args = jobs.flatMap(({ job: { id, token }, begun }) => [id, token, begun ? '1' : '0']);
    await this.#run(RELEASE, queue, args);
  }

  wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    return this.#bells.wait(queue, ms, signal);
  }

  async stats(queue: string): Promise<QueueStats> {
    const reply = listOf(await this.#run(STATS, queue, []), whole);
    const [ready = 0, active = 0, delayed = 0, deadLetter = 0, completed = 0, readyMs = -1, activeMs = -1] =
      reply;
    const oldestReadyAgeMs = readyMs < 0 ? null : readyMs;
    const oldestActiveAgeMs = activeMs < 0 ? null : activeMs;
    return { ready, active, delayed, deadLetter, completed, oldestReadyAgeMs, oldestActiveAgeMs };
  }

  async listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return listOf(await this.#run(LIST_DEAD, queue, [limit, MAX_BYTES, LARGEST_RECORD_BYTES]), deadLetterOf);
  }

  async replayDeadLetters(queue: string, limit: number): Promise<number> {
    return whole(await this.#run(REPLAY_DEAD, queue, [limit]));
  }

  async removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return whole(await this.#run(REMOVE_DEAD, queue, ids));
  }

  async listEvents(queue: string, limit: number): Promise<readonly JobEvent[]> {
    const reply = await this.#connected().call(['xrevrange', 'events', '+', '-', 'count', limit], queue);
    return listOf(reply, eventOf)
      .filter((event) => event !== null)
      .reverse();
  }

  async health(): Promise<void> {
    const problem = this.#link === null ? 'not connected' : await this.#link.health();
    if (problem !== null) throw new QueueUnavailable(problem);
  }

  async close(): Promise<void> {
    this.#bells.close();
    this.#link?.close();
  }

  async #enqueue(queue: string, args: readonly (number | string)[]): Promise<unknown> {
    for (const pauseMs of ENQUEUE_PAUSES_MS) {
      try {
        return await this.#run(ENQUEUE, queue, args);
      } catch {
        await pause(pauseMs);
      }
    }
    return this.#run(ENQUEUE, queue, args);
  }

  async #run(script: Parameters<ScriptRunner['run']>[0], queue: string, args: readonly (number | string)[]) {
    return this.#connected().run(script, queue, args);
  }

  #connected(): ScriptRunner {
    if (this.#scripts === null) throw new QueueUnavailable('not connected');
    return this.#scripts;
  }
}

/** A reason is kept on a line of its own. */
const oneLine = (reason: string) => reason.replaceAll(/\s+/g, ' ');
