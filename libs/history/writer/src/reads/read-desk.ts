import {
  decodeRead,
  encode,
  MAX_READ_BYTES,
  MAX_READ_RECORDS,
  type Read,
  READ_ANSWER,
  READ_REFUSED,
  type ReadAnswerBody,
  type ReadRefused,
} from '@carillon/contracts';
import type { Clock } from '../clock.js';
import type { WriterEvents } from '../writer/events.js';
import type { StoredRecord } from '@carillon/history-store';
import {
  annotationOut,
  annotationsIn,
  messageOut,
  messagesIn,
  summariesIn,
  summaryOut,
  versionsIn,
} from './message-wire.js';
import type { ChannelReads } from './port.js';
import { FairSlots } from '@carillon/runtime';
import { eventOut, pageIn, recordOut, retainedOut, standingOut, streamIn, streamOut } from './wire.js';

/** Concurrent reads of one writer; of those that wait, apps take turns. */
const SLOTS = { atOnce: 16, atOncePerOwner: 8, waitingPerOwner: 128 } as const;
/** A read that waited longer is refused: its requester has given up. */
const MAX_WAIT_MS = 2000;

export interface ReadDeskParts {
  readonly clock: Clock;
  readonly lanes: number;
  readonly maxBytes: number;
  readonly reads: ChannelReads;
  readonly events: WriterEvents;
}

/** Answers requests at the read address of a lane. Never rejects; null: no answer. */
export class ReadDesk {
  readonly #slots = new FairSlots(SLOTS);

  constructor(private readonly parts: ReadDeskParts) {}

  async answer(lane: number, text: string): Promise<string | null> {
    const { lanes, maxBytes, events } = this.parts;
    const decoded = decodeRead(text, maxBytes);
    if (!decoded.ok) {
      events.dropped(decoded.detail);
      return decoded.reason === 'unsupported-version' ? refused('unsupported_version') : null;
    }
    const { message } = decoded;
    if (message.lanes !== lanes || message.lane !== lane) {
      events.mismatched({ nodeId: message.node_id, lanes: message.lanes, lane: message.lane });
      return refused('lane_mismatch');
    }
    try {
      const body = await this.#inTurn(message);
      const encoded = body === null ? null : encode(READ_ANSWER, body, maxBytes);
      if (encoded?.ok === true) return encoded.text;
      events.failed('read', new Error(encoded?.detail ?? `the read waited longer than ${MAX_WAIT_MS} ms`));
    } catch (error) {
      events.failed('read', error);
    }
    return refused('unavailable');
  }

  /** Null: it waited too long. Rejects if too many reads of the app wait. */
  #inTurn(asked: Read): Promise<ReadAnswerBody | null> {
    const { clock } = this.parts;
    const receivedMs = clock.elapsed();
    return this.#slots.run(ownerOf(asked), async () =>
      clock.elapsed() - receivedMs > MAX_WAIT_MS ? null : this.#read(asked),
    );
  }

  async #read(asked: Read): Promise<ReadAnswerBody> {
    const { heads, range, page, events, checkpoint, retained } = asked;
    const { reads } = this.parts;
    if (heads !== undefined) {
      const addresses = heads.channels.map(({ app_id: appId, channel, kind }) => ({ appId, channel, kind }));
      return { streams: [...(await reads.heads(addresses, heads.create)).values()].map(streamOut) };
    }
    if (range !== undefined) {
      const { stream_key: streamKey, generation, from_serial: fromSerial, to_serial: toSerial } = range;
      return part(await reads.range({ streamKey, generation, fromSerial, toSerial, limit: range.limit }));
    }
    if (page !== undefined) return part(await reads.page(pageIn(page)));
    if (events !== undefined) {
      const { taken, more } = carried((await reads.presenceEvents(pageIn(events))).map(eventOut));
      return { events: taken, ...(more ? { more } : {}) };
    }
    if (checkpoint !== undefined) return this.#checkpoint(checkpoint);
    if (retained !== undefined)
      return { retained: retainedOut(await reads.retained(streamIn(retained.stream), retained.now_ms)) };
    return this.#messages(asked);
  }

  async #messages({ messages, versions, annotations, summaries }: Read): Promise<ReadAnswerBody> {
    const { reads } = this.parts;
    if (messages !== undefined) {
      const { taken, more } = carried((await reads.messages(messagesIn(messages))).map(messageOut));
      return { messages: taken, ...(more ? { more } : {}) };
    }
    if (versions !== undefined) return part(await reads.versions(versionsIn(versions)));
    if (annotations !== undefined) {
      const rows = await reads.annotations(annotationsIn(annotations));
      const { taken, more } = carried(rows.map(annotationOut));
      return { annotations: taken, ...(more ? { more } : {}) };
    }
    if (summaries !== undefined) {
      const { taken, more } = carried((await reads.summaries(summariesIn(summaries))).map(summaryOut));
      return { summaries: taken, ...(more ? { more } : {}) };
    }
    return {};
  }

  async #checkpoint(asked: NonNullable<Read['checkpoint']>): Promise<ReadAnswerBody> {
    const found = await this.parts.reads.presenceCheckpoint({
      streamKey: asked.stream_key,
      generation: asked.generation,
      fromSerial: asked.from_serial,
      toSerial: asked.to_serial,
    });
    if (found === null) return { checkpoint: null };
    const { taken, more } = carried(found.members.slice(asked.skip).map(standingOut));
    return { checkpoint: { serial: found.serial, members: taken }, ...(more ? { more } : {}) };
  }
}

/** The app whose share a read takes; the node's own share if it is about several apps, or of an unknown one. */
function ownerOf({ app_id: appId, heads, node_id: nodeId }: Read): string {
  if (appId !== undefined) return `app:${appId}`;
  const apps = new Set(heads?.channels.map((channel) => channel.app_id));
  const [only] = apps;
  return apps.size === 1 && only !== undefined ? `app:${only}` : `node:${nodeId}`;
}

function refused(code: ReadRefused['code']): string | null {
  const encoded = encode(READ_REFUSED, { code }, MAX_READ_BYTES);
  return encoded.ok ? encoded.text : null;
}

function part(records: readonly StoredRecord[]): ReadAnswerBody {
  const { taken, more } = carried(records.map(recordOut));
  return { records: taken, ...(more ? { more } : {}) };
}

/** Returns as many rows as one answer carries, at least one. */
function carried<Row>(rows: readonly Row[]): { readonly taken: Row[]; readonly more: boolean } {
  const taken: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (taken.length === MAX_READ_RECORDS || (taken.length > 0 && bytes > MAX_READ_BYTES))
      return { taken, more: true };
    taken.push(row);
  }
  return { taken, more: false };
}
