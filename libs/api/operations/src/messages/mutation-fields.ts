import type { CommitRecordOf } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import { compactJson, rawMember } from '@carillon/protocol';
import { anyField, listField, textField } from '../describe/field.js';
import { EXTRAS, extrasField } from '../publish/event-fields.js';
import type { JsonBody } from '../json/json-body.js';

const MAX_METADATA_BYTES = 8192;
const CLEARED = ['name', 'data', 'extras'] as const;
type Clearable = (typeof CLEARED)[number];

const clearField = listField('clear_fields', 'Fields to remove; none of them may be given as well.', {
  items: { enum: CLEARED },
  uniqueItems: true,
});
const nameField = textField(
  'name',
  'Replaces the name of the event, at most `max_event_name_length` bytes of the app.',
  { minBytes: 1 },
);
const dataField = anyField('data', 'Replaces the data whole.');

/** Fields of every change. */
const SAID = {
  extras: extrasField('Replaces the extras whole.', { headers: EXTRAS.headers, ai: EXTRAS.ai }),
  clientId: textField(
    'client_id',
    'Who is told to have changed it; with `socket_id`, must be its identity.',
    {
      minBytes: 1,
      maxBytes: 128,
    },
  ),
  socketId: textField('socket_id', 'The connection to act as, with its rights.'),
  description: textField('description', 'Kept with the version.', { maxBytes: 1024 }),
  metadata: anyField('metadata', `Any JSON of at most ${MAX_METADATA_BYTES} bytes, kept with the version.`),
  opId: textField('op_id', 'The change is made once for it, as long as its version is kept.', {
    minBytes: 1,
    maxBytes: 64,
  }),
};

export const UPDATE = { name: nameField, data: dataField, clear: clearField, ...SAID };
export const DELETE = { data: dataField, clear: clearField, ...SAID };
export const APPEND = {
  data: textField('data', 'Goes behind the data there is. Empty only to end a stream.'),
  ...SAID,
};

/** Content of a change, as far as it follows from the body alone. */
export type Said = Pick<
  CommitRecordOf<'update'>,
  'client_id' | 'clear_fields' | 'data' | 'description' | 'extras' | 'metadata' | 'name' | 'op_id'
>;

/** @throws ServiceError `invalid_input` for contradicting members, `payload_too_large` */
export function readReplacement(body: JsonBody, maxBytes: number, takesName: boolean): Said {
  const { object, text } = body;
  const cleared = readCleared(object);
  const name = takesName ? UPDATE.name.of(object) : undefined;
  const data = rawOf(text, object, 'data', dataField.of(object));
  const said = { ...readSaid(body), ...given('name', name), ...given('data', data) };
  if (data !== undefined) checkSize(data, maxBytes);
  for (const field of cleared)
    if (said[field] !== undefined)
      throw new ServiceError('invalid_input', { text: `${field} is both given and cleared` });
  return { ...said, ...(cleared.length === 0 ? {} : { clear_fields: cleared }) };
}

/** Whether the change is empty. */
export const isNothing = (said: Said): boolean => Object.keys(said).length === 0;

/** Reads the members common to all changes. */
export function readSaid({ object, text }: JsonBody): Said {
  const metadata = rawOf(text, object, 'metadata', SAID.metadata.of(object));
  if (metadata !== undefined && Buffer.byteLength(metadata) > MAX_METADATA_BYTES)
    throw new ServiceError('invalid_input', {
      text: `metadata must have at most ${MAX_METADATA_BYTES} bytes`,
    });
  return {
    ...given('extras', rawOf(text, object, 'extras', SAID.extras.of(object))),
    ...given('client_id', SAID.clientId.of(object)),
    ...given('description', SAID.description.of(object)),
    ...given('metadata', metadata),
    ...given('op_id', SAID.opId.of(object)),
  };
}

/** @throws ServiceError `payload_too_large` */
export function checkSize(text: string, maxBytes: number): void {
  if (Buffer.byteLength(text) > maxBytes)
    throw new ServiceError('payload_too_large', { text: `data must have at most ${maxBytes} bytes` });
}

/** The value as it was written, without the white space around its parts. */
function rawOf(text: string, _object: object, name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : compactJson(rawMember(text, name) ?? 'null');
}

function readCleared(object: JsonBody['object']): Clearable[] {
  const all = clearField.of(object) ?? [];
  const known = all.filter((field): field is Clearable => CLEARED.some((name) => name === field));
  if (known.length === all.length && new Set(known).size === known.length) return known;
  throw new ServiceError('invalid_input', {
    text: 'clear_fields must be a list of name, data and extras, each at most once',
  });
}

const given = <Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Each in Name]?: Value } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [Each in Name]?: Value };
