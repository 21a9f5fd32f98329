import {
  type Audience,
  isObject,
  type JsonObject,
  type Provider,
  providerNamed,
  type Recipient,
} from '@carillon/push-providers';
import { invalid, neededText } from '../fields.js';
import { readRecipient, type RecipientRules } from '../resources/recipient.js';

/** Target of a publish. */
export type Target =
  | { readonly type: 'device'; readonly deviceId: string }
  | { readonly type: 'client'; readonly clientId: string }
  | { readonly type: 'channel'; readonly channel: string }
  | { readonly type: 'recipient'; readonly recipient: Recipient }
  | { readonly type: 'audience'; readonly provider: Provider; readonly audience: Audience };

const MAX_TARGETS = 1024;
const TARGET_TYPES = 'device, client, channel, recipient, providerTopic, providerCondition';
const UNSUPPORTED = new Set(['registeredTopic', 'userTopic', 'indexedFilter']);

export function readTargets(value: unknown, rules: RecipientRules): Target[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_TARGETS) {
    throw invalid(`recipients must be an array of 1 to ${MAX_TARGETS} targets`);
  }
  return value.map((target: unknown) => {
    if (!isObject(target)) throw invalid('a target must be an object');
    return readTarget(target, rules);
  });
}

function readTarget(target: JsonObject, rules: RecipientRules): Target {
  const { type } = target;
  switch (type) {
    case 'device':
      return { type, deviceId: idOf(target, 'deviceId', 'device_id') };
    case 'client':
      return { type, clientId: idOf(target, 'clientId', 'client_id') };
    case 'channel':
      return { type, channel: rules.checkChannel(neededText(target, 'channel', 1000)) };
    case 'recipient':
      return { type, recipient: readRecipient(target['recipient'], rules) };
    case 'providerTopic':
      return {
        type: 'audience',
        provider: ofAudience(target),
        audience: { topic: neededText(target, 'topic', 1000) },
      };
    case 'providerCondition': {
      const condition = neededText(target, 'condition', 1000);
      return { type: 'audience', provider: ofAudience(target), audience: { condition } };
    }
    default:
      if (typeof type === 'string' && UNSUPPORTED.has(type))
        throw invalid(`target type is not supported; it must be one of ${TARGET_TYPES}`);
      throw invalid(`target type is not known; it must be one of ${TARGET_TYPES}`);
  }
}

function idOf(target: JsonObject, name: string, alias: string): string {
  return neededText({ [name]: target[name] ?? target[alias] }, name, 255);
}

function ofAudience({ provider }: JsonObject): Provider {
  const named = typeof provider === 'string' ? providerNamed(provider) : null;
  if (named === 'fcm' || named === 'hms') return named;
  throw invalid('provider must be fcm or hms for topics and conditions');
}
