import { isObject, type JsonObject, PROVIDERS, providerNamed, inBodies } from '@carillon/push-providers';
import type { StoredTemplate } from '@carillon/push-store';
import { checkOverride, readContent } from '../admission/request.js';
import { checkPlaceholders } from '../admission/templates.js';
import { invalid, neededText, objectOf, wholeObject } from '../fields.js';

const MAX_LOCALES = 100;

/** The template of a body, its placeholders checked. */
export function readTemplate(appId: string, value: unknown, nowMs: number): StoredTemplate {
  const body = wholeObject(value);
  const templateId = neededText(body, 'templateId', 128);
  if (templateId.includes('/')) throw invalid('templateId must not contain /');
  const defaultLocale = neededText(body, 'defaultLocale', 35);
  const given = Object.entries(objectOf(body, 'locales') ?? {});
  if (given.length === 0 || given.length > MAX_LOCALES)
    throw invalid(`locales must have 1 to ${MAX_LOCALES} entries`);
  const locales = Object.fromEntries(given.map(([name, content]) => [name, readLocale(name, content)]));
  if (!Object.hasOwn(locales, defaultLocale)) throw invalid('defaultLocale must be one of locales');
  return {
    appId,
    templateId,
    defaultLocale,
    locales: JSON.stringify(locales),
    overrides: JSON.stringify(readOverrides(objectOf(body, 'providerOverrides') ?? {})),
    createdMs: nowMs,
    updatedMs: nowMs,
  };
}

function readLocale(name: string, value: unknown): JsonObject {
  if (name.trim() === '' || Buffer.byteLength(name) > 35) throw invalid('a locale must have 1 to 35 bytes');
  if (!isObject(value)) throw invalid('a locale must be an object');
  for (const field of ['title', 'body']) neededText(value, field, 4096);
  const content = readContent(value);
  checkPlaceholders(content);
  return { ...content };
}

function readOverrides(value: JsonObject): JsonObject {
  const overrides: Record<string, { payload: JsonObject }> = {};
  for (const [key, one] of Object.entries(value)) {
    const provider = providerNamed(key);
    if (provider === null || !isObject(one)) throw invalid('providerOverrides has a key that is no provider');
    const inner = typeof one['provider'] === 'string' ? providerNamed(one['provider']) : null;
    if (inner !== provider) throw invalid('provider of an override must equal its key');
    overrides[provider] = { payload: checkOverride(provider, one['payload']) };
  }
  return overrides;
}

export function templateShape({
  appId,
  templateId,
  defaultLocale,
  locales,
  overrides,
}: StoredTemplate): JsonObject {
  const stored = JSON.parse(overrides) as Record<string, { payload: JsonObject }>;
  const shown = PROVIDERS.filter((provider) => stored[provider] !== undefined).map((provider) => [
    inBodies(provider),
    { provider: inBodies(provider), payload: stored[provider]?.payload },
  ]);
  return {
    appId,
    templateId,
    defaultLocale,
    locales: JSON.parse(locales) as JsonObject,
    providerOverrides: Object.fromEntries(shown) as JsonObject,
  };
}
