import { setMaxListeners } from 'node:events';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ProcessState } from '../process-state.js';
import { bounded, pause } from '../time.js';
import { shutdownPlan, type ShutdownOptions, type ShutdownPhase, type ShutdownPlan } from './plan.js';

/** Context of the work of a phase. */
export interface ShutdownContext {
  /** Aborted at the time limit: release resources and return. */
  readonly signal: AbortSignal;
  /** Time limit of this work. */
  readonly boundMs: number;
  /** In `close`: the time over which sockets are to be closed; 0 closes all at once. */
  readonly closingMs: number;
}

export type ShutdownWork = (context: ShutdownContext) => Promise<void> | void;

export interface WorkOptions {
  /** `queue`: bounded by the queue's shutdown timeout instead of the phase's own, for workers that hold leased jobs. */
  readonly bound?: 'phase' | 'queue';
}

export interface ShutdownDependencies {
  readonly process: ProcessState;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Writes out the log; runs right before the exit. */
  readonly flushLog: () => void;
  /** Absent: ends the process. */
  readonly exit?: (code: number) => void;
}

interface Registered {
  readonly name: string;
  readonly work: ShutdownWork;
  readonly boundMs: number;
}

/**
 * Stops a process in phases: the work of one phase runs side by side, each piece bounded, and the next phase begins
 * when all of it has ended or run out of time. Exit 0 when everything ended, 1 when some work had to be left.
 */
export class Shutdown {
  readonly plan: ShutdownPlan;
  readonly #registered = new Map<ShutdownPhase, Registered[]>();
  readonly #unfinished = new Set<string>();
  readonly #draining: { set(value: number): void };
  #stopping: Promise<void> | null = null;
  /** Senders of signals. */
  readonly #senders = new Set<'system' | 'supervisor'>();
  #exited = false;
  #phase: ShutdownPhase | null = null;

  constructor(
    private readonly options: ShutdownOptions,
    private readonly dependencies: ShutdownDependencies,
  ) {
    this.plan = shutdownPlan(options);
    this.#draining = dependencies.metrics.gauge('draining').for();
  }

  /** The phase that is running; null before the first signal. */
  get phase(): ShutdownPhase | null {
    return this.#phase;
  }

  /** Adds work to a phase; `name` identifies it in logs. Work added to a phase that has begun does not run. */
  onShutdown(
    phase: ShutdownPhase,
    name: string,
    work: ShutdownWork,
    { bound = 'phase' }: WorkOptions = {},
  ): void {
    const registered = this.#registered.get(phase) ?? [];
    if (registered.some((one) => one.name === name)) throw new Error(`${phase}: ${name} is registered twice`);
    const ofPhase = this.plan.boundMs[phase];
    const boundMs = bound === 'queue' ? Math.max(ofPhase, this.options.queue_shutdown_timeout_ms) : ofPhase;
    this.#registered.set(phase, [...registered, { name, work, boundMs }]);
  }

  /**
   * Handles a stop signal: the first starts the stop, a second one of the same sender exits with 1 immediately. A
   * terminal or a service manager may signal a worker besides its supervisor: that counts as one request.
   */
  signal(name: string, sender: 'system' | 'supervisor' = 'system'): void {
    const isSecond = this.#stopping !== null && (this.#senders.size === 0 || this.#senders.has(sender));
    this.#senders.add(sender);
    if (!isSecond) {
      void this.stop(name);
      return;
    }
    this.dependencies.log.warn('second stop signal, exiting at once', {
      signal: name,
      unfinished: this.#unfinished.size,
    });
    this.#exit(1);
  }

  /** Runs the stop; resolves when the exit was requested. Never rejects; a second call shares the first. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  /**
   * Runs the work of all phases without pauses and without an exit: ends parts composed by a test. Never rejects;
   * failed or late work is logged.
   */
  async close(): Promise<void> {
    this.dependencies.process.advance('DRAINING');
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    for (const phase of this.plan.phases) {
      await Promise.all((this.#registered.get(phase) ?? []).map((one) => this.#run(phase, one, signal)));
    }
    this.dependencies.process.advance('STOPPED');
  }

  async #stop(reason: string): Promise<void> {
    const { process, log } = this.dependencies;
    process.advance('DRAINING');
    this.#draining.set(1);
    log.info('stopping', { reason, drain_ms: this.plan.drainMs, budget_ms: this.plan.totalMs });
    const outcome = await bounded(this.plan.totalMs, (signal) => this.#runPhases(signal));
    if (outcome.kind === 'failed') log.error('stop failed', { error: outcome.error });
    process.advance('STOPPED');
    if (this.#unfinished.size > 0) {
      log.warn('exiting with unfinished work', {
        unfinished: this.#unfinished.size,
        work: [...this.#unfinished],
      });
    } else log.info('stopped');
    this.#exit(outcome.kind === 'done' && this.#unfinished.size === 0 ? 0 : 1);
  }

  async #runPhases(signal: AbortSignal): Promise<void> {
    // All work of a phase listens to it; Node takes more than ten for a leak.
    setMaxListeners(0, signal);
    for (const phase of this.plan.phases) {
      if (signal.aborted) return;
      this.#phase = phase;
      const work = (this.#registered.get(phase) ?? []).map((one) => this.#run(phase, one, signal));
      if (phase === 'drain') work.push(pause(this.plan.drainMs, signal));
      await Promise.all(work);
    }
  }

  async #run(phase: ShutdownPhase, { name, work, boundMs }: Registered, budget: AbortSignal): Promise<void> {
    const { log } = this.dependencies;
    const label = `${phase}: ${name}`;
    this.#unfinished.add(label);
    const outcome = await bounded(
      boundMs,
      async (signal) => {
        try {
          await work({ signal, boundMs, closingMs: this.plan.closingMs });
        } finally {
          // Work that ends after its time is late, not lost.
          this.#unfinished.delete(label);
        }
      },
      budget,
    );
    if (outcome.kind === 'failed') log.warn(`${label} failed while stopping`, { error: outcome.error });
    if (outcome.kind === 'timeout')
      log.warn(`${label} did not end in time while stopping`, { bound_ms: boundMs });
  }

  #exit(code: number): void {
    if (this.#exited) return;
    this.#exited = true;
    this.dependencies.flushLog();
    (this.dependencies.exit ?? ((exitCode: number) => process.exit(exitCode)))(code);
  }
}

/** Makes SIGTERM and SIGINT stop the process. Returns how to let go of the signals. */
export function stopOnSignals(shutdown: Shutdown): () => void {
  const onSignal = (name: NodeJS.Signals): void => shutdown.signal(name);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  };
}
