import type { PushClient } from '../../port.js';
import type { WireOptions } from '../wire/exchange.js';
import { Wire } from '../wire/wire.js';
import { type Protocol, ProtocolClient } from './client.js';

/** A client whose tokens come over the same wire as its sends go. */
export function openClient(
  options: WireOptions,
  protocolOver: (wire: Wire, stopped: AbortSignal) => Protocol,
): PushClient {
  const wire = new Wire(options);
  const stop = new AbortController();
  return new ProtocolClient(protocolOver(wire, stop.signal), wire, stop);
}
