import { createRequire } from 'node:module';
import { applyDelta } from 'fossil-delta';
import { readFossil } from './read-fossil.js';

const require = createRequire(import.meta.url);
const ably = require('@ably/vcdiff-decoder') as {
  decode(delta: Uint8Array, base: Uint8Array): Uint8Array;
};
const macdonald = require('vcdiff-decoder') as {
  decodeSync(delta: Buffer, base: Buffer): Uint8Array;
};

/** Foreign decoders, by author. */
export const DECODERS = {
  fossil: {
    dchest: (base: Buffer, delta: Buffer): Buffer => Buffer.from(applyDelta(base, delta)),
    byTheBook: readFossil,
  },
  xdelta3: {
    ably: (base: Buffer, delta: Buffer): Buffer => Buffer.from(ably.decode(delta, base)),
    macdonald: (base: Buffer, delta: Buffer): Buffer => Buffer.from(macdonald.decodeSync(delta, base)),
  },
} as const;
