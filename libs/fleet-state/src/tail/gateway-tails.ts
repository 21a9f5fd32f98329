import type { Json } from '@carillon/contracts';
import type { FleetBus } from '@carillon/broker';
import type { Hubs } from '@carillon/realtime';
import { AppTails } from './app-tails.js';
import { NodeTail } from './node-tail.js';
import { RENEW_MS, TAIL_START, TAIL_STOP, type TailStart } from './options.js';

/** Tails of one node, of all observers; further ones are refused. */
const MAX_TAILS = 1024;

/** The tails that this gateway feeds. Without any, nothing of the hub is tapped. */
export class GatewayTails {
  readonly #tails = new Map<string, NodeTail>();
  readonly #apps = new Map<string, AppTails>();
  readonly #ends: readonly (() => void)[];
  #sweep: NodeJS.Timeout | null = null;

  constructor(
    private readonly bus: Pick<FleetBus, 'notify' | 'onGone' | 'onNotice'>,
    private readonly hubs: Hubs,
  ) {
    this.#ends = [
      bus.onNotice('tail_start', (_, body) => this.#renewed(body)),
      bus.onNotice('tail_stop', (_, body) => this.#stopped(body)),
      bus.onGone((nodeId) => this.#observerGone(nodeId)),
    ];
  }

  /** Number of tails. */
  get size(): number {
    return this.#tails.size;
  }

  /** Starts a tail or renews it. False: too many tails. */
  start(options: TailStart): boolean {
    const known = this.#tails.get(options.tail_id);
    if (known !== undefined) {
      known.renew(options);
      return true;
    }
    if (this.#tails.size >= MAX_TAILS) return false;
    const tail = new NodeTail(options, (observer, body) => this.bus.notify('tail_traces', body, observer));
    this.#tails.set(options.tail_id, tail);
    const app = this.#apps.get(options.app_id) ?? this.#tap(options.app_id);
    app.tails.add(tail);
    this.#sweep ??= setInterval(() => this.#forgetOverdue(), RENEW_MS).unref();
    return true;
  }

  stop(): void {
    for (const end of this.#ends) end();
    for (const tail of this.#tails.values()) this.#end(tail);
  }

  /** A renewal that is news here comes from an observer whose start this node missed: it learns of this node. */
  #renewed(body: Json): void {
    if (TAIL_START(body) !== null) return;
    const options = body as TailStart;
    const isNew = !this.#tails.has(options.tail_id);
    if (this.start(options) && isNew) this.#tails.get(options.tail_id)?.flush(true);
  }

  #stopped(body: Json): void {
    if (TAIL_STOP(body) !== null) return;
    const tail = this.#tails.get((body as { readonly tail_id: string }).tail_id);
    if (tail !== undefined) this.#end(tail);
  }

  #observerGone(nodeId: string): void {
    for (const tail of this.#tails.values()) if (tail.options.reply_to === nodeId) this.#end(tail);
  }

  #forgetOverdue(): void {
    for (const tail of this.#tails.values()) if (tail.isOverdue) this.#end(tail);
  }

  #end(tail: NodeTail): void {
    const { tail_id, app_id } = tail.options;
    tail.end();
    this.#tails.delete(tail_id);
    const app = this.#apps.get(app_id);
    app?.tails.delete(tail);
    if (app?.tails.size === 0) this.#untap(app_id);
    if (this.#tails.size > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }

  #tap(appId: string): AppTails {
    const app = new AppTails();
    this.#apps.set(appId, app);
    this.hubs.tapOf = (one) => this.#apps.get(one) ?? null;
    const hub = this.hubs.find(appId);
    if (hub !== null) hub.tap = app;
    return app;
  }

  #untap(appId: string): void {
    this.#apps.delete(appId);
    const hub = this.hubs.find(appId);
    if (hub !== null) hub.tap = null;
    if (this.#apps.size === 0) this.hubs.tapOf = null;
  }
}
