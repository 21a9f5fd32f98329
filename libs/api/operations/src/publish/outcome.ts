import type { Receipt } from '@carillon/history-publish';
import { ServiceError } from '@carillon/errors';
import { count, object, OK, text, type ValueOf } from '../describe/shape.js';
import { isJsonObject } from '../json/json-body.js';
import type { Event } from './event.js';
import type { Published } from './publish-event.js';

export const CHANNEL_OUTCOME = object(
  {
    acknowledgement_id: text('`message_serial` where messages live on, else `message_id`, else a new id.'),
  },
  {
    message_serial: text('By which the message can be changed, where messages live on.'),
    version_serial: text('Of its first version: the same.'),
    delivery_serial: count('Place in the order of delivery, where messages live on.'),
    history_serial: count('Place in the history of the channel, when it has one.'),
    user_count: count('Distinct users, when asked for and possible.'),
    subscription_count: count('Sockets subscribed after the publish, when asked for and possible.'),
  },
);

/** Details of one channel in the answer. */
export type ChannelOutcome = ValueOf<typeof CHANNEL_OUTCOME>;

/** Result of one event in the form stored under keys, from which each endpoint makes its answer. */
export interface EventOutcome {
  /** Whether answers contain channel details. */
  readonly reported: boolean;
  /** By channel name. */
  readonly channels: Readonly<Record<string, ChannelOutcome>>;
}

/** Result without details: neither answered nor stored. */
export const UNREPORTED: EventOutcome = { reported: false, channels: {} };

/** Counts of channels by name; unavailable ones are missing. */
export interface ChannelCounts {
  readonly subscriptions: ReadonlyMap<string, number>;
  readonly users: ReadonlyMap<string, number>;
}

export const NO_COUNTS: ChannelCounts = { subscriptions: new Map(), users: new Map() };

export function eventOutcome(event: Event, { receipts }: Published, counts: ChannelCounts): EventOutcome {
  const channels = event.channels.map(({ name }, index): [string, ChannelOutcome] => {
    const users = counts.users.get(name);
    const subscriptions = counts.subscriptions.get(name);
    const historySerial = receipts[index]?.historySerial;
    return [
      name,
      {
        acknowledgement_id: receipts[index]?.version?.messageSerial ?? receipts[index]?.messageId ?? '',
        ...versionOf(receipts[index]?.version),
        ...(historySerial === undefined ? {} : { history_serial: historySerial }),
        ...(users === undefined ? {} : { user_count: users }),
        ...(subscriptions === undefined ? {} : { subscription_count: subscriptions }),
      },
    ];
  });
  return { reported: event.isReported, channels: Object.fromEntries(channels) };
}

const versionOf = (version: NonNullable<Receipt['version']> | undefined) =>
  version === undefined
    ? {}
    : {
        message_serial: version.messageSerial,
        version_serial: version.versionSerial,
        delivery_serial: version.deliverySerial,
      };

/** Answer to the publisher of one event. */
export const eventResult = ({ reported, channels }: EventOutcome) => (reported ? { channels } : OK.value);

/** Answer about an event of a batch: its first channel, or nothing. */
export function itemOutcome({ reported, channels }: EventOutcome, event: Event): ChannelOutcome | object {
  const [first] = event.channels;
  if (!reported || first === undefined || !Object.hasOwn(channels, first.name)) return {};
  return channels[first.name] ?? {};
}

/** Decodes a stored result. Throws 503 for an unreadable version. */
export function readOutcome(record: string): EventOutcome {
  try {
    const value: unknown = JSON.parse(record);
    if (isJsonObject(value) && typeof value['reported'] === 'boolean' && isJsonObject(value['channels']))
      return value as unknown as EventOutcome;
  } catch {
    // Answered below: not JSON is as unreadable as the wrong members.
  }
  throw new ServiceError('service_unavailable', { text: 'the record of this key cannot be read' });
}
