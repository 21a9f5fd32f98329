import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { ActingSocket } from '@carillon/broker';
import type { Capabilities, Operation as Capability } from '@carillon/auth';

/** Rights of a caller; the first are capabilities, the others require a whole key. */
export type Right = Capability | 'channel-metadata' | 'admin';

/** Caller of an operation, authenticated by the transport. */
export interface Caller {
  readonly app: App;
  /** Transport, as labelled in metrics: `http_api`, `mcp`, … */
  readonly via: string;
  /** Prefix of its name in the operator log; null: the app's own servers, which name themselves. */
  readonly name: string | null;
  /** Author of its messages; null: a server. */
  readonly userId: string | null;
  /** It names channels by rules of its own, and has judged the name. Absent: those of the service hold. */
  readonly judgesNames?: true;
  /** It sets headers of extras that only the service may set. Absent: they are dropped. */
  readonly setsHeaders?: true;
  /** Counted elsewhere than in the request windows. Absent: counted there. */
  readonly isCounted?: true;
  /** How long the keys of its publishes are remembered, also in an app that ignores keys. Absent: as the app says. */
  readonly keyTtlMs?: number;
  /** Connection by which it changes messages; decides whether that connection receives them. Absent: none. */
  readonly connectionId?: string;
  /**
   * Returns the identity and the rights that it changes messages of a channel with; connections that a request names are
   * ignored. Absent: a request may name a connection.
   */
  readonly actsAs?: (channel: string) => ActingSocket;
  /**
   * Returns if the caller has the right on the channel (null: on the app).
   * @throws ServiceError with the refusal
   */
  require(right: Right, channel: string | null): void;
}

const everything = (): void => undefined;

/** Caller with an app's key and secret: has all rights. */
export const keyHolder = (app: App, via: string, name: string | null = null): Caller => ({
  app,
  via,
  name,
  userId: null,
  require: everything,
});

/** Caller with a token: has the rights of its capabilities, and none on the app. */
export const tokenHolder = (
  app: App,
  via: string,
  { capabilities, userId }: { readonly capabilities: Capabilities; readonly userId: string | null },
): Caller => ({
  app,
  via,
  name: null,
  userId,
  require: (right, channel) => {
    const isGranted =
      channel !== null &&
      right !== 'admin' &&
      right !== 'channel-metadata' &&
      capabilities.allows(right, channel);
    if (!isGranted) throw new ServiceError('forbidden', { text: `capability ${right} is missing` });
  },
});
