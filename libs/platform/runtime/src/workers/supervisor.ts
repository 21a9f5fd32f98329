import type { Lines } from './lines.js';
import type { Order, WorkerNews } from './messages.js';
import { failuresAfter, restartPauseMs } from './restart-pause.js';
import { Worker, type WorkerEnd, type WorkerProgram } from './worker.js';

export interface SupervisorOptions {
  readonly count: number;
  /** @param index from 0; a worker that is started again keeps its index */
  readonly program: (index: number) => WorkerProgram;
  /** From the order to stop to the end of a worker that does not obey. */
  readonly stopWithinMs: number;
  readonly log: Lines;
}

/** A worker that stops alone may be the first to hear of a stop of all: so long the supervisor waits for its own word. */
const STOP_OF_ALL_MS = 250;

interface Place {
  readonly index: number;
  worker: Worker | null;
  failures: number;
  timer: NodeJS.Timeout | null;
}

/**
 * Keeps a number of workers running. An ended worker is restarted with backoff, except at the start: a worker that
 * ends before all have been ready fails the start. On a stop it orders all to stop, and ends with the last.
 */
export class Supervisor {
  /** The exit code: that of the first worker that failed at the start or the stop, else 0. */
  readonly ended: Promise<number>;
  readonly #places: readonly Place[];
  #end: (code: number) => void = () => undefined;
  #hasStarted = false;
  #isStopping = false;
  #code = 0;

  constructor(private readonly options: SupervisorOptions) {
    this.ended = new Promise((end) => {
      this.#end = end;
    });
    this.#places = Array.from({ length: options.count }, (_, index) => ({
      index,
      worker: null,
      failures: 0,
      timer: null,
    }));
    for (const place of this.#places) this.#start(place);
  }

  /** Handles a stop signal: orders all workers to stop; a second one makes them exit immediately. */
  signal(name: string): void {
    const { log } = this.options;
    if (this.#isStopping) {
      log.warn('second stop signal, workers exit at once', { signal: name });
      this.#tellAll({ stop: name });
    } else {
      log.info('stopping workers', { reason: name });
      this.#stop(name);
    }
  }

  /** All workers read the configuration again; one that is started later reads it as it is then. */
  readAgain(): void {
    this.#tellAll('read again');
  }

  #start(place: Place): void {
    const { log, program } = this.options;
    place.timer = null;
    const kind = this.#places.some(({ worker }) => worker?.isReady === true) ? 'replacement' : 'first';
    const worker = new Worker(program(place.index), this.#hasStarted ? kind : 'first', {
      news: (news) => this.#hear(place, news),
      ended: (end) => this.#ended(place, end),
    });
    place.worker = worker;
    log.info('worker started', { worker: place.index, pid: worker.pid });
  }

  #hear({ index, worker }: Place, news: WorkerNews): void {
    const { log, count } = this.options;
    if (news === 'draining') {
      setTimeout(() => {
        if (!this.#isStopping) worker?.tell('leave the port');
      }, STOP_OF_ALL_MS);
      return;
    }
    log.info('worker ready', { worker: index, pid: worker?.pid });
    this.#tellWhenAllServe();
    if (this.#hasStarted || !this.#places.every((place) => place.worker?.isReady)) return;
    this.#hasStarted = true;
    log.info('all workers ready', { workers: count });
  }

  /** A worker that waits to be started again does not listen, so the others need not wait for it. */
  #tellWhenAllServe(): void {
    const waitsFor = this.#hasStarted ? this.#places.filter(({ worker }) => worker !== null) : this.#places;
    if (waitsFor.every(({ worker }) => worker?.isReady === true)) this.#tellAll('all serve');
  }

  #ended(place: Place, end: WorkerEnd): void {
    const { log } = this.options;
    const { code, signal } = end;
    place.worker = null;
    const fields = { worker: place.index, exit_code: code, signal };
    if (this.#isStopping) {
      if (code !== 0) log.warn('worker failed while stopping', fields);
      this.#note(code);
      this.#endWithTheLast();
    } else if (this.#hasStarted) {
      place.failures = failuresAfter(place.failures, end);
      const pauseMs = restartPauseMs(place.failures);
      const text = 'worker ended, starting it again';
      if (code === 0) log.info(text, fields);
      else log.error(text, { ...fields, failures: place.failures, pause_ms: pauseMs });
      place.timer = setTimeout(() => this.#start(place), pauseMs);
      this.#tellWhenAllServe();
    } else {
      log.error('worker ended before all were ready, stopping the others', fields);
      this.#note(code);
      this.#stop('a worker ended');
    }
  }

  #stop(reason: string): void {
    this.#isStopping = true;
    for (const { timer } of this.#places) if (timer !== null) clearTimeout(timer);
    this.#tellAll({ stop: reason });
    setTimeout(() => this.#killAll(), this.options.stopWithinMs).unref();
    this.#endWithTheLast();
  }

  #tellAll(order: Order): void {
    for (const { worker } of this.#places) worker?.tell(order);
  }

  #killAll(): void {
    for (const { index, worker } of this.#places) {
      if (worker === null) continue;
      this.options.log.error('worker did not stop in time, killing it', { worker: index, pid: worker.pid });
      worker.kill();
    }
  }

  #note(code: number): void {
    if (this.#code === 0) this.#code = code;
  }

  #endWithTheLast(): void {
    if (this.#places.every(({ worker }) => worker === null)) this.#end(this.#code);
  }
}
