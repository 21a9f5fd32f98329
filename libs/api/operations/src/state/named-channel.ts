import { refusalError, type Channels, type PublishableChannel } from '@carillon/channels';
import type { Caller, Right } from '../caller.js';

/**
 * The channel of this name, on which the caller has the right.
 *
 * @throws ServiceError `invalid_input` for a name that breaks the rules, and what a caller without the right is told.
 */
export function namedChannel(
  caller: Caller,
  right: Right,
  name: string,
  channels: Channels,
): PublishableChannel {
  const channel =
    caller.judgesNames === true
      ? channels.foreign(caller.app, name)
      : channels.publishTarget(caller.app, name);
  if (!channel.accepted) throw refusalError(channel);
  caller.require(right, channel.name);
  return channel;
}
