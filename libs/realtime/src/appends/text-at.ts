import { fragmentOf, streamName, type StoredRecord, type StreamAddress } from '@carillon/history-store';
import type { StreamReads } from '../durable/stream-reads.js';
import { innerOf, type Text } from './full-text-expander.js';
import { rawMember } from '@carillon/protocol';

/** Page size of version reads. */
const PAGE = 200;
/** Limit of versions read for one text; beyond it the text counts as unreadable. */
const MAX_VERSIONS = 20_000;

/**
 * Reads the text of a message as of a delivery serial: the sum of its versions up to that serial, regardless of later
 * ones. Returns null if the message does not exist (any longer) or is not a string at that serial. Rejects if it
 * cannot be read.
 * Costs one read if no later version exists. Otherwise later versions are read newest first, and their fragments are
 * cut from the end of the latest text. Earlier fragments are added up only if a later version replaced the text.
 */
export async function textAt(
  reads: Pick<StreamReads, 'heads' | 'messages' | 'versions'>,
  address: StreamAddress,
  messageSerial: string,
  serial: number,
): Promise<Text | null> {
  const stream = (await reads.heads([address])).get(streamName(address));
  if (stream === undefined) return null;
  const { streamKey, generation, floorMessageSerial } = stream;
  const query = { streamKey, generation, floorMessageSerial, nowMs: Date.now() };
  const [latest] = await reads.messages({ ...query, messageSerials: [messageSerial] });
  if (latest === undefined) return null;
  if (latest.deliverySerial <= serial) return textOf(latest.data?.text ?? null, latest.deliverySerial);
  const rewound = new Rewound(latest.data?.text ?? null, latest.deliverySerial, serial);
  let after: string | null = null;
  for (let read = 0; read < MAX_VERSIONS; read += PAGE) {
    const versions: readonly StoredRecord[] = await reads.versions({
      streamKey,
      generation,
      messageSerial,
      sinceMs: null,
      newestFirst: true,
      after,
      limit: PAGE,
    });
    for (const version of versions) if (rewound.take(version)) return rewound.text;
    if (versions.length < PAGE) return null;
    after = versions.at(-1)?.versionSerial ?? null;
  }
  throw new Error(`a message has more than ${MAX_VERSIONS} versions since its text was replaced`);
}

/** The text of a message at a serial, found by going through its versions from the newest. */
class Rewound {
  text: Text | null = null;
  /** Fragments after the serial that are at the end of the latest text; null behind a replacement. */
  #later: string[] | null = [];
  /** Fragments up to the serial behind a replacement, newest first. */
  readonly #earlier: string[] = [];
  /** Delivery serial of the newest version up to the serial; 0: none was seen. */
  #newest = 0;

  constructor(
    private readonly latest: string | null,
    private readonly latestSerial: number,
    private readonly serial: number,
  ) {}

  /** Returns true when the text is known. */
  take({ action, deliverySerial, payload }: StoredRecord): boolean {
    if (deliverySerial > this.latestSerial) return false;
    // Purged content.
    if (payload === null) return true;
    const fragment = action === 'append' ? fragmentOf(payload) : null;
    if (deliverySerial > this.serial) {
      if (fragment === null) this.#later = null;
      else this.#later?.push(fragment);
      return false;
    }
    if (this.#newest === 0) this.#newest = deliverySerial;
    if (this.#later !== null) return this.#found(cut(this.latest, this.#later));
    if (fragment === null) return this.#found(add(rawMember(payload, 'data'), this.#earlier));
    this.#earlier.push(fragment);
    return false;
  }

  #found(dataText: string | null | undefined): boolean {
    this.text = dataText === undefined ? null : textOf(dataText, this.#newest);
    return true;
  }
}

/** A JSON string without these fragments at its end, newest first; undefined if it does not end with them. */
function cut(dataText: string | null, fragments: readonly string[]): string | undefined {
  const text = stringOf(dataText);
  const end = fragments.toReversed().join('');
  if (text === null || !text.endsWith(end)) return undefined;
  return JSON.stringify(text.slice(0, text.length - end.length));
}

/** A JSON string with these fragments behind it, newest first; undefined if it is not a string. */
function add(dataText: string | null, fragments: readonly string[]): string | null | undefined {
  if (fragments.length === 0) return dataText;
  const text = stringOf(dataText);
  return text === null ? undefined : JSON.stringify(text + fragments.toReversed().join(''));
}

function stringOf(dataText: string | null): string | null {
  const value: unknown = dataText === null ? '' : JSON.parse(dataText);
  if (value === null) return '';
  return typeof value === 'string' ? value : null;
}

function textOf(dataText: string | null, serial: number): Text | null {
  const inner = innerOf(dataText);
  return inner === null ? null : { inner, serial };
}
