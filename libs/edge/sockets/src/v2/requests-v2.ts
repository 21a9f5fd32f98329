import type { Outlet } from '@carillon/hub';
import { frameError } from '@carillon/protocol';
import type { Inbound } from '../connection/speech.js';
import type { ConnectionV2 } from './connection-v2.js';
import type { PresenceUpdates } from './presence-updates.js';
import type { Tokens } from './tokens.js';

/** Requests that only protocol 2 has. */
export type RequestV2 = Extract<
  Inbound,
  {
    readonly kind:
      | 'auth'
      | 'channel-history'
      | 'delta-sync-error'
      | 'enable-delta'
      | 'presence-update'
      | 'resume';
  }
>;

/** What requests of protocol 2 are handed to. */
export interface RequestsV2Parts {
  readonly outlet: Outlet;
  readonly tokens: Tokens;
  readonly presenceUpdates: PresenceUpdates;
}

/** Answers what only clients of protocol 2 ask. */
export class RequestsV2 {
  constructor(private readonly parts: RequestsV2Parts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  handle(connection: ConnectionV2, frame: RequestV2): Promise<void> | undefined {
    const { outlet, tokens, presenceUpdates } = this.parts;
    switch (frame.kind) {
      case 'auth':
        return tokens.refresh(connection, frame);
      case 'presence-update':
        return presenceUpdates.handle(connection, frame);
      case 'enable-delta':
        outlet.send(connection, { kind: 'delta_settled', channel: null, algorithm: null });
        return undefined;
      case 'delta-sync-error':
        return undefined;
      case 'resume':
        outlet.error(
          connection,
          frameError('client_event_refused', { message: 'Recovery is not served here' }),
        );
        return undefined;
      case 'channel-history':
      default:
        outlet.error(
          connection,
          frameError('channel_refused', { channel: frame.channel, message: 'History is not served here' }),
        );
        return undefined;
    }
  }
}

const KINDS: ReadonlySet<string> = new Set<RequestV2['kind']>([
  'auth',
  'channel-history',
  'delta-sync-error',
  'enable-delta',
  'presence-update',
  'resume',
]);

/** Whether only protocol 2 has such a request. */
export const isRequestV2 = (frame: Inbound): frame is RequestV2 => KINDS.has(frame.kind);

/** What requests of one connection about one thing wait for each other under. */
export const subjectOfV2 = (frame: RequestV2): string => ('channel' in frame ? frame.channel : '');
