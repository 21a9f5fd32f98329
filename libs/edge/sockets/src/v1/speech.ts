import type { Config } from '@carillon/config';
import { decodeV1Frame } from '@carillon/protocol';
import type { Inbound, Speech } from '../connection/speech.js';
import { V1 } from './codec.js';
import { edgeV1 } from './edge.js';

/** How protocol 1 is spoken. */
export const speechV1 = (config: Config): Speech => ({ edge: edgeV1(config), codec: V1, read });

function read(bytes: ArrayBuffer): Inbound {
  const frame = decodeV1Frame(bytes);
  return frame.kind === 'client-event' ? { ...frame, messageId: null, extrasText: null } : frame;
}
