import type { JsonObject, JsonSchema } from '@carillon/api-operations';
import { CLOUDS } from '@carillon/push-providers';
import {
  PUSH_ANSWERS,
  PUSH_ROUTES,
  type PushInput,
  type PushOperations,
  type PushRoute,
} from '@carillon/push-core';
import { ofApp } from './arguments.js';
import { PUSH_ROWS, type PushRow } from './push-rows.js';
import type { Tool, ToolCall } from './tool.js';

/** Argument names of the idempotency key and of the rotation of a device token. */
const REQUEST_KEY = 'idempotency_key';
const ROTATE = 'rotate_identity_token';
/** Argument name of a body that is an array. */
const ITEMS = 'items';
const TOKEN = 'deviceIdentityToken';

/** Result without a value. */
const OK_SHAPE = { type: 'object', required: ['ok'], properties: { ok: { const: true } } } as const;

/** The path parameter that names a cloud. */
const PROVIDER = 'provider';
const PROVIDER_SCHEMA = { type: 'string', enum: CLOUDS } as const;
const TEXT = { type: 'string', minLength: 1 } as const;

/** A tool for every row. */
export const pushTools = (push: PushOperations): readonly Tool[] =>
  Object.entries(PUSH_ROWS).map(([name, row]) => toolOf(name, row, push));

function toolOf(
  name: string,
  { operation, scope, use, hints = {}, isUntrusted }: PushRow,
  push: PushOperations,
): Tool {
  const route: PushRoute = PUSH_ROUTES[operation];
  return {
    name,
    description: use,
    scope,
    hints,
    input: ofApp(argumentsOf(route, operation === 'registerPushDevice')),
    output: PUSH_ANSWERS[operation] ?? OK_SHAPE,
    isOfApp: true,
    needsAllApps: false,
    isUntrusted: isUntrusted === true,
    run: async (call) => {
      const { value } = await push.perform(operation, inputOf(name, route, call));
      return value === undefined ? null : withoutToken(value, call);
    },
  };
}

/** Argument name of a path segment: `templateId` becomes `template_id`. */
const argumentName = (segment: string): string =>
  segment.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const segmentsOf = ({ path }: PushRoute): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, segment = '']) => segment);

const optionsOf = ({ query, isList }: PushRoute): readonly string[] =>
  // A publish is asked to wait by its body.
  [...query.filter((one) => one !== 'mode'), ...(isList ? ['limit', 'cursor'] : [])];

function argumentsOf(route: PushRoute, rotates: boolean): JsonSchema {
  const { body = {}, takesRequestKey } = route;
  const segments = segmentsOf(route).map(argumentName);
  const isArray = body['type'] === 'array';
  const required = [...segments, ...(isArray ? [ITEMS] : ((body['required'] ?? []) as readonly string[]))];
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(segments.map((one) => [one, one === PROVIDER ? PROVIDER_SCHEMA : TEXT])),
      ...Object.fromEntries(optionsOf(route).map((one) => [one, optionSchema(one)])),
      ...(isArray ? { [ITEMS]: body } : (body['properties'] ?? {})),
      ...(takesRequestKey
        ? { [REQUEST_KEY]: { ...TEXT, description: 'The request is carried out once for this key.' } }
        : {}),
      ...(rotates ? { [ROTATE]: { type: 'boolean', description: 'The device gets a new token.' } } : {}),
    },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

const optionSchema = (name: string): JsonSchema => {
  if (name === 'limit') return { type: 'integer', minimum: 1, maximum: 1000, description: 'Size of a page.' };
  return name.endsWith('Ms') ? { type: 'integer', minimum: 0 } : { type: 'string' };
};

function inputOf(name: string, route: PushRoute, { app, given }: ToolCall): PushInput {
  if (app === null) throw new Error(`${name} is of an app`);
  const { app_id: _app, [REQUEST_KEY]: key, [ROTATE]: rotates, ...rest } = given;
  const taken = new Set([...segmentsOf(route).map(argumentName), ...optionsOf(route)]);
  const members = Object.fromEntries(Object.entries(rest).filter(([one]) => !taken.has(one)));
  const isArray = route.body?.['type'] === 'array';
  return {
    app,
    caller: { kind: 'admin', rotates: rotates === true },
    segments: Object.fromEntries(
      segmentsOf(route).map((one) => [one, textOf(given[argumentName(one)]) ?? '']),
    ),
    option: (one) => (optionsOf(route).includes(one) ? textOf(given[one]) : undefined),
    body: () => (isArray ? members[ITEMS] : members),
    ...(route.takesRequestKey && typeof key === 'string' ? { requestKey: key } : {}),
    quotaOverride: false,
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Removes the token of a new device unless the principal is an admin. */
function withoutToken(value: object, { principal }: ToolCall): object {
  if (!Object.hasOwn(value, TOKEN) || principal.scopes.has('admin')) return value;
  const { [TOKEN]: _token, ...shown } = value as JsonObject;
  return shown;
}
