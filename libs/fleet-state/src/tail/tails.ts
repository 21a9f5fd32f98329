import { randomBytes } from 'node:crypto';
import type { Json } from '@carillon/contracts';
import type { FleetBus, Observation } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';
import { RENEW_MS, type TailStart, type TailTarget } from './options.js';
import { TailReader, type TailSink } from './reader.js';
import { TailSession, type TailEnd } from './tail-session.js';
import { TAIL_TRACES, type TailTraces } from './trace.js';

/** What an operator asks for. */
export interface TailRequest {
  readonly principal: string;
  readonly app_id: string;
  readonly target: TailTarget;
  readonly sample: number;
  readonly max_events_per_second: number;
  readonly payload: 'full' | 'none';
  readonly max_data_bytes: number;
  readonly seconds: number;
}

/** What ends a tail before its time. */
export interface TailGuards {
  /** Checked every 5 s. Must not reject. */
  isAuthorized(): Promise<boolean>;
  /** Whether the app exists. Checked every 5 s. Must not reject. */
  appExists(): Promise<boolean>;
  /** Called once, after the end. */
  ended(reason: TailEnd | 'closed'): void;
}

export interface TailsParts {
  readonly bus: FleetBus;
  readonly metrics: Pick<Metrics, 'counter' | 'gauge'>;
  readonly limits: () => { readonly max_per_principal: number; readonly max_per_node: number };
  readonly startWithinMs: () => number;
}

/** A tail that was prepared and whose reader is not connected yet. */
export interface OpenTail {
  /** Writes `open` and everything after it. Returns the functions that the reader's stream calls. */
  read(sink: TailSink): { readonly drained: () => void; readonly gone: () => void };
  /** Gives the tail up before it was read. */
  abandon(): void;
}

interface Running {
  readonly request: TailRequest;
  readonly start: TailStart;
  readonly guards: TailGuards;
  session: TailSession | null;
  observation: Observation | null;
  timers: NodeJS.Timeout[];
  /** Messages left out before the reader was connected. */
  left: number;
}

const SECOND_MS = 1000;

/** The tails of this process: starts them on all gateways, renews them, and hands their traces to readers. */
export class Tails {
  readonly #running = new Map<string, Running>();
  readonly #ends: readonly (() => void)[];

  constructor(private readonly parts: TailsParts) {
    const { bus } = parts;
    this.#ends = [
      bus.onNotice('tail_traces', (nodeId, body) => this.#received(nodeId, body)),
      bus.onGone((nodeId) => {
        for (const { session } of this.#running.values()) session?.gone(nodeId);
      }),
    ];
  }

  /** Starts a tail on all gateways. Null: the principal or this process has too many. */
  async open(request: TailRequest, guards: TailGuards): Promise<OpenTail | null> {
    if (this.#isFull(request.principal)) return null;
    const { bus, startWithinMs } = this.parts;
    const { principal: _principal, seconds, ...options } = request;
    const start: TailStart = {
      tail_id: `t_${randomBytes(12).toString('hex')}`,
      ...options,
      reply_to: bus.nodeId,
    };
    const running: Running = {
      request,
      start,
      guards,
      session: null,
      observation: null,
      timers: [],
      left: 0,
    };
    this.#running.set(start.tail_id, running);
    this.#show();
    const waiting: Parameters<TailSession['accepted']>[0][] = [];
    running.observation = this.#observe(running, waiting);
    const { answers, missing } = await bus.ask('manage_tail_start', start, startWithinMs());
    await running.observation?.ready.catch(() => undefined);
    const nodes = [...answers].filter(([, answer]) => answer === true).map(([nodeId]) => nodeId);
    return {
      read: (sink) => {
        const reader = new TailReader(sink);
        const expiresAtMs = Date.now() + seconds * SECOND_MS;
        const covers = { nodes: nodes.toSorted(), missing, expiresAtMs };
        running.session = new TailSession(start, reader, this.parts.metrics, covers);
        for (const observed of waiting.splice(0)) running.session.accepted(observed);
        running.session.left(running.left);
        this.#schedule(running);
        return { drained: () => reader.drained(), gone: () => this.#end(running, null) };
      },
      abandon: () => this.#end(running, null),
    };
  }

  /** Ends every tail: the process stops. */
  stop(): void {
    for (const running of this.#running.values()) this.#end(running, 'draining');
    for (const end of this.#ends) end();
  }

  #isFull(principal: string): boolean {
    const { max_per_principal: perPrincipal, max_per_node: perNode } = this.parts.limits();
    const own = [...this.#running.values()].filter(({ request }) => request.principal === principal);
    return this.#running.size >= perNode || own.length >= perPrincipal;
  }

  /** Accepted messages are observed here, in one place, unless the tail is of connections. */
  #observe(running: Running, waiting: Parameters<TailSession['accepted']>[0][]): Observation | null {
    const { target, app_id: appId, max_events_per_second: most } = running.start;
    if (target.user_id !== undefined || target.socket_id !== undefined) return null;
    return this.parts.bus.observe(appId, target.channel ?? null, (observed) => {
      if (running.session !== null) running.session.accepted(observed);
      // Until the reader is connected no more than a second's worth is kept.
      else if (waiting.length < most) waiting.push(observed);
      else running.left += 1;
    });
  }

  #schedule(running: Running): void {
    const { seconds } = running.request;
    const renew = setInterval(() => void this.#renew(running), RENEW_MS);
    const over = setTimeout(() => this.#end(running, 'time'), seconds * SECOND_MS);
    running.timers = [renew.unref(), over.unref()];
  }

  async #renew(running: Running): Promise<void> {
    const { bus, startWithinMs } = this.parts;
    const { guards, start, session } = running;
    const [isAuthorized, appExists] = await Promise.all([guards.isAuthorized(), guards.appExists()]);
    if (!this.#running.has(start.tail_id)) return;
    if (!isAuthorized) return this.#end(running, 'session_ended');
    if (!appExists) return this.#end(running, 'app_deleted');
    // The request renews the tail, and reaches nodes that joined since. This node may have another name by now.
    const renewal = { ...start, reply_to: bus.nodeId } as Json;
    const { answers, missing } = await bus.ask('manage_tail_start', renewal, startWithinMs());
    for (const nodeId of answers.keys()) session?.answered(nodeId);
    if (this.#running.has(start.tail_id)) session?.missing(missing);
  }

  #received(nodeId: string, body: Json): void {
    if (TAIL_TRACES(body) !== null) return;
    const traces = body as unknown as TailTraces;
    this.#running.get(traces.tail_id)?.session?.received(nodeId, traces);
  }

  #end(running: Running, reason: TailEnd | null): void {
    const { start, session, observation, guards } = running;
    if (!this.#running.delete(start.tail_id)) return;
    for (const timer of running.timers) clearTimeout(timer);
    observation?.end();
    this.parts.bus.notify('tail_stop', { tail_id: start.tail_id });
    session?.end(reason);
    this.#show();
    guards.ended(reason ?? 'closed');
  }

  #show(): void {
    this.parts.metrics.gauge('management_tails').for().set(this.#running.size);
  }
}
