import {
  checkRecipient,
  DeviceUrlNotAllowed,
  type DeviceUrlRules,
  isObject,
  type JsonObject,
  type Recipient,
} from '@carillon/push-providers';
import { invalid, neededText } from '../fields.js';

/** Rules for recipients and targets. */
export interface RecipientRules {
  readonly deviceUrls: DeviceUrlRules;
  /** Whether the address of a device may be a channel. */
  readonly reachesChannels: boolean;
  /** Returns the name of a publishable channel, else throws `invalid_input`. */
  checkChannel(name: string): string;
}

const TOKEN_BYTES = 4096;
const URL_BYTES = 2048;
const CHANNEL_BYTES = 2048;

/** The address of a device as a body gives it, checked. */
export function readRecipient(value: unknown, rules: RecipientRules): Recipient {
  if (!isObject(value)) throw invalid('recipient must be an object');
  const recipient = read(value, rules);
  try {
    checkRecipient(recipient, rules.deviceUrls);
  } catch (error) {
    if (error instanceof DeviceUrlNotAllowed) throw invalid(error.message);
    throw error;
  }
  return recipient;
}

function read(value: JsonObject, { reachesChannels }: RecipientRules): Recipient {
  const { transportType } = value;
  switch (transportType) {
    case 'gcm':
    case 'hms':
      return { transportType, registrationToken: neededText(value, 'registrationToken', TOKEN_BYTES) };
    case 'apns': {
      const deviceToken = neededText(value, 'deviceToken', 512);
      // It becomes a part of the path.
      if (!/^[0-9A-Za-z_-]+$/.test(deviceToken))
        throw invalid('deviceToken must be letters, digits, _ and -');
      return { transportType, deviceToken };
    }
    case 'web':
      return {
        transportType,
        endpoint: neededText(value, 'endpoint', URL_BYTES),
        p256dh: keyOf(value, 'p256dh', 65),
        auth: keyOf(value, 'auth', 16),
      };
    case 'wns':
      return { transportType, channelUri: neededText(value, 'channelUri', URL_BYTES) };
    case 'realtime':
      if (!reachesChannels) throw unknown(WAYS);
      return { transportType, channel: neededText(value, 'channel', CHANNEL_BYTES) };
    default:
      throw unknown(reachesChannels ? [...WAYS, 'realtime'] : WAYS);
  }
}

const WAYS = ['gcm', 'apns', 'web', 'hms', 'wns'];

const unknown = (ways: readonly string[]) => invalid(`transportType must be one of ${ways.join(', ')}`);

function keyOf(value: JsonObject, name: string, length: number): string {
  const text = neededText(value, name, 512);
  const bytes = Buffer.from(text, 'base64url');
  const isKey =
    /^[A-Za-z0-9_-]+={0,2}$/.test(text) && bytes.length === length && (length !== 65 || bytes[0] === 4);
  if (!isKey) throw invalid(`${name} must be base64url of ${length} bytes`);
  return text;
}
