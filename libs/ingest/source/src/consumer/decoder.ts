import { createHash } from 'node:crypto';
import { rawMember } from '@carillon/protocol';
import { EVENT_OVERHEAD_BYTES, type IngestEvent, type IngestOperation } from '../event.js';
import { BadMessage } from './bad-message.js';
import { type ConsumerMap, Mapping } from './mapping.js';
import type { ReceivedMessage } from './message.js';

export interface DecoderOptions {
  readonly source: string;
  /** App of events that name none. */
  readonly app: string;
  /** Null: chosen by the headers of each message. */
  readonly format: 'command' | 'raw' | 'template' | null;
  readonly map: ConsumerMap;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_PAYLOAD_BYTES = 1_048_576;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const ENVELOPE: ReadonlySet<string> = new Set([
  'v',
  'op',
  'app',
  'channel',
  'name',
  'data',
  'message',
  'changes',
  'body',
]);
const SAID = ['client_id', 'description', 'metadata', 'op_id'];

/** Members of each operation, those that it requires first. */
const MEMBERS: Readonly<
  Record<IngestOperation, { required: readonly string[]; allowed: readonly string[] }>
> = {
  publish: {
    required: ['channel', 'name'],
    allowed: ['data', 'socket_id', 'tags', 'delta', 'idempotency_key', 'message_id', 'extras'],
  },
  append: { required: ['channel', 'message', 'data'], allowed: [...SAID, 'extras'] },
  update: { required: ['channel', 'message', 'changes'], allowed: SAID },
  delete: { required: ['channel', 'message'], allowed: SAID },
  push: { required: ['body'], allowed: [] },
};

/** Decodes messages into events. */
export class Decoder {
  readonly #mapping: Mapping | null;

  /** @throws Error for a template that cannot be used */
  constructor(private readonly options: DecoderOptions) {
    this.#mapping = options.format === 'template' ? new Mapping(options.map) : null;
  }

  /** Null: a message without a payload. @throws BadMessage */
  decode(message: ReceivedMessage): IngestEvent | null {
    const { payload, headers } = message;
    if (payload === null) return null;
    if (payload.length > MAX_PAYLOAD_BYTES)
      throw new BadMessage(
        'payload_too_large',
        `payload has ${payload.length} bytes, at most ${MAX_PAYLOAD_BYTES} allowed`,
      );
    const text = utf8(payload);
    if (this.#mapping !== null) {
      const value = json(text);
      return this.#event(message, this.#mapping.apply({ ...message, payload: value }, text));
    }
    const isRaw = headers['x-service-channel'] !== undefined && headers['x-service-event'] !== undefined;
    if ((this.options.format ?? (isRaw ? 'raw' : 'command')) === 'raw')
      return this.#event(message, JSON.stringify({ ...fromHeaders(headers, true), data: text }));
    return this.#event(message, commandText(text, headers));
  }

  #event(message: ReceivedMessage, text: string): IngestEvent {
    const fields = objectOf(json(text));
    const op = operationOf(fields);
    check(op, fields);
    const content = { append: 'data', publish: 'data', update: 'changes', push: 'body', delete: null }[op];
    const value = content === null ? undefined : fields[content];
    const isText = typeof value === 'string' || value === undefined;
    const options = Object.entries(fields).filter(([name]) => !ENVELOPE.has(name));
    const raw = (name: string): string => rawMember(text, name) ?? 'null';
    return {
      id: this.#id(message),
      op,
      app: stringOf(fields, 'app') ?? this.options.app,
      channel: stringOf(fields, 'channel') ?? null,
      name: stringOf(fields, 'name') ?? null,
      message: stringOf(fields, 'message') ?? null,
      data: isText ? (value ?? null) : raw(content ?? ''),
      isJson: !isText,
      optionsText: `{${options.map(([name]) => `${JSON.stringify(name)}:${raw(name)}`).join(',')}}`,
      atMs: message.atMs,
      bytes: text.length + EVENT_OVERHEAD_BYTES,
    };
  }

  /** The same for every delivery of a message. */
  #id({ position }: ReceivedMessage): string {
    const hash = createHash('sha256').update(`${this.options.source}\0${position}`).digest('hex');
    return `in-${hash.slice(0, 32)}`;
  }
}

function utf8(payload: Uint8Array): string {
  try {
    return UTF8.decode(payload);
  } catch {
    throw new BadMessage('invalid_json', 'the payload is not UTF-8');
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadMessage('invalid_json', 'the payload is not valid JSON');
  }
}

function objectOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new BadMessage('invalid_command', 'a command must be a JSON object');
}

/** Members that headers give; a raw payload gets its channel and event from them as well. */
function fromHeaders(headers: ReceivedMessage['headers'], isRaw: boolean): Fields {
  const names: readonly (readonly [string, string])[] = [
    ['op', 'x-service-op'],
    ['app', 'x-service-app'],
    ['message_id', 'x-service-message-id'],
    ['idempotency_key', 'x-service-idempotency-key'],
    ...(isRaw
      ? ([
          ['channel', 'x-service-channel'],
          ['name', 'x-service-event'],
        ] as const)
      : []),
  ];
  return Object.fromEntries(
    names.flatMap(([member, header]) => (headers[header] === undefined ? [] : [[member, headers[header]]])),
  );
}

/** The command with the members that its headers add. */
function commandText(text: string, headers: ReceivedMessage['headers']): string {
  const given = objectOf(json(text));
  const added = Object.entries(fromHeaders(headers, false)).filter(([name]) => given[name] === undefined);
  if (added.length === 0) return text;
  const inner = text.trim().slice(1, -1).trim();
  const more = JSON.stringify(Object.fromEntries(added)).slice(1, -1);
  return `{${inner}${inner === '' ? '' : ','}${more}}`;
}

function operationOf({ v = 1, op = 'publish' }: Fields): IngestOperation {
  if (v !== 1) throw new BadMessage('invalid_command', 'v must be 1');
  if (typeof op === 'string' && Object.hasOwn(MEMBERS, op)) return op as IngestOperation;
  throw new BadMessage('invalid_command', `op ${JSON.stringify(op)} is unknown`.slice(0, 200));
}

function check(op: IngestOperation, fields: Fields): void {
  const { required, allowed } = MEMBERS[op];
  const known = new Set(['v', 'op', 'app', ...required, ...allowed]);
  const unknown = Object.keys(fields).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new BadMessage('invalid_command', `member "${unknown.slice(0, 100)}" is unknown`);
  const absent = required.find((name) => fields[name] === undefined || fields[name] === null);
  if (absent !== undefined) throw new BadMessage('invalid_command', `${absent} is missing`);
  for (const name of ['channel', 'name', 'message', 'app']) stringOf(fields, name);
  const object = op === 'update' ? 'changes' : 'body';
  if ((op === 'update' || op === 'push') && typeof fields[object] !== 'object')
    throw new BadMessage('invalid_command', `${object} must be an object`);
}

function stringOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new BadMessage('invalid_command', `${name} must be a string`);
}
