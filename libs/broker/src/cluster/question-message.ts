import type { Request, RequestBody, ResponseBody, TokenRevoked, TokenRevokedBody } from '@carillon/contracts';
import type {
  ActingSocket,
  Answer,
  ChannelOccupancy,
  Membership,
  Question,
  RevokedTokens,
  SessionAnswer,
  SessionRequest,
} from '../question.js';

type Kind = keyof Question;
type Asked = Pick<
  RequestBody,
  'channel' | 'channels' | 'comet' | 'frames' | 'key_hash' | 'prefix' | 'session' | 'socket_id' | 'user_id'
> &
  Pick<TokenRevokedBody, 'jti' | 'client_id'>;
type Answered = Pick<
  ResponseBody,
  | 'acting'
  | 'channels_with_sockets_count'
  | 'comet'
  | 'http_answer'
  | 'memberships'
  | 'occupancy'
  | 'sockets_count'
>;

/** Encoding of one kind of request and its answer. Decoders return undefined if a member is missing. */
interface Writing<K extends Kind> {
  ask(about: Question[K]): Asked;
  asked(request: Asked): Question[K] | undefined;
  /** Encodes an answer in as many parts as `maxBytes` requires. */
  answer(answer: Answer[K], maxBytes: number): readonly Answered[];
  answered(response: Answered): Answer[K] | undefined;
  /** Whether one node at most has an answer: the request ends with it. Absent: all nodes are awaited. */
  readonly isFound?: (answer: Answer[K]) => boolean;
  /** Whether the request only reads: a quick partial answer is preferred to a late complete one. */
  readonly isQuick: boolean;
}

const count = {
  answer: (sockets_count: number) => [{ sockets_count }],
  answered: ({ sockets_count }: Answered) => sockets_count,
};

/** Bytes that a name takes beyond itself when it is written with its count. */
const ENTRY_BYTES = 24;

/** Divides entries into at least one part, each with at least one entry and at most the size limit. */
function inParts<Entry>(
  entries: Iterable<Entry>,
  maxBytes: number,
  bytesOf: (entry: Entry) => number,
): readonly (readonly Entry[])[] {
  const parts: Entry[][] = [[]];
  let bytes = 0;
  for (const entry of entries) {
    const more = bytesOf(entry);
    if (bytes + more > maxBytes && bytes > 0) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(entry);
    bytes += more;
  }
  return parts;
}

const counts = {
  answer: (all: ReadonlyMap<string, number>, maxBytes: number) =>
    inParts(all, maxBytes, ([name]) => Buffer.byteLength(JSON.stringify(name)) + ENTRY_BYTES).map((part) => ({
      channels_with_sockets_count: Object.fromEntries(part),
    })),
  answered: ({ channels_with_sockets_count: all }: Answered) =>
    all === undefined ? undefined : new Map(Object.entries(all)),
};

const user = {
  ask: ({ userId }: { readonly userId: string }): Asked => ({ user_id: userId }),
  asked: ({ user_id }: Asked) => (user_id === undefined ? undefined : { userId: user_id }),
};

const tokens = {
  ask: ({ jti, clientId }: RevokedTokens): Asked => ({
    ...(jti === null ? {} : { jti }),
    ...(clientId === null ? {} : { client_id: clientId }),
  }),
  asked: ({ jti, client_id }: Asked): RevokedTokens | undefined =>
    jti === undefined && client_id === undefined
      ? undefined
      : { jti: jti ?? null, clientId: client_id ?? null },
};

const session: Writing<'stream_end'> & Writing<'stream_frames'> = {
  ask: ({ session: id, secretHash, frames }: SessionRequest): Asked => ({
    session: id,
    key_hash: secretHash,
    ...(frames === null ? {} : { frames }),
  }),
  asked: ({ session: id, key_hash: secretHash, frames }: Asked): SessionRequest | undefined =>
    id === undefined || secretHash === undefined
      ? undefined
      : { session: id, secretHash, frames: frames ?? null },
  answer: (answer: SessionAnswer | null) => [answer === null ? {} : { http_answer: answer }],
  answered: ({ http_answer: answer }: Answered) => answer ?? null,
  isQuick: false,
};

