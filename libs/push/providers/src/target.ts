import { createHash } from 'node:crypto';
import { type Provider, TRANSPORTS } from './provider.js';

/** The address of one device at its provider, as it was registered. Everything but the type is secret. */
export type Recipient =
  | { readonly transportType: 'gcm'; readonly registrationToken: string }
  | { readonly transportType: 'apns'; readonly deviceToken: string }
  | {
      readonly transportType: 'web';
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
    }
  | { readonly transportType: 'hms'; readonly registrationToken: string }
  | { readonly transportType: 'wns'; readonly channelUri: string }
  | { readonly transportType: 'realtime'; readonly channel: string };

/** Audience resolved by FCM and HMS: all its subscribers. */
export type Audience = { readonly topic: string } | { readonly condition: string };

/** Target of one send. */
export type SendTarget =
  | { readonly kind: 'recipient'; readonly recipient: Recipient }
  | { readonly kind: 'audience'; readonly audience: Audience };

export const providerOf = ({ transportType }: Recipient): Provider => TRANSPORTS[transportType];

/** The part of the address that identifies it. */
function tokenOf(recipient: Recipient): string {
  if (recipient.transportType === 'web') return recipient.endpoint;
  if (recipient.transportType === 'wns') return recipient.channelUri;
  if (recipient.transportType === 'realtime') return recipient.channel;
  return recipient.transportType === 'apns' ? recipient.deviceToken : recipient.registrationToken;
}

/** Hash that stands for the token in tables, answers and delivery keys: lower-case hex. */
export const tokenHash = (recipient: Recipient): string =>
  createHash('sha256').update(tokenOf(recipient)).digest('hex');
