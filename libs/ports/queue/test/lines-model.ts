import { expect } from 'vitest';
import type { ClaimedJob, JobStore, Outcome } from '../src/job-store.js';

interface Standing {
  readonly id: string;
  readonly lines: readonly string[];
}

/** What the promise of lines says of a store, in as few words as possible: the jobs that stand in line, in one order. */
export class LinesModel {
  /** All jobs that are neither done nor dead, oldest place first. */
  #standing: Standing[] = [];
  readonly #dead: Standing[] = [];
  readonly #running = new Map<string, ClaimedJob>();
  readonly #done = new Set<string>();
  #made = 0;
  #tokens = 0;

  constructor(
    private readonly store: JobStore,
    private readonly queue: string,
    /** Ends the leases of everything that runs; null: there are none. */
    private readonly kill: (() => Promise<void>) | null,
  ) {}

  async add(lines: readonly (readonly string[])[]): Promise<void> {
    const added = lines.map((own) => ({ id: `${this.#made++}`, lines: own }));
    await this.store.add(
      this.queue,
      added.map((one) => ({
        ...one,
        stableId: true,
        data: one.id,
        delayMs: 0,
        deduplicationKey: null,
        maxAttempts: null,
      })),
    );
    this.#standing.push(...added);
  }

  /** Whatever is handed out must be free to go; without a limit, all that is free must be handed out. */
  async claim(limit: number): Promise<void> {
    const { jobs, dead } = await this.store.claim(this.queue, `token ${this.#tokens++}`, limit);
    if (dead > 0) await this.#buryWhatDied();
    const free = this.#free();
    const ids = jobs.map(({ id }) => id);
    for (const id of ids) expect(free).toContain(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(Math.min(limit, free.length));
    for (const job of jobs) this.#running.set(job.id, job);
  }

  async settle(which: number, outcome: Outcome): Promise<void> {
    const job = [...this.#running.values()].at(-1 - which);
    if (job === undefined) return;
    this.#running.delete(job.id);
    const settled = await this.store.settle(this.queue, job, outcome);
    if (settled === 'ok') this.#done.add(job.id);
    if (settled === 'dead') this.#dead.push(...this.#standing.filter(({ id }) => id === job.id));
    if (settled === 'ok' || settled === 'dead') this.#leave(job.id);
  }

  /** A worker dies, or gives back what it has. */
  async lose(): Promise<void> {
    if (this.kill === null) {
      const jobs = [...this.#running.values()].map((job) => ({ job, begun: true }));
      await this.store.release(this.queue, jobs);
    } else await this.kill();
    this.#running.clear();
  }

  /** The oldest dead ones, to the ends of their lines. */
  async replay(limit: number): Promise<void> {
    expect(await this.store.replayDeadLetters(this.queue, limit)).toBe(Math.min(limit, this.#dead.length));
    this.#standing.push(...this.#dead.splice(0, limit));
  }

  /** Works everything off: nothing may be lost or stuck. */
  async finish(): Promise<void> {
    await this.lose();
    const isLeft = (): boolean => this.#standing.length + this.#dead.length > 0;
    for (let rounds = 0; isLeft() && rounds <= 2 * this.#made; rounds += 1) {
      await this.replay(this.#dead.length);
      await this.claim(1000);
      while (this.#running.size > 0) await this.settle(0, { kind: 'ok' });
    }
    expect(this.#done.size).toBe(this.#made);
    expect(await this.store.stats(this.queue)).toMatchObject({ ready: 0, active: 0, delayed: 0 });
  }

  /** Those that were lost once too often. */
  async #buryWhatDied(): Promise<void> {
    for (const { id } of await this.store.listDeadLetters(this.queue, 1000)) {
      this.#dead.push(...this.#standing.filter((one) => one.id === id));
      this.#leave(id);
    }
  }

  #leave(gone: string): void {
    this.#standing = this.#standing.filter(({ id }) => id !== gone);
  }

  /** Who is the first in each of its lines and does not run. */
  #free(): string[] {
    const taken = new Set<string>();
    const free: string[] = [];
    for (const { id, lines } of this.#standing) {
      if (!lines.some((line) => taken.has(line)) && !this.#running.has(id)) free.push(id);
      for (const line of lines) taken.add(line);
    }
    return free;
  }
}
