import type { Codec } from '@carillon/realtime';
import { encodeFactV1 } from '@carillon/protocol';

/** Protocol 1: JSON texts. It has no variants. */
export const V1: Codec = { encode: encodeFactV1 };
