import { type Filter, FilterSubject, type HeldFilter } from '@carillon/filter';
import type { Appends, Codec, Frame, Frames, LiteralSelector } from '@carillon/realtime';
import { type Fact, type Message, rawMember, type WireNames } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { Narrowed } from './view-v2.js';

/** The filter subject of each message, built once and shared by all filters. */
const subjects = new WeakMap<Message, FilterSubject>();

/** `names`: filters match event names in the client-facing spelling, of which each process has one. */
function subjectOf(message: Message, names: WireNames): FilterSubject {
  let subject = subjects.get(message);
  if (subject === undefined) {
    const { extrasText, action } = message;
    const headersText = extrasText === null ? null : rawMember(extrasText, 'headers');
    subject = new FilterSubject({
      ...message,
      event: names.toWire(message.event),
      headersText,
      action: action === 'plain' ? null : action,
    });
    subjects.set(message, subject);
  }
  return subject;
}

const literalsOf = new WeakMap<WireNames, LiteralSelector['literalsOf']>();

/** Selects messages by the literals of a filter; undefined if it has none. */
function selectorOf({ literals }: Filter, names: WireNames): LiteralSelector | undefined {
  if (literals === null) return undefined;
  let shared = literalsOf.get(names);
  if (shared === undefined) literalsOf.set(names, (shared = (message) => subjectOf(message, names).literals));
  return { literals, literalsOf: shared };
}

/** A codec narrowed by a filter. Subscribers that accept the event share the same bytes. */
class FilteredCodec implements Codec {
  readonly filters = true;
  readonly selector: LiteralSelector | undefined;

  constructor(
    private readonly base: Codec,
    private readonly filter: Filter,
    private readonly names: WireNames,
    private readonly share: LoopShare,
  ) {
    this.selector = selectorOf(filter, names);
  }

  isDeferred(frames: Frames): boolean {
    return frames.fact.kind === 'message' && this.share.isSpent && !frames.has(this);
  }

  get appends(): Appends | undefined {
    return this.base.appends;
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    if (fact.kind === 'message' && !this.#accepts(fact)) return null;
    return frames.of(this.base);
  }

  #accepts(message: Message): boolean {
    return this.share.measure(() => this.filter.accepts(subjectOf(message, this.names)));
  }
}

const codecs = new WeakMap<Codec, WeakMap<Filter, Codec>>();

/**
 * The one codec of a filter over a codec: equal filters are one object, so their subscribers share frames and topics.
 */
function filteredCodec(base: Codec, filter: Filter, names: WireNames, share: LoopShare): Codec {
  let ofBase = codecs.get(base);
  if (ofBase === undefined) codecs.set(base, (ofBase = new WeakMap()));
  let codec = ofBase.get(filter);
  if (codec === undefined) ofBase.set(filter, (codec = new FilteredCodec(base, filter, names, share)));
  return codec;
}

/** Returns the codec of a channel narrowed by a filter. */
export const narrowedBy = (
  base: Codec,
  { filter, release }: Pick<HeldFilter, 'filter' | 'release'>,
  names: WireNames,
  share: LoopShare,
): Narrowed => ({
  codec: filteredCodec(base, filter, names, share),
  accepts: (message) =>
    share.isSpent ? null : share.measure(() => filter.accepts(subjectOf(message, names))),
  release,
});
