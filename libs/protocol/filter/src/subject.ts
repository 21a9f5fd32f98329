import { documentOf, type FilterDocument } from './document.js';
import { eventLiteral, tagLiteral } from './literals.js';

/** Fields of an event used by filters. */
export interface FilterableEvent {
  readonly event: string;
  readonly channel: string;
  /** JSON text as delivered; null: it has none. */
  readonly dataText: string | null;
  /** The original name of an event about a message; else null. */
  readonly name: string | null;
  readonly userId: string | null;
  /** JSON text of an object of strings; null: it has none. */
  readonly tagsText: string | null;
  /** JSON text of a flat object; null: it has none. */
  readonly headersText: string | null;
  readonly messageId: string | null;
  readonly streamId: string | null;
  readonly serial: number | null;
  /** `create`, `update`, `delete` or `append` of an event about a message; else null. */
  readonly action: string | null;
}

/** Headers that the service sets are not for filters. */
const SERVICE_HEADER = 'service_';

/** One event for filters. Parsed parts are computed on demand, once for all filters. */
export class FilterSubject {
  #tags: ReadonlyMap<string, string> | undefined;
  #projection: FilterDocument | null | undefined;
  #literals: ReadonlySet<string> | undefined;

  constructor(private readonly about: FilterableEvent) {}

  get event(): string {
    return this.about.event;
  }

  /** The original name of an event about a message; else null. */
  get name(): string | null {
    return this.about.name;
  }

  get tags(): ReadonlyMap<string, string> {
    this.#tags ??= new Map(
      Object.entries(parsedObject(this.about.tagsText)).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
    return this.#tags;
  }

  /** The literals that the event carries; made once for all filters. */
  get literals(): ReadonlySet<string> {
    this.#literals ??= new Set([
      ...[this.event, ...(this.name === null ? [] : [this.name])].map(eventLiteral),
      ...[...this.tags].map(([key, value]) => tagLiteral(key, value)),
    ]);
    return this.#literals;
  }

  /** The document of expressions; null: it is too large, or too deep. */
  get projection(): FilterDocument | null {
    if (this.#projection === undefined) this.#projection = this.#project();
    return this.#projection;
  }

  #project(): FilterDocument | null {
    const { event, channel, name, userId, messageId, streamId, serial, action } = this.about;
    return documentOf({
      event,
      channel,
      data: projectedData(this.about.dataText),
      name,
      userId,
      tags: this.about.tagsText === null ? null : parsedObject(this.about.tagsText),
      headers: this.about.headersText === null ? null : headers(this.about.headersText),
      messageId,
      streamId,
      serial,
      action,
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parsedObject(text: string | null): Readonly<Record<string, unknown>> {
  const value = text === null ? undefined : parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function headers(text: string): unknown {
  return Object.fromEntries(
    Object.entries(parsedObject(text)).filter(([name]) => !name.startsWith(SERVICE_HEADER)),
  );
}

/** Publishers mostly send objects as text, so the text of an object or list counts as its value. */
function projectedData(dataText: string | null): unknown {
  if (dataText === null) return null;
  const data = parsed(dataText) ?? null;
  if (typeof data !== 'string') return data;
  const inner = parsed(data);
  return typeof inner === 'object' && inner !== null ? inner : data;
}
