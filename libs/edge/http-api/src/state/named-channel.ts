import { refusalError, type Channels, type PublishableChannel } from '@carillon/channels';
import type { Call } from '../pipeline/call.js';

/**
 * The channel that the path names.
 *
 * @throws ServiceError `invalid_input` for a name that breaks the rules.
 */
export function namedChannel(call: Call, channels: Channels): PublishableChannel {
  const channel = channels.publishTarget(call.app, call.pathParameter('channelName'));
  if (!channel.accepted) throw refusalError(channel);
  return channel;
}
