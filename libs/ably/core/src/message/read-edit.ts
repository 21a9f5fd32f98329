import { CompatError } from '../compat-error.js';
import { isObject, type JsonObject } from '../json.js';
import { type EditAction, editOf } from './actions.js';
import {
  extrasOf,
  type Identity,
  isGiven,
  type NamedRules,
  nameOf,
  payloadOf,
  publisherOf,
  sizeOf,
  textOf,
} from './read-message.js';

/** A validated change of a message. Null: the field stays unchanged. */
export interface Edit {
  readonly action: EditAction;
  readonly name: string | null;
  readonly data: string | null;
  readonly encoding: string | null;
  readonly extras: JsonObject | null;
  /** The clientId reported as the author of the change; null: that of the caller. */
  readonly clientId: string | null;
  readonly description: string | null;
  readonly metadata: JsonObject | null;
}

const MAX_DESCRIPTION_BYTES = 1024;
const malformed = (text: string): CompatError => new CompatError(40_000, text);

/**
 * Parses a change of the message with this serial.
 *
 * @throws CompatError if it is invalid.
 */
export function readEdit(value: unknown, serial: string, identity: Identity, rules: NamedRules): Edit {
  if (!isObject(value)) throw malformed('a change must be an object');
  const action = isGiven(value['action']) ? editOf(value['action']) : 'update';
  if (action === null) throw malformed('the action is no change of a message');
  if (isGiven(value['serial']) && value['serial'] !== serial) throw malformed('serial is another message');
  const { data, encoding, bytes } = payloadOf(value);
  const edit = {
    action,
    name: nameOf(value, rules),
    data,
    encoding,
    extras: extrasOf(value['extras']),
    ...versionOf(value['version'], identity),
  };
  if (action === 'append' && typeof value['data'] !== 'string')
    throw malformed('an append needs data that is a text');
  // Whose message it is never changes: the name that a client sends with it counts for nothing.
  if (sizeOf({ ...edit, clientId: null }, bytes) > rules.maxBytes)
    throw new CompatError(40_009, 'the message is too large');
  return edit;
}

function versionOf(
  version: unknown,
  identity: Identity,
): Pick<Edit, 'clientId' | 'description' | 'metadata'> {
  if (!isGiven(version)) return { clientId: null, description: null, metadata: null };
  if (!isObject(version)) throw malformed('version must be an object');
  const { metadata } = version;
  if (isGiven(metadata) && !isTexts(metadata)) throw malformed('version.metadata must be an object of texts');
  return {
    clientId: isGiven(version['clientId']) ? publisherOf(version, identity) : null,
    description: textOf(version, 'description', MAX_DESCRIPTION_BYTES),
    metadata: isTexts(metadata) ? metadata : null,
  };
}

const isTexts = (value: unknown): value is JsonObject =>
  isObject(value) && Object.values(value).every((one) => typeof one === 'string');
