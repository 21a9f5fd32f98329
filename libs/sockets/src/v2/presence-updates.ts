import type { Outlet } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import type { ErrorCode } from '@carillon/errors';
import { frameError, type PresenceUpdateFrame } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';

/** The size limit of the data in one update. */
const MAX_BYTES = 1024;
const WINDOW_MS = 1000;
/** The limit of channels per connection whose updates are counted at a time. */
const MAX_COUNTED = 1000;

/** Dependencies of {@link PresenceUpdates}. */
export interface PresenceUpdateParts {
  readonly presence: Presence;
  readonly outlet: Outlet;
  /** For one connection and channel. */
  readonly maxPerSecond: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Handles updates of member data on presence channels. */
export class PresenceUpdates {
  /** Rate windows by connection and channel: start of the current second and number of updates in it. */
  readonly #updates = new WeakMap<Connection, Map<string, Window>>();

  constructor(private readonly parts: PresenceUpdateParts) {}

  /** Returns undefined if it was refused synchronously; the promise never rejects. */
  handle(connection: Connection, frame: PresenceUpdateFrame): Promise<void> | undefined {
    const { channel, userInfoText } = frame;
    const userId = connection.subscriptions.get(channel)?.userId ?? null;
    const refusal = this.#refusal(connection, frame, userId);
    if (refusal !== null || userId === null) {
      this.#refuse(connection, channel, refusal ?? 'presence_update_refused');
      return undefined;
    }
    return this.#update(connection, channel, { userId, userInfoText });
  }

  #refusal(
    connection: Connection,
    { channel, userInfoText }: PresenceUpdateFrame,
    userId: string | null,
  ): ErrorCode | null {
    if (userId === null) return 'presence_update_refused';
    if (Buffer.byteLength(userInfoText) > MAX_BYTES) return 'payload_too_large';
    if (!connection.capabilities.allows('presence', channel)) return 'forbidden';
    return this.#isWithin(connection, channel) ? null : 'rate_limited';
  }

  async #update(
    connection: Connection,
    channel: string,
    member: { readonly userId: string; readonly userInfoText: string },
  ): Promise<void> {
    const { presence, onTrouble } = this.parts;
    try {
      const place = { appId: connection.hub.appId, channel, socketId: connection.id };
      if (!(await presence.update({ ...place, ...member }))) {
        this.#refuse(connection, channel, 'presence_update_refused');
      }
    } catch (error) {
      onTrouble('presence update', error);
      this.#refuse(connection, channel, 'service_unavailable');
    }
  }

  #refuse(connection: Connection, channel: string, row: ErrorCode): void {
    this.parts.outlet.error(connection, frameError(row, { channel }));
  }

  #isWithin(connection: Connection, channel: string): boolean {
    const nowMs = performance.now();
    let updates = this.#updates.get(connection);
    if (updates === undefined) this.#updates.set(connection, (updates = new Map()));
    const window = updates.get(channel);
    if (window === undefined || isOver(window, nowMs)) {
      if (updates.size >= MAX_COUNTED) forgetOver(updates, nowMs);
      if (updates.size >= MAX_COUNTED) return false;
      updates.set(channel, { sinceMs: nowMs, count: 1 });
      return true;
    }
    window.count += 1;
    return window.count <= this.parts.maxPerSecond;
  }
}

/** A second of one channel. */
interface Window {
  readonly sinceMs: number;
  count: number;
}

const isOver = ({ sinceMs }: Window, nowMs: number): boolean => nowMs - sinceMs >= WINDOW_MS;

function forgetOver(updates: Map<string, Window>, nowMs: number): void {
  for (const [channel, window] of updates) if (isOver(window, nowMs)) updates.delete(channel);
}
