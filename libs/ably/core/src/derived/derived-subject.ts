import { documentOf, type Expression, type FilterDocument } from '@carillon/filter';
import { parseJson } from '../json.js';
import type { WireMessage } from '../message/native.js';

/** One message as derived channels see it: read once for all of them, and judged once by each expression. */
export class DerivedSubject {
  #document: FilterDocument | null | undefined;
  readonly #verdicts = new Map<Expression, boolean>();

  constructor(private readonly message: WireMessage) {}

  /** Never throws. A message that is too large to be judged fits nothing. */
  fits(expression: Expression): boolean {
    let verdict = this.#verdicts.get(expression);
    if (verdict === undefined) {
      if (this.#document === undefined) this.#document = documentOf(projected(this.message));
      verdict = this.#document !== null && expression.accepts(this.#document.value);
      this.#verdicts.set(expression, verdict);
    }
    return verdict;
  }
}

function projected({ name, data, clientId, connectionId, encoding, extras }: WireMessage): object {
  return {
    name: name ?? null,
    data: encoding === 'json' && data !== undefined ? (parseJson(data) ?? null) : (data ?? null),
    clientId: clientId ?? null,
    connectionId: connectionId ?? null,
    encoding: encoding ?? null,
    extras: extras ?? null,
    headers: extras?.['headers'] ?? null,
  };
}
