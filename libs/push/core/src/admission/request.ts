import {
  InvalidPayload,
  isObject,
  jsonBytes,
  type JsonObject,
  MAX_OVERRIDE_BYTES,
  type Provider,
  providerNamed,
  readOverride,
} from '@carillon/push-providers';
import { aliased, flagOf, integerOf, invalid, objectOf, textOf, wholeObject } from '../fields.js';
import type { RecipientRules } from '../resources/recipient.js';
import { readTargets, type Target } from './targets.js';
import { checkIcon, type Content } from './templates.js';

/** Content of a publish. */
export interface PayloadRequest {
  readonly templateId: string | null;
  readonly content: Content;
  readonly data: JsonObject;
}

/** A publish as requested. */
export interface PublishRequest {
  /** Null: it gets one. */
  readonly publishId: string | null;
  readonly idempotencyKey: string | null;
  readonly targets: readonly Target[];
  readonly payload: PayloadRequest;
  readonly overrides: ReadonlyMap<Provider, JsonObject>;
  readonly sync: boolean;
  readonly notBeforeMs: number | null;
  readonly expiresAtMs: number | null;
}

export interface RequestRules extends RecipientRules {
  readonly maxKeyBytes: number;
}

const DATA_BYTES = 8192;
const LONGEST_DELAY_MS = 365 * 86_400_000;

/** The request of a body, checked as far as it can be without looking anything up. */
export function readPublish(value: unknown, rules: RequestRules, nowMs: number): PublishRequest {
  const body = wholeObject(value);
  const key = aliased(body, 'idempotency_key', 'idempotencyKey');
  const overrides = readOverrides(body['providerOverrides']);
  const notBeforeMs = integerOf(body, 'notBeforeMs', 0) ?? null;
  const expiresAtMs = integerOf(body, 'expiresAtMs', 0) ?? null;
  if (notBeforeMs !== null && notBeforeMs > nowMs + LONGEST_DELAY_MS) {
    throw invalid('notBeforeMs must be at most 365 days ahead');
  }
  if (notBeforeMs !== null && expiresAtMs !== null && expiresAtMs <= notBeforeMs) {
    throw invalid('expiresAtMs must be after notBeforeMs');
  }
  return {
    publishId: textOf(body, 'publishId', { maxBytes: 255, notBlank: true }) ?? null,
    idempotencyKey: readKey(key, rules.maxKeyBytes),
    targets: readTargets(body['recipients'], rules),
    payload: readPayload(body['payload'], overrides.size > 0),
    overrides,
    sync: flagOf(body, 'sync'),
    notBeforeMs,
    expiresAtMs,
  };
}

/** The key under which a publish may be repeated. */
function readKey(value: unknown, maxBytes: number): string | null {
  return textOf({ idempotency_key: value }, 'idempotency_key', { maxBytes, notBlank: true }) ?? null;
}

function readPayload(value: unknown, hasOverride: boolean): PayloadRequest {
  if (!isObject(value)) throw invalid('payload must be an object');
  const given = ['templateData', 'data'].filter((name) => value[name] !== undefined && value[name] !== null);
  if (given.length > 1) throw invalid('templateData and data are the same: give one of them');
  const data = objectOf(value, given[0] ?? 'templateData') ?? {};
  if (jsonBytes(data) > DATA_BYTES) throw invalid(`templateData must have at most ${DATA_BYTES} bytes`);
  const content = readContent(value);
  const templateId = textOf(value, 'templateId', { maxBytes: 128, notBlank: true }) ?? null;
  const says = templateId !== null || content.title !== undefined || content.body !== undefined;
  if (!says && Object.keys(data).length === 0 && !hasOverride) throw invalid('payload says nothing');
  return { templateId, content, data };
}

/** Texts that a payload or a template gives. */
export function readContent(value: JsonObject): Content {
  const bounds = { title: 256, body: 4096, icon: 2048, sound: 256, collapseKey: 256 } as const;
  const found = Object.entries(bounds).map(
    ([name, maxBytes]) => [name, textOf(value, name, { maxBytes })] as const,
  );
  const content: Content = Object.fromEntries(found.filter(([, text]) => text !== undefined));
  if (content.icon !== undefined && !content.icon.includes('{{')) checkIcon(content.icon);
  return content;
}

function readOverrides(value: unknown): ReadonlyMap<Provider, JsonObject> {
  const overrides = new Map<Provider, JsonObject>();
  if (value === undefined || value === null) return overrides;
  if (!Array.isArray(value)) throw invalid('providerOverrides must be an array');
  for (const one of value as unknown[]) {
    if (!isObject(one)) throw invalid('an override must be an object');
    const provider = typeof one['provider'] === 'string' ? providerNamed(one['provider']) : null;
    if (provider === null) throw invalid('provider of an override is not known');
    if (overrides.has(provider)) throw invalid(`there are two overrides for ${provider}`);
    overrides.set(provider, checkOverride(provider, one['payload']));
  }
  return overrides;
}

export function checkOverride(provider: Provider, payload: unknown): JsonObject {
  if (!isObject(payload)) throw invalid('payload of an override must be an object');
  if (jsonBytes(payload) > MAX_OVERRIDE_BYTES) {
    throw invalid(`payload of an override must have at most ${MAX_OVERRIDE_BYTES} bytes`);
  }
  try {
    readOverride(provider, payload);
  } catch (error) {
    if (error instanceof InvalidPayload) throw invalid(error.message);
    throw error;
  }
  return payload;
}
