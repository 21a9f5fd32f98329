import { ServiceError } from '@carillon/errors';
import type { SessionAnswer, SessionRequest } from '@carillon/realtime';
import { errorAnswer } from '@carillon/uws';
import type { StreamParts } from '../parts.js';
import type { StreamConnection } from '../transport/stream-connection.js';
import { readSessionBody, type SessionFrame } from './session-body.js';
import { isSameHash } from './session-id.js';

interface Session {
  readonly connection: StreamConnection;
  readonly secretHash: string;
  /** The number of the last applied frame; 0: none was applied. */
  acceptedSeq: number;
}

/** Close code of a session that its client ends. */
const NORMAL = 1000;

const json = (status: number, body: object): SessionAnswer => ({ status, body: JSON.stringify(body) });

/** The sessions of this node, and the handling of requests for them. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly parts: Pick<StreamParts, 'gateway' | 'metrics' | 'settings'>) {}

  add(id: string, connection: StreamConnection, secretHash: string): void {
    this.#sessions.set(id, { connection, secretHash, acceptedSeq: 0 });
    connection.onEnded = () => void this.#sessions.delete(id);
  }

  /** Answers a request for a session of an app; null: it is not on this node. */
  answer(appId: string, request: SessionRequest): SessionAnswer | null {
    const session = this.#sessions.get(request.session);
    if (session === undefined || session.connection.hub.appId !== appId || !session.connection.isOpen)
      return null;
    try {
      if (!isSameHash(session.secretHash, request.secretHash))
        throw new ServiceError('auth_failed', { text: 'The secret is not the one of the session' });
      if (request.frames === null) return end(session);
      return this.#apply(session, request.frames);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { status, body } = errorAnswer(error);
      return json(status, body as object);
    }
  }

  #apply(session: Session, body: string): SessionAnswer {
    const { metrics, settings } = this.parts;
    const { connection } = session;
    const { appId } = connection.hub;
    const frames = readSessionBody(body, settings);
    connection.heardMs = performance.now();
    const expected = session.acceptedSeq + 1;
    const first = frames[0]?.seq ?? expected;
    if (first > expected) {
      metrics.received(appId, 'gap', frames.length);
      return gap(expected);
    }
    const fresh = frames.filter(({ seq }) => seq >= expected);
    metrics.received(appId, 'duplicate', frames.length - fresh.length);
    metrics.received(appId, 'applied', fresh.length);
    for (const frame of fresh) this.#take(session, frame);
    return json(200, { accepted_seq: session.acceptedSeq });
  }

  /** A frame that ends the connection leaves those behind it without effect, as on a socket. */
  #take(session: Session, { seq, text }: SessionFrame): void {
    session.acceptedSeq = seq;
    this.parts.gateway.received(session.connection, new TextEncoder().encode(text).buffer);
  }
}

function end({ connection }: Session): SessionAnswer {
  connection.http?.end(NORMAL, 'Closed by the client');
  return { status: 204, body: '' };
}

function gap(expected: number): SessionAnswer {
  const error = new ServiceError('conflict', {
    text: `Frames are missing, send them again from seq ${expected}`,
  });
  const { status, body } = errorAnswer(error);
  return json(status, { ...(body as object), expected_seq: expected });
}
