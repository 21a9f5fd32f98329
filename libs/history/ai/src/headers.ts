import type { Config } from '@carillon/config';

/** Lengths that the settings of AI transport allow. */
export interface HeaderLimits {
  readonly maxTransportValueBytes: number;
  readonly maxSteerCodecMessageIdsBytes: number;
}

/** Rejected headers of a publish or mutation. */
export interface HeaderRefusal {
  readonly code: 'ai_client_id_spoof' | 'ai_header_too_large' | 'ai_invalid_transport_header';
  readonly text: string;
}

const MAX_KEYS = 32;
const MAX_KEY_BYTES = 64;
const MAX_CODEC_VALUE_BYTES = 256;
const MAX_PROVIDER_METADATA_BYTES = 8192;

type Domain = (value: string) => boolean;

const nonEmpty: Domain = (value) => value !== '';
const any: Domain = () => true;
const among = (...words: string[]): Domain => {
  const known = new Set(words);
  return (value) => known.has(value);
};
const flag = among('true', 'false');
const over = ['complete', 'cancelled', 'error'];

/** Allowed values of each transport header. */
const DOMAINS: ReadonlyMap<string, Domain> = new Map([
  ...[
    'run-id',
    'turn-id',
    'turn-client-id',
    'input-client-id',
    'input-codec-message-id',
    'codec-message-id',
    'parent',
    'fork-of',
    'stream-id',
    'invocation-id',
    'event-id',
    'step-id',
    'step-start-serial',
    'steer-codec-message-ids',
    'msg-regenerate',
    'supersedes',
    'error-code',
    'model',
  ].map((name): [string, Domain] => [name, nonEmpty]),
  ['run-client-id', any],
  ['step-client-id', any],
  ['error-message', any],
  ['run-reason', among(...over)],
  ['turn-reason', among(...over, 'suspended')],
  ['step-reason', among('complete', 'failed', 'cancelled')],
  ['stream', flag],
  ['discrete', flag],
  ['turn-continue', flag],
  ['run-continue', flag],
  ['status', among('streaming', 'complete', 'cancelled')],
  ['role', among('user', 'assistant', 'system', 'tool', 'agent')],
]);

const invalid = (text: string): HeaderRefusal => ({ code: 'ai_invalid_transport_header', text });
const tooLarge = (text: string): HeaderRefusal => ({ code: 'ai_header_too_large', text });

/** Configured limits. */
export const headerLimits = ({ ai_transport: ai }: Pick<Config, 'ai_transport'>): HeaderLimits => ({
  maxTransportValueBytes: ai.max_transport_value_bytes,
  maxSteerCodecMessageIdsBytes: ai.max_steer_codec_message_ids_bytes,
});

/** Checks `extras.ai` as parsed; null: nothing is wrong with it. */
export function checkHeaders(ai: unknown, limits: HeaderLimits): HeaderRefusal | null {
  if (!isObject(ai)) return invalid('extras.ai must be an object');
  return checkTransport(ai['transport'], limits) ?? checkCodec(ai['codec']);
}

function checkTransport(value: unknown, limits: HeaderLimits): HeaderRefusal | null {
  const maxBytes = (name: string): number =>
    name === 'steer-codec-message-ids' ? limits.maxSteerCodecMessageIdsBytes : limits.maxTransportValueBytes;
  return checkPart('transport', value, /^[a-z0-9-]+$/, maxBytes, (name, text) =>
    DOMAINS.get(name)?.(text) === true ? null : invalid(`extras.ai.transport.${name} is not allowed so`),
  );
}

const checkCodec = (value: unknown): HeaderRefusal | null =>
  checkPart(
    'codec',
    value,
    /^[A-Za-z0-9_-]+$/,
    (name) => (name === 'providerMetadata' ? MAX_PROVIDER_METADATA_BYTES : MAX_CODEC_VALUE_BYTES),
    () => null,
  );

function checkPart(
  part: string,
  value: unknown,
  names: RegExp,
  maxBytes: (name: string) => number,
  rest: (name: string, text: string) => HeaderRefusal | null,
): HeaderRefusal | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return invalid(`extras.ai.${part} must be an object of strings`);
  const entries = Object.entries(value);
  if (entries.length > MAX_KEYS) return tooLarge(`extras.ai.${part} has more than ${MAX_KEYS} members`);
  for (const [name, text] of entries) {
    if (Buffer.byteLength(name) > MAX_KEY_BYTES) return tooLarge(`a name of extras.ai.${part} is too long`);
    if (!names.test(name))
      return invalid(`a name of extras.ai.${part} has other characters than are allowed`);
    if (typeof text !== 'string') return invalid(`extras.ai.${part}.${name} must be a string`);
    if (Buffer.byteLength(text) > maxBytes(name)) return tooLarge(`extras.ai.${part}.${name} is too long`);
    const wrong = rest(name, text);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Rejects headers that name another client; null if valid. `clientId` is the verified identity. */
export function checkIdentity(ai: unknown, clientId: string): HeaderRefusal | null {
  const transport = isObject(ai) && isObject(ai['transport']) ? ai['transport'] : {};
  const foreign = Object.entries(transport).some(
    ([name, value]) => name.endsWith('-client-id') && value !== clientId,
  );
  return foreign ? { code: 'ai_client_id_spoof', text: 'a client id header is not the client' } : null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
