import { renamed } from '../requests/names.js';
import { randomText } from '../requests/crypto.js';
import type { ApiRequest, Transport } from '../requests/transport.js';

/** Sends requests of one client and renames their answers. */
export class Caller {
  /** Keys of one client begin with 128 random bits, followed by a counter. */
  readonly #instance = randomText(16);
  #keys = 0;

  constructor(readonly transport: Transport) {}

  async call<Answer>(request: ApiRequest): Promise<Answer> {
    return renamed(await this.transport.request(request)) as Answer;
  }

  read<Answer>(path: string, query: Readonly<Record<string, string>>, call: Call): Promise<Answer> {
    return this.call({ ...callOf(call), method: 'GET', path, query, idempotent: true });
  }

  /** A new idempotency key. */
  nextKey(): string {
    this.#keys += 1;
    return `${this.#instance}-${this.#keys.toString(36)}`;
  }
}

type Call = Pick<ApiRequest, 'headers' | 'signal' | 'timeoutMs'>;

/** The options of a call alone. */
export function callOf({ signal, timeoutMs, headers }: Call): Call {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(headers === undefined ? {} : { headers }),
  };
}
