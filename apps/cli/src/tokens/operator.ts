import { randomBytes } from 'node:crypto';
import { usageError } from '../program/errors.js';
import { type Values, oneOf } from '../program/values.js';

const SCOPES = ['read', 'write', 'admin'] as const;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What a token of operators or tools may do. */
export interface Grant {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly apps: readonly string[];
}

export function grantOf(values: Values): Grant {
  const name = values.required('name');
  if (!NAME.test(name))
    throw usageError(`--name "${name}" must have 1 to 64 characters of A-Z a-z 0-9 . _ -`);
  const scopes = (values.text('scopes') ?? 'read')
    .split(',')
    .map((one) => oneOf(one.trim(), 'scope', SCOPES));
  const apps = (values.text('apps') ?? '*').split(',').map((one) => one.trim());
  if (apps.includes('')) throw usageError('--apps contains an empty app id');
  return { name, scopes, apps };
}

/** 32 random bytes in 43 characters. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** A table of TOML; JSON texts and lists of texts are TOML too. */
export const tomlBlock = (name: string, members: Readonly<Record<string, unknown>>): string =>
  `[[${name}]]\n${Object.entries(members)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('')}`;
