import { refusalError, type Channels, type PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Caller } from '../caller.js';
import { wrong } from '../describe/field.js';
import type { JsonObject } from '../json/json-body.js';
import { EVENT } from './event-fields.js';

/**
 * Returns the distinct channels of an event. `channels` takes precedence over `channel`.
 * @throws ServiceError `missing_channel_info` without any, `limit_exceeded` for too many, `invalid_input` for an
 * invalid name, and the refusal of a caller without the right
 */
export function readTargets(caller: Caller, channels: Channels, object: JsonObject): PublishableChannel[] {
  const { app } = caller;
  const names = targetNames(object);
  const limit = app.limits.maxEventChannelsAtOnce;
  if (names.length > limit) {
    throw new ServiceError('limit_exceeded', {
      text: `${names.length} channels given, at most ${limit} allowed`,
    });
  }
  const distinct = names.length === 1 ? names : [...new Set(names)];
  return distinct.map((name) => {
    const channel = channels.publishTarget(app, name);
    if (!channel.accepted) throw refusalError(channel);
    caller.require('publish', channel.name);
    return channel;
  });
}

function targetNames(object: JsonObject): readonly string[] {
  const single = EVENT.channel.of(object);
  const several = EVENT.channels.of(object);
  if (several === undefined && single !== undefined) return [single];
  if (several === undefined || several.length === 0) throw new ServiceError('missing_channel_info');
  if (!several.every((name) => typeof name === 'string'))
    throw wrong(EVENT.channels.name, 'be an array of strings');
  return several;
}
