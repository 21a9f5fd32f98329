import type { App } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import { compactJson, type ExtrasRules, rawMember } from '@carillon/protocol';
import type { Caller } from '../caller.js';
import { deliverable } from '../messages/deliverable.js';
import { infoTokens } from '../describe/info.js';
import type { KeyRules } from '../idempotency/keys.js';
import { isJsonObject, type JsonBody, type JsonObject } from '../json/json-body.js';
import type { Field } from '../describe/field.js';
import { type AiMeters, isAiEvent } from '@carillon/history-ai';
import type { AiContent, AiRules } from './ai.js';
import { readData } from './data.js';
import type { Event, Info } from './event.js';
import { EVENT } from './event-fields.js';
import { checkEventName } from './event-name.js';
import { checkTags, readExtras } from './extras.js';
import { readTargets } from './targets.js';

const NO_INFO: Info = { subscriptionCount: false, userCount: false };

export interface EventRules {
  readonly channels: Channels;
  readonly keys: KeyRules;
  readonly ai: AiRules;
  readonly aiMeters: AiMeters;
  /** False in role `api`, which cannot count connections. */
  readonly countsAllowed: boolean;
  /** Delivered members of `extras`. */
  readonly extras: ExtrasRules;
}

/** Judges the events that servers publish. */
export class EventReader {
  constructor(private readonly rules: EventRules) {}

  /**
   * Reads an event completely, changing nothing.
   *
   * @throws ServiceError for the first rule it breaks.
   */
  read(caller: Caller, body: JsonBody): Event {
    const { app } = caller;
    const { channels, keys } = this.rules;
    const { object } = body;
    const socketId = EVENT.socketId.of(object) ?? null;
    const info = this.#info(object);
    checkTags(object);
    const mayBeDelta = EVENT.delta.of(object) !== false;
    const extras = readExtras(object);
    const messageId = EVENT.messageId.of(object);
    const key = EVENT.idempotencyKey.of(object);
    const name = readName(app, object);
    const targets = readTargets(caller, channels, object);
    const isAi = isAiEvent(name);
    this.#checkAi(app, { name, headers: extras?.ai, messageId }, targets);
    if (messageId !== undefined) keys.checkLength(EVENT.messageId.name, messageId);
    return {
      name,
      channels: targets,
      isEphemeral: this.rules.extras.ephemeralEnabled && extras?.isEphemeral === true,
      ...readData(body, app.limits.maxEventPayloadBytes),
      mayBeDelta,
      socketId,
      creatorId: caller.userId,
      info,
      isReported: info.subscriptionCount || info.userCount || messageId !== undefined || isAi,
      messageId: messageId ?? null,
      idempotencyKey: keys.key(caller, EVENT.idempotencyKey.name, key),
      messageKey: keys.key(caller, 'extras.idempotencyKey', extras?.idempotencyKey),
      tagsText: compactMember(body, EVENT.tags),
      extrasText: deliverable(caller, compactMember(body, EVENT.extras), this.rules.extras),
      push: extras?.push ?? null,
    };
  }

  #checkAi(
    { id }: App,
    { name, ...content }: Omit<AiContent, 'isEvent'> & { readonly name: string },
    targets: Parameters<AiRules['check']>[1],
  ): void {
    const { ai, aiMeters } = this.rules;
    const isEvent = isAiEvent(name);
    try {
      ai.check({ isEvent, ...content }, targets);
    } catch (error) {
      if (error instanceof ServiceError)
        aiMeters.rejected(id, error.code, content.headers !== undefined && !isJsonObject(content.headers));
      throw error;
    }
    if (isEvent || content.headers !== undefined) aiMeters.validated(id, name);
  }

  #info(object: JsonObject): Info {
    const text = EVENT.info.of(object);
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

function readName(app: App, object: JsonObject): string {
  const name = EVENT.name.of(object);
  if (name === undefined) throw new ServiceError('invalid_input', { text: 'name is missing' });
  return checkEventName(app, name);
}

/** Returns the extras for subscribers, without the push payload; null: nothing left. */
function compactMember({ text, object }: JsonBody, field: Field<unknown>): string | null {
  if (field.of(object) === undefined) return null;
  return compactJson(rawMember(text, field.name) ?? 'null');
}
