import type { Codec, Frame, Frames, Roles } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import type { CompatCodec } from '../codec.js';

/**
 * The codec of an attachment with deltas before it receives live events, and whenever it is held back: all messages
 * are sent in full.
 */
export class DeltaEntry implements Codec {
  /** Absent for a channel that is not derived. */
  readonly isDeferred: CompatCodec['isDeferred'];

  constructor(
    readonly full: CompatCodec,
    private readonly begin: (entry: DeltaEntry) => Codec,
  ) {
    this.isDeferred = full.isDeferred;
  }

  encode(_: Fact, frames: Frames): Frame | null {
    return frames.of(this.full);
  }

  get view(): string | undefined {
    return this.full.view;
  }

  get roles(): Roles {
    return this.full.roles;
  }

  told(frames: Frames, receivers: number, appId: string): void {
    this.full.told(frames, receivers, appId);
  }

  live(): Codec {
    return this.begin(this);
  }
}
