import { conflationKey, type DeltaAlgorithm, SharedEncoding } from '@carillon/delta';
import { type Fact, type Message, rawMember } from '@carillon/protocol';

/** Whether a message may be sent as a delta: published by a server, new, and not opted out. */
export const isCandidate = (fact: Fact): fact is Message =>
  fact.kind === 'message' &&
  !fact.isFromClient &&
  fact.mayBeDelta &&
  (fact.action === 'plain' || fact.action === 'create');

/** The group of a message on a channel with such a path, none meaning that there is one group; null: it is in none. */
export function groupOf(path: string | null, text: string): string | null {
  if (path === null) return '';
  // A path into a member needs that member alone read; one that is not there may mean one of the data.
  const [first = ''] = path.split('.');
  const frame: Record<string, unknown> = {};
  for (const member of new Set([first, 'data'])) {
    const raw = rawMember(text, member);
    if (raw !== null && raw !== undefined) frame[member] = JSON.parse(raw) as unknown;
  }
  return conflationKey(path, frame);
}

/** One message that may be sent as a delta. Its encodings are computed once and shared by all subscribers. */
export class DeltaEvent {
  readonly #encodings = new Map<DeltaAlgorithm, SharedEncoding>();

  constructor(
    readonly message: Message,
    /** The frame in full, which is the base of the next. */
    readonly text: string,
    readonly group: string,
    private readonly encoded: () => void,
  ) {}

  in(algorithm: DeltaAlgorithm): SharedEncoding {
    let encoding = this.#encodings.get(algorithm);
    if (encoding === undefined) {
      encoding = new SharedEncoding(this.text, algorithm, this.encoded);
      this.#encodings.set(algorithm, encoding);
    }
    return encoding;
  }
}