const WRITINGS: { readonly [K in Kind]: Writing<K> } = {
  channels_with_sockets_count: {
    ask: ({ prefix }) => (prefix === '' ? {} : { prefix }),
    asked: ({ prefix = '' }) => ({ prefix }),
    isQuick: true,
    ...counts,
  },
  batch_channel_sockets_count: {
    ask: ({ channels }) => ({ channels }),
    asked: ({ channels }) => (channels === undefined ? undefined : { channels }),
    isQuick: true,
    ...counts,
  },
  sockets_count: { ask: () => ({}), asked: () => null, isQuick: true, ...count },
  meta_watched: {
    ask: ({ channels }) => ({ channels }),
    asked: ({ channels }) => (channels === undefined ? undefined : { channels }),
    isQuick: true,
    ...count,
  },
  terminate_user: { isQuick: false, ...user, ...count },
  force_reconnect: { isQuick: false, ...user, ...count },
  token_revoked: { isQuick: false, ...tokens, ...count },
  acting_socket: {
    ask: ({ socketId, channel }) => ({ socket_id: socketId, channel }),
    asked: ({ socket_id: socketId, channel }) =>
      socketId === undefined || channel === undefined ? undefined : { socketId, channel },
    answer: (acting) => [acting === null ? {} : { acting: actingField(acting) }],
    answered: ({ acting }) =>
      acting === undefined
        ? null
        : {
            protocol: acting.protocol === 1 ? 1 : 2,
            clientId: acting.client_id ?? null,
            hasToken: acting.token,
            rights: acting.rights,
          },
    isQuick: false,
  },
  stream_frames: session,
  stream_end: session,
  channel_occupancy: {
    ask: ({ channel }) => ({ channel }),
    asked: ({ channel }) => (channel === undefined ? undefined : { channel }),
    answer: (occupancy) => [{ occupancy: occupancyField(occupancy) }],
    answered: ({ occupancy }) => (occupancy === undefined ? undefined : occupancyOf(occupancy)),
    isQuick: true,
  },
  connection_taken: {
    ask: ({ socketId, keyHash }) => ({ socket_id: socketId, key_hash: keyHash }),
    asked: ({ socket_id: socketId, key_hash: keyHash }) =>
      socketId === undefined || keyHash === undefined ? undefined : { socketId, keyHash },
    answer: (memberships, maxBytes) =>
      inParts(
        memberships.map(membershipField),
        maxBytes,
        (one) => Buffer.byteLength(JSON.stringify(one)) + 1,
      ).map((part) => ({ memberships: [...part] })),
    answered: ({ memberships }) => memberships?.map(membershipOf),
    isQuick: true,
  },
  comet_request: {
    ask: ({ verb, keyHash, receiver, isOnce, body }) => ({
      ...(keyHash === '' ? {} : { key_hash: keyHash }),
      comet: {
        verb,
        ...(receiver === null ? {} : { receiver }),
        ...(isOnce === null ? {} : { once: isOnce }),
        ...(body === null ? {} : { body }),
      },
    }),
    asked: ({ key_hash: keyHash = '', comet }) => {
      if (comet === undefined) return undefined;
      const { verb, receiver = null, once = null, body = null } = comet;
      return { verb, keyHash, receiver, isOnce: once, body };
    },
    answer: (reply) => [
      reply === null
        ? {}
        : { comet: { status: reply.status, ...(reply.body === null ? {} : { body: reply.body }) } },
    ],
    answered: ({ comet }) =>
      comet === undefined ? null : { status: comet.status, body: comet.body ?? null },
    isFound: (reply) => reply !== null,
    isQuick: false,
  },
};

type OccupancyField = NonNullable<Answered['occupancy']>;

const occupancyField = (occupancy: ChannelOccupancy): OccupancyField => ({
  connections: occupancy.connections,
  publishers: occupancy.publishers,
  subscribers: occupancy.subscribers,
  presence_connections: occupancy.presenceConnections,
  presence_subscribers: occupancy.presenceSubscribers,
});

const occupancyOf = (field: OccupancyField): ChannelOccupancy => ({
  connections: field.connections,
  publishers: field.publishers,
  subscribers: field.subscribers,
  presenceConnections: field.presence_connections,
  presenceSubscribers: field.presence_subscribers,
});

type MembershipField = NonNullable<Answered['memberships']>[number];

const membershipField = ({ channel, userId, userInfoText }: Membership): MembershipField => ({
  channel,
  user_id: userId,
  user_info_text: userInfoText,
});

const membershipOf = ({
  channel,
  user_id: userId,
  user_info_text: userInfoText,
}: MembershipField): Membership => ({
  channel,
  userId,
  userInfoText,
});

const actingField = ({
  protocol,
  clientId,
  hasToken,
  rights,
}: ActingSocket): NonNullable<Answered['acting']> => ({
  ...(clientId === null ? {} : { client_id: clientId }),
  protocol,
  token: hasToken,
  rights: [...rights],
});

/** Returns the encoding of a kind of request. */
export const writing = <K extends Kind>(kind: K): Writing<K> => WRITINGS[kind];

/** Returns the kind of a request; null if this version does not support it. */
export function kindOf(message: Request | TokenRevoked): Kind | null {
  if (message.kind === 'token_revoked') return 'token_revoked';
  const { request_type: type } = message;
  return Object.hasOwn(WRITINGS, type) ? (type as Kind) : null;
}
