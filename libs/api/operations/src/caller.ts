import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { ActingSocket } from '@carillon/broker';
import type { Capabilities, Operation as Capability } from '@carillon/auth';

/** What a caller may be allowed; the first are those of capabilities, the others only whole keys have. */
export type Right = Capability | 'channel-metadata' | 'admin';

/** Who asks for an operation, already proved by the face that it came through. */
export interface Caller {
  readonly app: App;
  /** The face, as metrics tell them apart: `http_api`, `mcp`, … */
  readonly via: string;
  /** Put before what it says of itself in the log of operators; null: the app's own servers, which say it themselves. */
  readonly name: string | null;
  /** Who its messages are from; null: a server. */
  readonly userId: string | null;
  /** It names channels by rules of its own, and has judged the name. Absent: those of the service hold. */
  readonly judgesNames?: true;
  /** It sets headers of extras that only the service may set. Absent: they are dropped. */
  readonly setsHeaders?: true;
  /** What it does is counted elsewhere than in the windows of requests. Absent: there. */
  readonly isCounted?: true;
  /** The connection by which it changes messages, and which decides whether it is told of that itself. Absent: none. */
  readonly connectionId?: string;
  /**
   * Returns the identity and the rights that it changes messages of a channel with; connections that a request names are
   * ignored. Absent: a request may name a connection.
   */
  readonly actsAs?: (channel: string) => ActingSocket;
  /**
   * Returns when the caller may do this on the channel (null: on the app).
   *
   * @throws ServiceError with what it is told when it may not.
   */
  require(right: Right, channel: string | null): void;
}

const everything = (): void => undefined;

/** The holder of an app's key and secret, who may do everything. */
export const keyHolder = (app: App, via: string, name: string | null = null): Caller => ({
  app,
  via,
  name,
  userId: null,
  require: everything,
});

/** The holder of a token, who may do what its capabilities grant and nothing of the app as a whole. */
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
