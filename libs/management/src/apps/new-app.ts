import { randomBytes } from 'node:crypto';
import { type AppRecord, parseAppRecord } from '@carillon/config';
import type { FieldProblem } from '@carillon/errors';
import { invalidFields } from '../http/fields.js';
import { written } from './stored-app.js';

/** Body of `POST /apps`; what is absent is generated. The record parser checks the types. */
export interface NewApp {
  readonly id?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly enabled?: boolean;
  readonly policy?: unknown;
}

const MEMBERS: ReadonlySet<string> = new Set(['id', 'key', 'secret', 'enabled', 'policy']);
const SECRET = /^[\x21-\x7e]{16,255}$/;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 12 of 32 letters: no two of them look alike. */
const newId = (): string => `app-${[...randomBytes(12)].map((byte) => ID_LETTERS[byte % 32]).join('')}`;
const newKey = (): string => `k_${randomBytes(12).toString('hex')}`;
export const newSecret = (): string => `s_${randomBytes(24).toString('hex')}`;

/** @throws ServiceError `invalid_input` that names every invalid field */
export function newAppRecord(body: NewApp): AppRecord {
  const { id = newId(), key = newKey(), secret = newSecret(), enabled = true, policy = {} } = body;
  const { record, problems, unknownKeys } = parseAppRecord({ id, key, secret, enabled, policy }, '');
  const found: FieldProblem[] = [
    ...Object.keys(body)
      .filter((name) => !MEMBERS.has(name))
      .map((path) => ({ path, message: 'is not a known field' })),
    ...problems,
    ...unknownKeys.map(({ path }) => ({ path, message: 'is not a known field' })),
  ];
  if (typeof secret === 'string' && !SECRET.test(secret))
    found.push({ path: 'secret', message: 'must be 16 to 255 visible ASCII characters' });
  if (record === null || found.length > 0) throw invalidFields(found);
  return written(record);
}
