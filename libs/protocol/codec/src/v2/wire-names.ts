import { readReservedEvent, type ReservedKind } from '../event-names.js';
import { SERVICE_HEADERS } from './service-headers.js';

const HEADERS: ReadonlySet<string> = new Set(Object.values(SERVICE_HEADERS));

/**
 * Spelling of names of protocol 2. Internally names begin with `service`; a configured vendor word replaces it on the
 * wire, so that clients of that vendor need no change.
 */
export class WireNames {
  readonly #system: string;
  readonly #internal: string;
  readonly #header: string;

  /** The word, as the settings have it. */
  constructor(readonly vendor: string) {
    this.#system = `${vendor}:`;
    this.#internal = `${vendor}_internal:`;
    this.#header = `${vendor}_`;
  }

  /** The claims of a capability token. */
  get claims(): { readonly clientId: string; readonly capability: string } {
    return { clientId: this.httpHeader('client-id'), capability: this.httpHeader('capability') };
  }

  /** A header of HTTP, from its name without the word. */
  httpHeader(name: string): string {
    return `x-${this.vendor}-${name}`;
  }

  /** An event as a protocol 2 connection spells it. One without a reserved prefix stays as it is. */
  toWire(event: string): string {
    const reserved = readReservedEvent(event);
    if (reserved === null) return event;
    return (reserved.kind === 'system' ? this.#system : this.#internal) + reserved.name;
  }

  /** Parses a reserved event spelled with this word or as in protocol 1; null: not reserved. */
  readReserved(event: string): { readonly kind: ReservedKind; readonly name: string } | null {
    if (event.startsWith(this.#system)) return { kind: 'system', name: event.slice(this.#system.length) };
    if (event.startsWith(this.#internal))
      return { kind: 'internal', name: event.slice(this.#internal.length) };
    return event.startsWith('pusher') ? readReservedEvent(event) : null;
  }

  /** An event as the service names it inside, from any spelling. */
  fromWire(event: string): string {
    const reserved = this.readReserved(event);
    if (reserved === null) return event;
    return `${reserved.kind === 'system' ? 'service:' : 'service_internal:'}${reserved.name}`;
  }

  /** The name of a header of `extras` as clients see it. Publishers' own names stay as they are. */
  headerToWire(name: string): string {
    return HEADERS.has(name) ? this.#header + name.slice('service_'.length) : name;
  }

  /** Whether a header is reserved for the service. */
  isReservedHeader(name: string): boolean {
    return name.startsWith('service_') || name.startsWith(this.#header);
  }
}
