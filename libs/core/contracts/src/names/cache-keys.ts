import { createHash } from 'node:crypto';

/**
 * Names of everything in the shared cache, each with its app. The cache puts the configured prefixes in front, as
 * written, without a separator of its own.
 */
export const cacheKeys = {
  /** App record by id. */
  appById: (appId: string) => `app:id:${appId}`,
  /** App record by key. */
  appByKey: (appKey: string) => `app:key:${appKey}`,
  /** Answer to an idempotent request, or its claim. */
  request: (appId: string, key: string) => `app:${appId}:idempotency:${key}`,
  /** Answer to an idempotent batch request, or its claim. */
  batchRequest: (appId: string, key: string) => `app:${appId}:batch-idempotency:${key}`,
  /** Receipt of an idempotent publish on a channel that is not durable. */
  publish: (appId: string, channel: string, key: string) =>
    `idempotency:publish:v1:${appId}:${createHash('sha256').update(`${channel}\0${key}`).digest('hex')}`,
  /** Marks a cache channel without an event. */
  cacheMiss: (appId: string, channel: string) => `app:${appId}:channel:${channel}:cache_miss`,
  /** The event later subscribers of a cache channel are shown. */
  lastEvent: (appId: string, channel: string) => `app:${appId}:channel:${channel}:last_event`,
  /** Answer to a list of channels. */
  channelList: (appId: string, prefix: string, info: string) =>
    `internal:channels:${appId}:${prefix}:${info}`,
  /** Revocation of one token. */
  revokedToken: (appId: string, jti: string) => `service:capability_revocation:${appId}:jti:${jti}`,
  /** Revocation of every token of an identity. */
  revokedClient: (appId: string, clientId: string) =>
    `service:capability_revocation:${appId}:client:${clientId}`,
  /** One open AI stream. */
  aiActiveStream: (appId: string, channel: string, messageSerial: string) =>
    `ai_transport:active_stream:${appId}:${channel}:${messageSerial}`,
  /** Number of open AI streams of a channel. */
  aiActiveStreamCount: (appId: string, channel: string) =>
    `ai_transport:active_stream_count:${appId}:${channel}`,
  /** Claim on closing an idle AI stream. */
  aiOrphanClaim: (appId: string, channel: string, messageSerial: string) =>
    `ai_transport:orphan_claim:${appId}:${channel}:${messageSerial}`,
  /** Notified state of a place for webhooks. */
  webhookNotice: (place: string) => `webhook:notice:${createHash('sha256').update(place).digest('hex')}`,
  /** Marker that detects the loss of these notices. */
  webhookMark: 'webhook:notice:mark',
  /** Push requests of the current window. */
  pushAcceptance: (appId: string) => `push:acceptance:${appId}`,
  /** Claim on reporting for a user of a dead node. */
  deadNodeUser: (nodeId: string, appId: string, channel: string, userId: string) =>
    `cluster:dead:${nodeId}:${appId}:${channel}:${userId}`,
  /** Marks a node without a broker connection. */
  brokerOutage: (nodeId: string) => `cluster:outage:${nodeId}`,
  /** Sliding window of an app's requests. */
  appRate: (appId: string, kind: 'backend' | 'read') => `rl:app:${appId}:${kind}`,
  /** Connections of an app, a field per node. */
  connectionQuota: (appId: string) => `quota:conn:${appId}`,
  /** Counter of a sequenced channel; shares its hash tag with the replay buffer. */
  sequence: (appId: string, channel: string) => `seq:{${appId}:${channel}}`,
  /** Replay buffer of a sequenced channel. */
  hotBuffer: (appId: string, channel: string) => `hot:{${appId}:${channel}}`,
  /** Serial of a retryable publish to a sequenced channel; with the same hash tag. */
  sequencedOnce: (appId: string, channel: string, id: string) => `once:{${appId}:${channel}}:${id}`,
  /** A session of the tool protocol, by the hash of its id. */
  mcpSession: (hash: string) => `mcp:session:${hash}`,
  /** Process that streams to a session. */
  mcpStream: (hash: string) => `mcp:stream:${hash}`,
  /** The sessions of one principal. */
  mcpSessions: (principal: string) => `mcp:sessions:${principal}`,
  /** A running call of a session that is to be abandoned. */
  mcpCancelled: (hash: string, request: string) => `mcp:cancelled:${hash}:${request}`,
  /** Hint of a degraded history stream while the database is unreachable. */
  historyDegraded: (appId: string, channel: string) => `history:degraded:${appId}:${channel}`,
  /** The same for a presence history. */
  presenceDegraded: (appId: string, channel: string) => `presence:degraded:${appId}:${channel}`,
} as const;

/** The group is the app, where the name contains it. */
const ESSENTIAL = [
  /^app:([^:]*):(?:batch-)?idempotency:/,
  /^idempotency:(?:publish:v1:)?([^:]*):/,
  /^service:capability_revocation:([^:]*):/,
  /^ai_transport:[^:]*:([^:]*):/,
  /^cluster:dead:[^:]*:([^:]*):/,
  /^rl:app:([^:]*)/,
  /^quota:conn:([^:]*)/,
  /^webhook:notice:/,
  /^mcp:/,
  /^(?:seq|hot|once):\{([^:]*):/,
];

/**
 * Whether security or correctness hangs on the entry: a full memory cache evicts no such entry and fails the write
 * instead. The name is without configured prefixes.
 */
export const isEssential = (name: string): boolean => essentialOwner(name) !== null;

/** Returns the app of an entry that {@link isEssential}; empty if the name does not contain it. Null: not essential. */
export function essentialOwner(name: string): string | null {
  for (const pattern of ESSENTIAL) {
    const found = pattern.exec(name);
    if (found !== null) return found[1] ?? '';
  }
  return null;
}
