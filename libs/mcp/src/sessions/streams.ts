import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { EventStream } from '@carillon/uws';
import type { Owner, Session, Sessions } from './sessions.js';

export const PING_MS = 15_000;
const LEASE_MS = 30_000;
const LONGEST_MS = 3_600_000;
const MAX_STREAMS = 1000;

const LIST_CHANGED = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;

interface Open {
  session: Session;
  readonly stream: EventStream;
  readonly lease: string;
  readonly openedMs: number;
}

export interface StreamsParts {
  readonly cache: Cache;
  readonly sessions: Sessions;
  /** Whether its principal is still known by the same token. */
  readonly isKnown: (owner: Owner) => boolean;
  readonly pingMs?: number;
  readonly nowMs?: () => number;
}

/**
 * The open event streams of this process, one a session over all processes. Each is pinged, which renews its session
 * and its lease; one whose session or principal is gone is closed then at the latest.
 */
export class Streams {
  readonly #open = new Map<string, Open>();
  readonly #nowMs: () => number;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(private readonly parts: StreamsParts) {
    this.#nowMs = parts.nowMs ?? Date.now;
  }

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_STREAMS;
  }

  /** Acquires the exclusive right to stream to a session; null: another stream has it. */
  async lease({ hash }: Session): Promise<string | null> {
    const lease = randomUUID();
    const taken = await this.parts.cache.setIfAbsent(cacheKeys.mcpStream(hash), lease, LEASE_MS);
    return taken ? lease : null;
  }

  async release({ hash }: Session, lease: string): Promise<void> {
    await this.parts.cache.compareAndRemove(cacheKeys.mcpStream(hash), lease).catch(() => false);
  }

  /** A stream whose lease expired during a cache outage is replaced by the new one, and ends. */
  add(session: Session, lease: string, stream: EventStream): void {
    const open = { session, stream, lease, openedMs: this.#nowMs() };
    this.end(session.hash);
    if (this.#isOver) return this.#close(open);
    this.#open.set(session.hash, open);
    stream.onGone = () => void this.#forget(open);
    stream.write(': ping\n\n');
    this.#timer ??= setInterval(() => void this.ping(), this.parts.pingMs ?? PING_MS).unref();
  }

  /** Ends the stream of a session, if it is here. */
  end(hash: string): void {
    const open = this.#open.get(hash);
    if (open !== undefined) this.#close(open);
  }

  /** For good: one that was on its way to be opened ends at once. */
  endAll(): void {
    this.#isOver = true;
    for (const open of this.#open.values()) this.#close(open);
  }

  /** Notifies the sessions whose list of tools is another one now. */
  listChanged(hasChanged: (session: Session) => boolean): void {
    for (const { session, stream } of this.#open.values())
      if (hasChanged(session)) stream.write(LIST_CHANGED);
  }

  /** Notifies a session of the toolsets that it has now. A stream at another process notices them with its next ping. */
  toolsetsChanged(hash: string, toolsets: readonly string[]): void {
    const open = this.#open.get(hash);
    if (open === undefined || open.session.toolsets.length === toolsets.length) return;
    open.session = { ...open.session, toolsets };
    open.stream.write(LIST_CHANGED);
  }

  /** Ends the streams of removed principals. */
  dropUnknown(): void {
    for (const open of this.#open.values()) if (!this.parts.isKnown(open.session)) this.#close(open);
  }

  async ping(): Promise<void> {
    await Promise.all([...this.#open.values()].map((open) => this.#ping(open)));
  }

  async #ping(open: Open): Promise<void> {
    const { session, stream, lease, openedMs } = open;
    const isOver = this.#nowMs() - openedMs >= LONGEST_MS || !this.parts.isKnown(session);
    if (isOver || !(await this.#renew(session, lease))) this.#close(open);
    else stream.write(': ping\n\n');
  }

  /** During a cache outage the state of the session is unknown: the stream continues. */
  async #renew(session: Session, lease: string): Promise<boolean> {
    try {
      const name = cacheKeys.mcpStream(session.hash);
      const kept = await this.parts.sessions.keep(session);
      if (kept === null) return false;
      this.toolsetsChanged(session.hash, kept.toolsets);
      const renewed = await this.parts.cache.compareAndSwap(name, lease, lease, LEASE_MS);
      return renewed || (await this.parts.cache.setIfAbsent(name, lease, LEASE_MS));
    } catch {
      return true;
    }
  }

  #close(open: Open): void {
    open.stream.end();
    void this.#forget(open);
  }

  #forget(open: Open): Promise<void> {
    if (this.#open.get(open.session.hash) === open) this.#open.delete(open.session.hash);
    if (this.#open.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    return this.release(open.session, open.lease);
  }
}
