import { type Filter, FilterSubject, type HeldFilter } from '@carillon/filter';
import type { Appends, Codec, Frame, Frames } from '@carillon/hub';
import { type Fact, type Message, rawMember } from '@carillon/protocol';
import type { Narrowed } from './view-v2.js';

/** What filters look at, made once of each message for all of them. */
const subjects = new WeakMap<Message, FilterSubject>();

function subjectOf(message: Message): FilterSubject {
  let subject = subjects.get(message);
  if (subject === undefined) {
    const { extrasText, action } = message;
    const headersText = extrasText === null ? null : rawMember(extrasText, 'headers');
    subject = new FilterSubject({ ...message, headersText, action: action === 'plain' ? null : action });
    subjects.set(message, subject);
  }
  return subject;
}

/** A codec narrowed by a filter: the same bytes for whoever is told at all. */
class FilteredCodec implements Codec {
  readonly filters = true;

  constructor(
    private readonly base: Codec,
    private readonly filter: Filter,
  ) {}

  get appends(): Appends | undefined {
    return this.base.appends;
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    if (fact.kind === 'message' && !this.filter.accepts(subjectOf(fact))) return null;
    return frames.of(this.base);
  }
}

const codecs = new WeakMap<Codec, WeakMap<Filter, Codec>>();

/** The one codec of a filter over a codec: equal filters are one object, so their subscribers share frames and topics. */
function filteredCodec(base: Codec, filter: Filter): Codec {
  let ofBase = codecs.get(base);
  if (ofBase === undefined) codecs.set(base, (ofBase = new WeakMap()));
  let codec = ofBase.get(filter);
  if (codec === undefined) ofBase.set(filter, (codec = new FilteredCodec(base, filter)));
  return codec;
}

/** What a filter leaves of a channel. */
export const narrowedBy = (
  base: Codec,
  { filter, release }: Pick<HeldFilter, 'filter' | 'release'>,
): Narrowed => ({
  codec: filteredCodec(base, filter),
  accepts: (message) => filter.accepts(subjectOf(message)),
  release,
});
