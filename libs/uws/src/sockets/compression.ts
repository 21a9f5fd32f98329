import { native } from '../native.js';

/** What a socket route compresses with; the names of the configuration. */
export const COMPRESSION_NAMES = [
  'disabled',
  'dedicated',
  'shared',
  'window256b',
  'window1kb',
  'window2kb',
  'window4kb',
  'window8kb',
  'window16kb',
  'window32kb',
] as const;

export type CompressionName = (typeof COMPRESSION_NAMES)[number];

/**
 * The native setting. `shared` keeps no state per socket, `dedicated` the largest window both ways; `windowN` names
 * the sliding window, so memory per socket grows with it (the native names count memory instead: a window of 1 KiB
 * takes 8 KiB). 256 bytes is below what the compressor can do and becomes its smallest window, 512.
 */
export function nativeCompression(name: CompressionName): number {
  const uws = native();
  switch (name) {
    case 'disabled':
      return uws.DISABLED;
    case 'shared':
      return uws.SHARED_COMPRESSOR | uws.SHARED_DECOMPRESSOR;
    case 'window256b':
      return uws.DEDICATED_COMPRESSOR_3KB | uws.DEDICATED_DECOMPRESSOR_512B;
    case 'window1kb':
      return uws.DEDICATED_COMPRESSOR_8KB | uws.DEDICATED_DECOMPRESSOR_1KB;
    case 'window2kb':
      return uws.DEDICATED_COMPRESSOR_16KB | uws.DEDICATED_DECOMPRESSOR_2KB;
    case 'window4kb':
      return uws.DEDICATED_COMPRESSOR_32KB | uws.DEDICATED_DECOMPRESSOR_4KB;
    case 'window8kb':
      return uws.DEDICATED_COMPRESSOR_64KB | uws.DEDICATED_DECOMPRESSOR_8KB;
    case 'window16kb':
      return uws.DEDICATED_COMPRESSOR_128KB | uws.DEDICATED_DECOMPRESSOR_16KB;
    case 'dedicated':
    case 'window32kb':
      return uws.DEDICATED_COMPRESSOR_256KB | uws.DEDICATED_DECOMPRESSOR_32KB;
  }
}
