import type { JsonObject } from '@carillon/api-operations';
import { uriTemplate, type UriTemplate } from './uri.js';

type Variables = Readonly<Record<string, string>>;

/** A resource with the content of a tool's answer. */
export interface DataRow {
  readonly uri: UriTemplate;
  readonly name: string;
  readonly description: string;
  readonly tool: string;
  /** One answer for each of these; members of a later one win where maps of both have them. */
  readonly asks: (variables: Variables) => readonly JsonObject[];
}

const row = (
  uri: string,
  name: string,
  tool: string,
  description: string,
  ...asks: readonly ((variables: Variables) => JsonObject)[]
): DataRow => ({
  uri: uriTemplate(uri),
  name,
  tool,
  description,
  asks: (variables) => asks.map((ask) => ask(variables)),
});

const APP = 'service://apps/{appId}';
const CHANNEL = `${APP}/channels/{channel}`;
const ofChannel = ({ appId, channel }: Variables): JsonObject => ({ app_id: appId, channel });

/** Resources read by tools; the name of a variable determines its completion. */
export const DATA_ROWS: readonly DataRow[] = [
  row('service://apps', 'apps', 'list_apps', 'The apps that the caller may see.', () => ({})),
  row('service://health', 'health', 'get_health', 'Health of the process that answers.', () => ({})),
  row(
    `${APP}/channels`,
    'channels',
    'list_channels',
    'Occupied channels of an app with their counts.',
    ({ appId }) => ({ app_id: appId, info: ['subscription_count'] }),
    ({ appId }) => ({
      app_id: appId,
      filter_by_prefix: 'presence-',
      info: ['subscription_count', 'user_count'],
    }),
  ),
  row(CHANNEL, 'channel', 'get_channel', 'State of a channel.', ofChannel),
  row(
    `${CHANNEL}/history`,
    'channel-history',
    'get_channel_history',
    'The newest 50 events.',
    (variables) => ({
      ...ofChannel(variables),
      limit: 50,
      direction: 'newest_first',
    }),
  ),
  row(
    `${CHANNEL}/messages/{messageSerial}`,
    'message',
    'get_message',
    'The latest version of a message.',
    (variables) => ({
      ...ofChannel(variables),
      message_serial: variables['messageSerial'],
    }),
  ),
  row(
    `${APP}/push/publishes/{publishId}`,
    'push-publish',
    'get_push_publish_status',
    'What became of a push publish.',
    ({ appId, publishId }) => ({ app_id: appId, publish_id: publishId }),
  ),
];
