import type { Channels, OrdinaryChannel } from '@carillon/channels';
import type { Codec, Outlet, Resumes } from '@carillon/realtime';
import { frameError, type ResumeFrame } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { OwnRequest } from '../connection/speech.js';
import type { ChannelHistories } from './channel-history.js';
import type { DeltaRequests } from './delta/delta-requests.js';
import type { PresenceUpdates } from './presence-updates.js';
import type { Summaries } from './summaries.js';
import type { Tokens } from './tokens.js';
import type { Viewer } from './views.js';

/** Dependencies of {@link RequestsV2}. */
export interface RequestsV2Parts {
  readonly outlet: Outlet;
  readonly tokens: Tokens;
  readonly presenceUpdates: PresenceUpdates;
  readonly summaries: Summaries;
  readonly channels: Pick<Channels, 'recovery'>;
  readonly histories: ChannelHistories;
  readonly resumes: Pick<Resumes, 'resume'>;
  readonly deltas: DeltaRequests;
}

/** Handles requests that only protocol 2 has. */
export class RequestsV2 {
  constructor(private readonly parts: RequestsV2Parts) {}

  get deltas(): DeltaRequests {
    return this.parts.deltas;
  }

  /**
   * Returns a function that sends what precedes live events of a channel, or undefined if there is nothing to send.
   * The promise never rejects.
   */
  beforeLive(
    connection: Connection,
    channel: OrdinaryChannel,
    codec: Codec,
  ): (() => Promise<void>) | undefined {
    const { summaries } = this.parts;
    return summaries.has(channel) ? () => summaries.show(connection, channel, codec) : undefined;
  }

  /** Returns undefined if it completed synchronously; the promise never rejects. */
  handle(connection: Viewer, frame: OwnRequest): Promise<void> | undefined {
    const { tokens, presenceUpdates, deltas } = this.parts;
    switch (frame.kind) {
      case 'auth':
        return tokens.refresh(connection, frame);
      case 'presence-update':
        return presenceUpdates.handle(connection, frame);
      case 'enable-delta':
        deltas.enable(connection, frame);
        return undefined;
      case 'delta-sync-error':
        deltas.syncError(connection, frame);
        return undefined;
      case 'resume':
        return this.#resume(connection, frame);
      case 'channel-history':
      default:
        return this.parts.histories.handle(connection, frame);
    }
  }

  #resume(connection: Viewer, { positions }: ResumeFrame): Promise<void> | undefined {
    const { outlet, channels, resumes } = this.parts;
    if (channels.recovery(connection.hub.app).enabled) return resumes.resume(connection, positions);
    outlet.error(
      connection,
      frameError('client_event_refused', { message: 'Recovery is not enabled for this app' }),
    );
    return undefined;
  }
}
