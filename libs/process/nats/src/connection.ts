import type { NatsAnswer } from './answer.js';
import { complaintOf } from './complaint.js';
import type { IncomingListener } from './incoming.js';
import { PING, PONG, publishLine, subscribeLine, unsubscribeLine } from './lines.js';
import { othersOf, type Place } from './places.js';
import type { NatsEvent } from './nats-event.js';
import { Requests } from './requests.js';
import { type ServerInfo, serverInfo } from './server-info.js';
import type { Stream } from './stream.js';
import type { Delivery } from './delivery.js';

export interface Hearing {
  readonly subject: string;
  /** Of all who share a queue's name one gets each message. Absent: everybody does. */
  readonly queue?: string;
  /** Must not throw. */
  readonly take: (delivery: Delivery) => void;
  /** The server does not allow it; it is over. */
  readonly refused: () => void;
}

export interface ConnectionParts {
  readonly stream: Pick<Stream, 'destroy' | 'end' | 'write'>;
  readonly info: ServerInfo;
  /** Where the server is. */
  readonly place: Place;
  /** What subjects begin with at which answers to this connection are expected. */
  readonly inboxPrefix: string;
  readonly onEvent: (event: NatsEvent) => void;
}

/**
 * A connection to a NATS server that has let us in. What is published or to be heard leaves with the next `leave` or
 * `ping`, in one write. It never comes back when it is over.
 */
export class Connection {
  /** Settles when it is over, with why. */
  readonly closed: Promise<string>;
  readonly #hearings = new Map<number, Hearing>();
  readonly #requests: Requests;
  /** Who waits for the server's answers, which come in order. */
  readonly #asked: ((isAnswered: boolean) => void)[] = [];
  #leaving = '';
  #isTurnEnding = false;
  #lastSid = 0;
  #info: ServerInfo;
  #isClosed = false;
  #end: (reason: string) => void = () => {};

  constructor(private readonly parts: ConnectionParts) {
    this.#info = parts.info;
    this.#requests = new Requests(parts.inboxPrefix);
    this.closed = new Promise((resolve) => (this.#end = resolve));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Where the rest of the server's cluster is, as far as it has told. Also when the connection is over. */
  get others(): readonly Place[] {
    return othersOf(this.parts.place, this.#info.cluster);
  }

  /** The longest message that the server takes. */
  get maxPayload(): number {
    return this.#info.maxPayload;
  }

  /** @param bytes how long the text is in UTF-8; for more than `maxPayload` the server ends the connection */
  publish(subject: string, text: string, bytes: number, reply = ''): void {
    this.#leaving += publishLine(subject, text, bytes, reply);
  }

  /** @returns its number, for `unhear` */
  hear(hearing: Hearing): number {
    this.#lastSid += 1;
    this.#hearings.set(this.#lastSid, hearing);
    this.#leaving += subscribeLine(hearing.subject, this.#lastSid, hearing.queue ?? '');
    return this.#lastSid;
  }

  /** What is on its way is still taken, until `forget`. */
  unhear(sid: number): void {
    if (this.#hearings.has(sid)) this.#leaving += unsubscribeLine(sid);
  }

  forget(sid: number): void {
    this.#hearings.delete(sid);
  }

  /** Asks one of those who hear the subject. Silent at once when the connection is over. */
  ask(subject: string, text: string, timeoutMs: number): Promise<NatsAnswer> {
    if (this.#isClosed) return Promise.resolve({ kind: 'silent' });
    const requests = this.#requests;
    if (requests.isNew) {
      const take = (delivery: Delivery): void => requests.take(delivery);
      this.hear({ subject: requests.subject, take, refused: () => {} });
    }
    return requests.open(timeoutMs, (reply) => this.tell(subject, text, reply));
  }

  /** Publishes at the end of this turn of the event loop, together with what else is. Drops what is too large. */
  tell(subject: string, text: string, reply = ''): void {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.maxPayload) return;
    this.publish(subject, text, bytes, reply);
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      this.leave();
    });
  }

  /** Puts a question behind all that was published, and lets it all leave. Without an answer the connection is over. */
  ping(answered: (isAnswered: boolean) => void): void {
    if (this.#isClosed) {
      answered(false);
      return;
    }
    this.#asked.push(answered);
    this.#leaving += PING;
    this.leave();
  }

  leave(): void {
    const text = this.#leaving;
    if (text === '') return;
    this.#leaving = '';
    if (!this.#isClosed) this.parts.stream.write(text);
  }

  /** Lets what was published leave. Settles when it is over; idempotent. */
  async close(): Promise<void> {
    this.leave();
    this.parts.stream.end();
    await this.closed;
  }

  /** Told when the server did not take a message to this subject. Others of the same moment it may have taken. */
  refused: (subject: string) => void = () => {};

  /** What to do with what the server says. */
  readonly incoming: IncomingListener = {
    message: (sid, subject, reply, head, bytes) => {
      this.#hearings.get(sid)?.take({ subject, reply, head, bytes });
    },
    pong: () => this.#asked.shift()?.(true),
    ping: () => this.parts.stream.write(PONG),
    info: (text) => {
      this.#info = serverInfo(text) ?? this.#info;
      if (this.#info.isLameDuck) this.parts.onEvent('lame_duck');
    },
    error: (text) => this.#complained(text),
  };

  /** There is nothing more to read or to write. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leaving = '';
    this.#hearings.clear();
    this.#end(reason);
    for (const answered of this.#asked.splice(0)) answered(false);
    this.#requests.close();
  }

  #complained(text: string): void {
    const complaint = complaintOf(text);
    this.parts.onEvent(complaint.about === 'connection' ? complaint.event : 'server_error');
    if (complaint.about === 'subscription') this.#unheard(complaint.subject);
    if (complaint.about === 'message' && complaint.subject !== null) this.refused(complaint.subject);
    if (complaint.about === 'connection') this.parts.stream.destroy(text);
  }

  #unheard(subject: string): void {
    for (const [sid, hearing] of this.#hearings) {
      if (hearing.subject !== subject) continue;
      this.#hearings.delete(sid);
      hearing.refused();
    }
  }
}
