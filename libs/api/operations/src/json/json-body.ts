import { ServiceError } from '@carillon/errors';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const NO_BYTES = new Uint8Array(0);

/** A JSON object as parsed. Members may be of any type, and any may be missing. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An object together with the text it was parsed from, so that parts of it can be passed on as written. */
export interface JsonBody {
  readonly text: string;
  readonly object: JsonObject;
}

/** Whether a parsed value is an object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object that was made here. */
export const jsonBody = (object: JsonObject): JsonBody => ({ text: JSON.stringify(object), object });

/** Received bytes, parsed at first use; throws `invalid_input` if they are not a JSON object in UTF-8. */
export class ReceivedBody implements JsonBody {
  #parsed: JsonBody | undefined;

  constructor(private readonly bytes: Uint8Array = NO_BYTES) {}

  get text(): string {
    return this.#read().text;
  }

  get object(): JsonObject {
    return this.#read().object;
  }

  #read(): JsonBody {
    this.#parsed ??= read(this.bytes);
    return this.#parsed;
  }
}

function read(bytes: Uint8Array): JsonBody {
  const { text, value } = parse(bytes);
  if (isJsonObject(value)) return { text, object: value };
  throw new ServiceError('invalid_input', { text: 'the body must be a JSON object' });
}

function parse(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = UTF8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new ServiceError('invalid_input', { text: 'the body is not valid JSON' });
  }
}
