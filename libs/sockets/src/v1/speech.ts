import type { Config } from '@carillon/config';
import { decodeV1Frame } from '@carillon/protocol';
import type { Inbound, Speech } from '../connection/speech.js';
import { V1 } from './codec.js';
import { edgeV1 } from './edge.js';

/** Codec and reader of protocol 1. */
export const speechV1 = (config: Config): Speech => ({
  edge: edgeV1(config),
  codec: V1,
  format: 'json',
  acks: false,
  heartbeat: 'asked',
  read,
});

/** Defaults of event and subscribe fields that protocol 1 does not have. */
const BESIDE_EVENT = { messageId: null, extrasText: null } as const;
const BESIDE_WISH = { filter: null, rewind: null, delta: undefined, wantsAnnotations: false } as const;

function read(bytes: ArrayBuffer): Inbound {
  const frame = decodeV1Frame(bytes);
  if (frame.kind === 'client-event') return { ...frame, ...BESIDE_EVENT };
  return frame.kind === 'subscribe' ? { ...frame, ...BESIDE_WISH } : frame;
}
