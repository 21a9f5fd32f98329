import type { Hub, LocalChannel } from '@carillon/realtime';
import type { StreamPosition } from '../frames/frame-info.js';
import type { StreamPositions } from '../position/stream-positions.js';
import type { StreamConnection } from '../transport/stream-connection.js';

/** Follows channels of which a stream gets no message: by filters, or because it sent them itself. */
export class Followed {
  constructor(
    readonly connection: StreamConnection,
    private readonly channels: readonly string[],
    private readonly positions: StreamPositions,
    private readonly hub: Pick<Hub, 'replays'>,
  ) {}

  /** Whether a channel has advanced since the last id by half of the recovery window. */
  isFarAhead(): boolean {
    return this.channels.some((name) => {
      const channel = this.#channel(name);
      if (channel === null) return false;
      const here = this.hub.replays.delivered(channel);
      const window = channel.about.policy.recovery.maxCount;
      return here !== null && this.positions.distance(name, here) >= Math.max(1, Math.floor(window / 2));
    });
  }

  /** Advances to the current positions of channels whose messages were all sent to the stream. */
  advance(): void {
    for (const name of this.channels) {
      const channel = this.#channel(name);
      const here = channel === null ? null : this.#sent(channel);
      if (here !== null) this.positions.advance(name, here);
    }
  }

  /** Null: something waits to be sent. */
  #sent(channel: LocalChannel): StreamPosition | null {
    const { connection } = this;
    const here = this.hub.replays.here(channel);
    const { view } = connection.subscriptions.get(channel.name)?.audience.codec ?? {};
    return connection.lane === null && channel.untold(connection, view).length === 0 ? here : null;
  }

  /** Null: the stream is no longer subscribed to the channel. */
  #channel(name: string): LocalChannel | null {
    return this.connection.subscriptions.get(name)?.channel ?? null;
  }
}
