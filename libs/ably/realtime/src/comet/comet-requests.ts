import { CompatError, decodeWire, isObject, type JsonObject } from '@carillon/ably-core';
import type { CometRelay, CometReply, CometRequest } from '@carillon/realtime';
import { MAX_FRAME_BYTES } from '../connected.js';
import { CompatConnection } from '../connection.js';
import { ACTION } from '../flags.js';
import type { CometConnections } from './comet-connections.js';
import { RemoteReceiver } from './receivers.js';
import type { RemoteRecvs } from './remote-recvs.js';

/** Handles one protocol message of a connection. */
export type HandleFrame = (connection: CompatConnection, frame: JsonObject, bytes: number) => void;

/** Protocol messages of one `send`. */
const MAX_FRAMES = 4096;

export const unknownKey = (): CompatError =>
  new CompatError(80_008, 'the connection key is not that of a connection', 404);

const failed = (error: CompatError): CometReply => ({
  status: error.statusCode,
  body: JSON.stringify({ error: error.body }),
});
const done: CometReply = { status: 204, body: null };

/**
 * Reads the body of a `send`.
 *
 * @throws CompatError 40000 or 40009; nothing of the body is applied then.
 */
export function readFrames(text: string): readonly JsonObject[] {
  const frames = decodeWire(Buffer.from(text), 'json');
  if (!Array.isArray(frames))
    throw new CompatError(40_000, 'the body must be a JSON array of protocol messages');
  if (frames.length > MAX_FRAMES)
    throw new CompatError(40_009, `a request has at most ${MAX_FRAMES} protocol messages`, 413);
  return frames.map((frame: unknown) => {
    if (!isObject(frame) || typeof frame['action'] !== 'number')
      throw new CompatError(40_000, 'a protocol message must be an object with an action');
    return frame;
  });
}

/** Applies requests of clients and of other nodes to the comet connections of this process. */
export class CometRequests {
  constructor(
    private readonly connections: CometConnections,
    private readonly recvs: RemoteRecvs,
    private readonly relay: Pick<CometRelay, 'forward'>,
    private readonly handle: HandleFrame,
  ) {}

  /** A request that another node forwarded. Null: neither its connection nor its receiver is here. */
  readonly applyForwarded = (appId: string, request: CometRequest): CometReply | null => {
    const { verb, keyHash, receiver, isOnce, body } = request;
    if (verb === 'deliver')
      return receiver === null ? null : this.recvs.deliver(appId, receiver, isOnce === true, body);
    if (verb !== 'recv') return this.apply(appId, { verb, keyHash, body });
    const transport = this.connections.find(keyHash);
    if (transport === null || receiver === null) return null;
    const refused = foreign(appId, transport.appId);
    if (refused !== null) return refused;
    const ends = isOnce ?? transport.isPolling;
    transport.receive(new RemoteReceiver(this.relay, appId, receiver, ends));
    return { status: 200, body: JSON.stringify({ isOnce: ends }) };
  };

  /** Null: the connection is not here. */
  apply(
    appId: string,
    {
      verb,
      keyHash,
      body,
    }: Pick<CometRequest, 'body' | 'keyHash'> & { verb: 'close' | 'disconnect' | 'send' },
  ): CometReply | null {
    const transport = this.connections.find(keyHash);
    if (transport === null) return null;
    const { state } = transport;
    const refused = foreign(appId, transport.appId);
    if (refused !== null) return refused;
    if (!(state instanceof CompatConnection)) return verb === 'send' ? failed(unknownKey()) : done;
    if (verb === 'send') return this.#send(state, body ?? '[]');
    this.handle(state, { action: verb === 'close' ? ACTION.close : ACTION.disconnect }, 0);
    return done;
  }

  #send(connection: CompatConnection, text: string): CometReply {
    try {
      const frames = readFrames(text);
      const sizes = frames.length === 1 ? [Buffer.byteLength(text)] : frames.map(sizeOf);
      if (sizes.some((bytes) => bytes > MAX_FRAME_BYTES))
        throw new CompatError(40_009, 'a protocol message is too large', 413);
      for (const [index, frame] of frames.entries()) {
        if (!connection.isOpen) break;
        connection.hub.meters.received(sizes[index] ?? 0);
        this.handle(connection, frame, sizes[index] ?? 0);
      }
      return done;
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      return failed(error);
    }
  }
}

const sizeOf = (frame: JsonObject): number => Buffer.byteLength(JSON.stringify(frame));

/** The refusal of credentials of another app than the connection's; null: they are of the same. */
const foreign = (appId: string, ownAppId: string): CometReply | null =>
  ownAppId !== appId ? failed(new CompatError(40_101, 'the credentials are those of another app')) : null;
