import type { AiChannels } from '@carillon/history-ai';
import type { Channels, PublishableChannel } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { CommitRecordOf, CommitResult } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import type { ActingSocket } from '@carillon/broker';
import type { MessageReader } from '@carillon/history-reader';
import { isSerial } from '@carillon/history-messages';
import { isCommitted, type Committed, type Commits, refusalOf } from '@carillon/history-publish';
import type { Metrics } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Caller, Right } from '../caller.js';
import { namedChannel } from '../state/named-channel.js';

/** Access to mutable messages. */
export interface MessageAccess {
  readonly reader: Pick<MessageReader, 'annotations' | 'latest' | 'streams' | 'versions'>;
  readonly commits: Commits;
}

/** The signed-in user of a connection. */
export interface SocketIdentity {
  /** Null if the connection is not signed in, or unknown. */
  readonly clientId: string | null;
  /** False if a node did not answer and the others do not have the connection. */
  readonly isKnown: boolean;
}

/** Finds connections on all nodes. */
export interface ActingSockets {
  /**
   * Returns a connection of protocol 2; null if the id is unknown. Rejects with `service_unavailable` if a node did
   * not answer and no other node has it.
   */
  find(appId: string, socketId: string, channel: string): Promise<ActingSocket | null>;
  /** Returns the signed-in user of a connection of any protocol. Never rejects because a node is silent. */
  identityOf(appId: string, socketId: string, channel: string): Promise<SocketIdentity>;
}

export interface MessageParts {
  readonly config: Pick<Config, 'annotations' | 'versioned_messages' | 'websocket_max_payload_kb'>;
  readonly channels: Channels;
  readonly ai: AiChannels;
  /** Null: this process has no way to them. */
  readonly access: MessageAccess | null;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly webhooks: Pick<WebhookEvents, 'emit' | 'wants'>;
  /** Null in role `api`, where acting as a connection is not supported. */
  readonly sockets: ActingSockets | null;
}

/** A channel with mutable messages, and access to them. */
export interface LivingChannel extends MessageAccess {
  readonly channel: PublishableChannel;
  readonly policy: CommitRecordOf<'update'>['policy'];
}

/**
 * Returns the channel of this name, which has mutable messages.
 * @throws ServiceError `invalid_input` for an invalid name; `feature_disabled` if messages are immutable or the
 * channel has no history; `mutable_not_permitted` instead on an AI channel.
 */
export function livingChannel(
  caller: Caller,
  right: Right,
  name: string,
  parts: MessageParts,
): LivingChannel {
  const channel = namedChannel(caller, right, name, parts.channels);
  const ai = parts.ai.limitsOf(channel.name);
  if (!parts.config.versioned_messages.enabled) {
    if (parts.ai.has(channel.name))
      throw new ServiceError('mutable_not_permitted', { text: 'mutations not permitted on this channel' });
    throw new ServiceError('feature_disabled', { text: 'messages do not live on here' });
  }
  return { ...reached(parts), channel, policy: { ...policyOf(channel, parts), ai } };
}

/** @throws ServiceError `feature_disabled` when the channel keeps nothing. */
export function requireHistory({ channel: { form, policy } }: LivingChannel): void {
  if (form === 'ordinary' && policy.history.enabled) return;
  throw new ServiceError('feature_disabled', { text: 'the channel has no history' });
}

function reached({ access }: MessageParts): MessageAccess {
  if (access !== null) return access;
  throw new ServiceError('service_unavailable', { text: 'this process has no way to the history' });
}

function policyOf({ policy: { history } }: PublishableChannel, { config }: MessageParts) {
  const window = config.versioned_messages.retention_window_seconds;
  return {
    history_ms: finite(history.retentionWindowSeconds * 1000),
    versions_ms: window === 0 ? null : finite(window * 1000),
    max_messages: finite(history.maxMessages),
    max_bytes: finite(history.maxBytes),
    versioned: true,
    cache: false,
  };
}

/** Null: no limit. */
const finite = (bound: number): number | null => (Number.isSafeInteger(bound) ? bound : null);

/** @throws ServiceError `invalid_input` for an invalid serial */
export function readSerial(serial: string, name: string): string {
  if (isSerial(serial)) return serial;
  throw new ServiceError('invalid_input', { text: `${name} must be 1 to 128 bytes without spaces` });
}

/** Commits a record. @throws ServiceError if it was rejected */
export async function committed(
  commits: Commits,
  record: Parameters<Commits['commit']>[0][number],
): Promise<Committed & CommitResult> {
  const [result] = await commits.commit([record]);
  if (!isCommitted(result)) throw refusalOf(result);
  return result;
}

/** A page's length: the largest when absent or larger. @throws ServiceError `invalid_input` */
export function readLimit(text: string | undefined, max: number): number {
  if (text === undefined || text === '') return max;
  if (!/^\d{1,15}$/.test(text) || Number(text) === 0)
    throw new ServiceError('invalid_input', { text: 'limit must be an integer of at least 1' });
  return Math.min(Number(text), max);
}

export const noMessage = (): ServiceError =>
  new ServiceError('not_found', { text: 'there is no such message' });
