import type { App } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import { isSocketId, rawMember } from '@carillon/protocol';
import type { KeyRules } from '../idempotency/keys.js';
import type { JsonBody, JsonObject } from '../json/json-body.js';
import { booleanMember, member, stringMember } from '../json/members.js';
import { compactJson } from '../json/scan.js';
import { isAiEvent, type AiRules } from './ai.js';
import { readData } from './data.js';
import type { Event, Info } from './event.js';
import { checkTags, readExtras } from './extras.js';
import { readTargets } from './targets.js';

const NO_INFO: Info = { subscriptionCount: false, userCount: false };

export interface EventRules {
  readonly channels: Channels;
  readonly keys: KeyRules;
  readonly ai: AiRules;
  /** False in role `api`, where nobody can be asked how many there are. */
  readonly countsAllowed: boolean;
  /** Off: what publishers say of it is ignored. */
  readonly ephemeralEnabled: boolean;
}

/** Judges the events that servers publish. */
export class EventReader {
  constructor(private readonly rules: EventRules) {}

  /**
   * Reads an event completely, changing nothing.
   *
   * @throws ServiceError for the first rule it breaks.
   */
  read(app: App, body: JsonBody): Event {
    const { channels, keys, ai } = this.rules;
    const { object } = body;
    const socketId = readSocketId(object);
    const info = this.#info(object);
    checkTags(object);
    booleanMember(object, 'delta');
    const extras = readExtras(object);
    const messageId = stringMember(object, 'message_id');
    const key = stringMember(object, 'idempotency_key');
    const name = readName(app, object);
    const targets = readTargets(app, channels, object);
    const isAi = isAiEvent(name);
    ai.check(isAi || extras?.isAi === true, messageId, targets);
    if (messageId !== undefined) keys.checkLength('message_id', messageId);
    return {
      name,
      channels: targets,
      isEphemeral: this.rules.ephemeralEnabled && extras?.isEphemeral === true,
      dataText: readData(body, app.limits.maxEventPayloadBytes),
      socketId,
      info,
      isReported: info.subscriptionCount || info.userCount || messageId !== undefined || isAi,
      messageId: messageId ?? null,
      idempotencyKey: keys.key(app, 'idempotency_key', key),
      messageKey: keys.key(app, 'extras.idempotencyKey', extras?.idempotencyKey),
      tagsText: compactMember(body, 'tags'),
      extrasText: compactMember(body, 'extras'),
    };
  }

  #info(object: JsonObject): Info {
    const text = stringMember(object, 'info');
    if (text === undefined) return NO_INFO;
    const tokens = infoTokens(text);
    const info = {
      subscriptionCount: tokens.has('subscription_count'),
      userCount: tokens.has('user_count'),
    };
    if (this.rules.countsAllowed || !(info.subscriptionCount || info.userCount)) return info;
    throw new ServiceError('invalid_input', { text: 'info cannot ask for counts here' });
  }
}

/** The tokens of an `info` list. */
export function infoTokens(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((token) => token.trim()));
}

function readName({ limits }: App, object: JsonObject): string {
  const name = stringMember(object, 'name');
  if (name === undefined || name === '') throw new ServiceError('invalid_input', { text: 'name is missing' });
  const max = limits.maxEventNameBytes;
  if (name.length * 3 <= max || Buffer.byteLength(name) <= max) return name;
  throw new ServiceError('limit_exceeded', { text: `name is longer than ${max} bytes` });
}

function readSocketId(object: JsonObject): string | null {
  const id = stringMember(object, 'socket_id');
  if (id === undefined || isSocketId(id)) return id ?? null;
  throw new ServiceError('invalid_input', { text: 'socket_id must be two numbers joined by a dot' });
}

function compactMember({ text, object }: JsonBody, name: string): string | null {
  if (member(object, name) === undefined) return null;
  return compactJson(rawMember(text, name) ?? 'null');
}
