import type { Channels, PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { HistoryReader } from '@carillon/history';
import type { Commits } from '@carillon/publishing';
import type { Call } from '../pipeline/call.js';
import { namedChannel } from '../state/named-channel.js';

/** How the histories of channels are read and changed. */
export interface HistoryAccess {
  readonly reader: Pick<HistoryReader, 'page' | 'state'>;
  readonly commits: Commits;
}

export interface HistoryParts {
  readonly channels: Channels;
  /** Null: this process has no way to them. */
  readonly access: HistoryAccess | null;
  readonly maxPageSize: number;
}

/** A channel with a history, and the way to it. */
export interface DurableChannel extends HistoryAccess {
  readonly channel: PublishableChannel;
}

/**
 * The channel that the path names.
 *
 * @throws ServiceError `invalid_input` for a name that breaks the rules, `feature_disabled` when it has no history.
 */
export function durableChannel(call: Call, { channels, access }: HistoryParts): DurableChannel {
  const channel = namedChannel(call, channels);
  if (channel.form !== 'ordinary' || !channel.policy.history.enabled)
    throw new ServiceError('feature_disabled', { text: 'the channel has no history' });
  if (access !== null) return { channel, ...access };
  throw new ServiceError('service_unavailable', { text: 'this process has no way to the history' });
}
