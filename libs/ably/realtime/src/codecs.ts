import { RecentlyUsed } from '@carillon/collections';
import type { LoopShare } from '@carillon/runtime';
import { CompatCodec, type Variant } from './codec.js';
import type { Counted } from './counted.js';
import { MODE } from './flags.js';

/** The modes that affect the output of a codec. */
const TOLD = MODE.SUBSCRIBE | MODE.PRESENCE_SUBSCRIBE | MODE.ANNOTATION_SUBSCRIBE;
/** Limits of the codecs for client-chosen channel names. */
const MAX_NAMED = 4096;
const MAX_NAMES_BYTES = 1024 * 1024;

/** One codec for all attachments that are alike. */
export class Codecs {
  readonly #shared = new Map<string, CompatCodec>();
  /**
   * Codecs of client-chosen names. An evicted one is recreated for new attachments; existing attachments keep theirs.
   */
  readonly #named = new RecentlyUsed<CompatCodec>(MAX_NAMED, MAX_NAMES_BYTES);

  constructor(
    private readonly counted: Pick<Counted, 'encoded' | 'told'>,
    private readonly share?: LoopShare,
  ) {}

  of(variant: Variant): CompatCodec {
    const { format, channelText, modes } = variant;
    const key = `${format} ${modes}`;
    const known = channelText === null ? this.#shared.get(key) : this.#named.get(`${key} ${channelText}`);
    if (known !== undefined) return known;
    const told = modes & TOLD;
    const same = told === modes ? null : this.of({ ...variant, modes: told });
    const codec = new CompatCodec(variant, this.counted, same, this.share);
    if (channelText === null) this.#shared.set(key, codec);
    else this.#named.put(`${key} ${channelText}`, codec);
    return codec;
  }
}
