import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub, Codec } from '@carillon/realtime';
import { Capabilities } from '@carillon/auth';
import { Connection, type ConnectionSocket } from '../connection/connection.js';
import type { Judged, Judges, View } from '../connection/judged.js';
import type { OwnRequest, SubscribeRequest } from '../connection/speech.js';
import type { AppCodec } from './app-codec.js';
import type { SpeechV2 } from './speeches.js';
import { annotatedCodec } from './annotated.js';
import { judgeV2 } from './subscribe-verdict-v2.js';
import { ViewV2 } from './view-v2.js';
import { type Viewer, Views } from './views.js';

/** A connection of protocol 2, with its protocol-specific state. */
export class ConnectionV2 extends Connection implements Viewer {
  declare readonly codec: AppCodec;
  readonly speaksAi = true;
  readonly views: Views;
  #native: Pick<ConnectionSocket, 'ping'> | null = null;

  constructor(
    id: string,
    hub: AppHub,
    override readonly speech: SpeechV2,
    connectedTick: number,
  ) {
    super(id, hub, speech, connectedTick, speech.codecOf(hub));
    this.views = new Views(speech.write, speech.meta, speech.names);
  }

  get capabilities(): Capabilities {
    return this.identity?.capabilities ?? Capabilities.NONE;
  }

  override opened(socket: ConnectionSocket): void {
    super.opened(socket);
    this.#native = socket;
  }

  probe(): void {
    this.#native?.ping();
  }

  judge(frame: SubscribeRequest, judges: Judges): Judged {
    const codec = frame.wantsAnnotations ? annotatedCodec(this.codec) : this.codec;
    return judgeV2(this, frame, codec, judges, this.speech.requests.deltas);
  }

  beforeLive(channel: OrdinaryChannel, codec: Codec): (() => Promise<void>) | undefined {
    return this.speech.requests.beforeLive(this, channel, codec);
  }

  seesAnnotations(channel: string): boolean {
    return this.views.get(channel)?.annotations === true;
  }

  keep(channel: string, view: View | null): void {
    this.views.keep(channel, view instanceof ViewV2 ? view : null);
  }

  ask(frame: OwnRequest): Promise<void> | undefined {
    return this.speech.requests.handle(this, frame);
  }

  ended(): void {
    this.views.release();
  }
}
