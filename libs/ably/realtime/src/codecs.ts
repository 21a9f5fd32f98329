import { RecentlyUsed } from '@carillon/collections';
import type { LoopShare } from '@carillon/runtime';
import { CompatCodec, type Variant } from './codec.js';
import type { Counted } from './counted.js';
import { MODE } from './flags.js';

/** Modes that say what is told. */
const TOLD = MODE.SUBSCRIBE | MODE.PRESENCE_SUBSCRIBE | MODE.ANNOTATION_SUBSCRIBE;
/** Of the names that clients give channels. */
const MAX_NAMED = 4096;
const MAX_NAMES_BYTES = 1024 * 1024;

/** One codec for all attachments that are alike. */
export class Codecs {
  readonly #shared = new Map<string, CompatCodec>();
  /** Clients name these. One that had to go is made again for those who come; who has it keeps it. */
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
