import type { Channels, PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { HistoryReader, PresenceHistoryReader } from '@carillon/history-reader';
import type { Commits } from '@carillon/history-publish';
import type { Caller, Right } from '../caller.js';
import { hasMembers } from '../publish/counts.js';
import { namedChannel } from '../state/named-channel.js';
import type { PurgedLastEvents } from './purged-last-events.js';

/** Reads and changes of channel histories. */
export interface HistoryAccess {
  readonly reader: Pick<HistoryReader, 'page' | 'serialAt' | 'state'>;
  readonly presence: Pick<PresenceHistoryReader, 'page' | 'snapshot' | 'state'>;
  readonly commits: Commits;
}

export interface HistoryParts {
  readonly channels: Channels;
  /** Null: this process has no way to them. */
  readonly access: HistoryAccess | null;
  readonly maxPageSize: number;
  readonly maxPresencePageSize: number;
  readonly lastEvents: PurgedLastEvents;
}

/** A channel with a history, and the way to it. */
export interface DurableChannel extends HistoryAccess {
  readonly channel: PublishableChannel;
}

/**
 * The channel of this name.
 *
 * @throws ServiceError `invalid_input` for a name that breaks the rules, `feature_disabled` when it has no history.
 */
export function durableChannel(
  caller: Caller,
  right: Right,
  name: string,
  { channels, access }: HistoryParts,
): DurableChannel {
  const channel = namedChannel(caller, right, name, channels);
  const isKept = channel.form === 'ordinary' && channel.policy.history.enabled;
  return reached(channel, isKept, access);
}

/**
 * The channel of this name, which must have members; the same of the history of their comings and goings.
 *
 * @throws ServiceError `invalid_input` also when it has none.
 */
export function presenceChannel(
  caller: Caller,
  right: Right,
  name: string,
  { channels, access }: HistoryParts,
): DurableChannel {
  const channel = namedChannel(caller, right, name, channels);
  if (!hasMembers(channel))
    throw new ServiceError('invalid_input', { text: 'only presence channels have a presence history' });
  return reached(channel, channel.policy.presenceHistory.enabled, access);
}

function reached(channel: PublishableChannel, isKept: boolean, access: HistoryAccess | null): DurableChannel {
  if (!isKept) throw new ServiceError('feature_disabled', { text: 'the channel has no such history' });
  if (access !== null) return { channel, ...access };
  throw new ServiceError('service_unavailable', { text: 'this process has no way to the history' });
}
