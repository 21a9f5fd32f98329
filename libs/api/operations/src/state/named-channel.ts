import { refusalError, type Channels, type PublishableChannel } from '@carillon/channels';
import type { Caller, Right } from '../caller.js';

/**
 * Returns the channel of this name after checking the caller's right.
 * @throws ServiceError `invalid_input` for an invalid name, and the refusal of a caller without the right
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
