import { CompatError, decodeWire, isObject, type JsonObject, readChannelName } from '@carillon/compat-core';
import type { Hub } from '@carillon/hub';
import type { Attach } from './attach.js';
import { MAX_FRAME_BYTES } from './connected.js';
import type { CompatConnection } from './connection.js';
import { ACTION } from './flags.js';
import type { Life } from './life.js';
import type { Publishing } from './publishing.js';
import type { Reauth } from './reauth.js';
import type { Said } from './said.js';
import type { Syncing } from './syncing.js';

/** What frames are handed to. */
export interface FramesParts {
  readonly hub: Hub;
  readonly said: Said;
  readonly life: Life;
  readonly attach: Attach;
  readonly syncing: Syncing;
  readonly publishing: Publishing;
  readonly reauth: Reauth;
}

/** Takes what connections send, in order. */
export class InboundFrames {
  constructor(private readonly parts: FramesParts) {}

  /** Never throws; a frame that cannot be read ends the connection. */
  take(connection: CompatConnection, bytes: Uint8Array, isBinary: boolean): void {
    try {
      const frame = read(bytes, isBinary, connection);
      const work = this.#workOf(connection, frame);
      if (work === null) return;
      this.next(connection, bytes.byteLength, work);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      this.parts.life.refuse(connection, error);
    }
  }

  /** What is to be done after all that the connection has asked for so far. */
  next(connection: CompatConnection, bytes: number, work: () => Promise<void>): void {
    const { hub, life } = this.parts;
    const done = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof CompatError)) throw error;
        life.refuse(connection, error);
      }
    };
    // A client that comes back says again what was not answered.
    if (!connection.queue.add(bytes, done, hub.onTrouble))
      life.end(connection, ACTION.disconnected, new CompatError(42_911, 'too many frames wait').body);
  }

  /** Null: it is answered already, or means nothing here. */
  #workOf(connection: CompatConnection, frame: JsonObject): (() => Promise<void>) | null {
    const { said, life, attach, syncing, publishing, reauth } = this.parts;
    const { channel: text, id } = frame;
    switch (frame['action']) {
      case ACTION.heartbeat:
        said.say(connection, { action: ACTION.heartbeat, ...(typeof id === 'string' ? { id } : {}) });
        return null;
      case ACTION.close:
        return async () => {
          await connection.answers.said;
          life.endForGood(connection, ACTION.closed);
        };
      case ACTION.disconnect:
        return async () => {
          await connection.answers.said;
          life.end(connection, ACTION.disconnected);
        };
      case ACTION.attach:
        return () => attach.handle(connection, frame);
      case ACTION.detach:
        return async () => {
          if (typeof text === 'string') await attach.leave(connection, text);
          said.say(connection, { action: ACTION.detached, channel: text });
        };
      case ACTION.message:
      case ACTION.presence:
      case ACTION.annotation:
      case ACTION.object:
      case ACTION.objectSync:
        return () => publishing.handle(connection, frame);
      case ACTION.sync:
        return () => syncing.again(connection, readChannelName(text).text);
      case ACTION.auth:
        return () => reauth.handle(connection, frame);
      default:
        return null;
    }
  }
}

function read(bytes: Uint8Array, isBinary: boolean, { manner: { format } }: CompatConnection): JsonObject {
  if (bytes.byteLength > MAX_FRAME_BYTES) throw new CompatError(40_009, 'the frame is too large', 413);
  if (isBinary !== (format === 'msgpack')) throw new CompatError(40_000, 'the frame is of another format');
  const frame = decodeWire(bytes, format);
  if (!isObject(frame) || typeof frame['action'] !== 'number')
    throw new CompatError(40_000, 'a frame must be an object with an action');
  return frame;
}
