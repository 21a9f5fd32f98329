import type { COMPRESSION_NAMES } from '@carillon/config';
import { type Native, native } from '../native.js';

/** Compression of a socket route, as named in the configuration. */
export type CompressionName = (typeof COMPRESSION_NAMES)[number];

/** Compressor and decompressor by sliding window; the native names count memory instead. */
function windows(uws: Native): Record<Exclude<CompressionName, 'disabled' | 'shared'>, number> {
  const largest = uws.DEDICATED_COMPRESSOR_256KB | uws.DEDICATED_DECOMPRESSOR_32KB;
  return {
    dedicated: largest,
    // The compressor's minimum is greater: its smallest window is 512 bytes.
    window256b: uws.DEDICATED_COMPRESSOR_3KB | uws.DEDICATED_DECOMPRESSOR_512B,
    window1kb: uws.DEDICATED_COMPRESSOR_8KB | uws.DEDICATED_DECOMPRESSOR_1KB,
    window2kb: uws.DEDICATED_COMPRESSOR_16KB | uws.DEDICATED_DECOMPRESSOR_2KB,
    window4kb: uws.DEDICATED_COMPRESSOR_32KB | uws.DEDICATED_DECOMPRESSOR_4KB,
    window8kb: uws.DEDICATED_COMPRESSOR_64KB | uws.DEDICATED_DECOMPRESSOR_8KB,
    window16kb: uws.DEDICATED_COMPRESSOR_128KB | uws.DEDICATED_DECOMPRESSOR_16KB,
    window32kb: largest,
  };
}

/**
 * The native setting of a name. `shared` keeps no state per socket, `dedicated` the largest window both ways, and
 * `windowN` a sliding window of that size, so memory per socket grows with it.
 */
export function nativeCompression(name: CompressionName): number {
  const uws = native();
  if (name === 'disabled') return uws.DISABLED;
  if (name === 'shared') return uws.SHARED_COMPRESSOR | uws.SHARED_DECOMPRESSOR;
  return windows(uws)[name];
}
