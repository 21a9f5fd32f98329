import type { Outlet } from '@carillon/realtime';
import { Capabilities } from '@carillon/auth';
import { Connection } from '../connection/connection.js';
import type { Judged, Judges } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import { subscribeVerdict } from '../requests/subscribe-verdict.js';

/** A connection of protocol 1. It has no capabilities, receives full channels and has no protocol-specific requests. */
export class ConnectionV1 extends Connection {
  readonly speaksAi = false;

  get capabilities(): Capabilities {
    return Capabilities.NONE;
  }

  probe(outlet: Outlet): void {
    outlet.send(this, { kind: 'ping' });
  }

  judge(frame: SubscribeRequest, { channels }: Judges): Judged {
    return { verdict: subscribeVerdict(this, frame, channels), view: null };
  }

  beforeLive(): undefined {}

  keep(): void {}

  seesAnnotations(): boolean {
    return false;
  }

  ask(): undefined {}

  ended(): void {}
}
