import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub, Codec } from '@carillon/hub';
import { Capabilities } from '@carillon/signing';
import type { Socket } from '@carillon/uws';
import { Connection } from '../connection/connection.js';
import type { Judged, Judges, View } from '../connection/judged.js';
import type { OwnRequest, SubscribeRequest } from '../connection/speech.js';
import type { SpeechV2 } from './speeches.js';
import { annotatedCodec } from './annotated.js';
import { judgeV2 } from './subscribe-verdict-v2.js';

/** A connection of protocol 2, with what only such a one has. */
export class ConnectionV2 extends Connection {
  readonly speaksAi = true;
  /** Of its subscriptions by channel; null: every one gets everything. */
  #views: Map<string, View> | null = null;
  #native: Pick<Socket<unknown>, 'ping'> | null = null;

  constructor(
    id: string,
    hub: AppHub,
    override readonly speech: SpeechV2,
    connectedTick: number,
  ) {
    super(id, hub, speech, connectedTick);
  }

  get capabilities(): Capabilities {
    return this.identity?.capabilities ?? Capabilities.NONE;
  }

  override opened(socket: Socket<unknown>): void {
    super.opened(socket);
    this.#native = socket;
  }

  probe(): void {
    this.#native?.ping();
  }

  judge(frame: SubscribeRequest, judges: Judges): Judged {
    const { codec } = this.speech;
    return judgeV2(this, frame, frame.wantsAnnotations ? annotatedCodec(codec) : codec, judges);
  }

  beforeLive(channel: OrdinaryChannel, codec: Codec): (() => Promise<void>) | undefined {
    return this.speech.requests.beforeLive(this, channel, codec);
  }

  seesAnnotations(channel: string): boolean {
    return this.#views?.get(channel)?.annotations === true;
  }

  keep(channel: string, view: View | null): void {
    this.#views?.get(channel)?.release();
    this.#views?.delete(channel);
    if (view === null) return;
    this.#views ??= new Map();
    this.#views.set(channel, view);
  }

  ask(frame: OwnRequest): Promise<void> | undefined {
    return this.speech.requests.handle(this, frame);
  }

  ended(): void {
    for (const view of this.#views?.values() ?? []) view.release();
    this.#views = null;
  }
}
