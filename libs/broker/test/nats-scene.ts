import { type Client, Connection } from '@carillon/nats';
import { errors, type Msg, type Status } from '@nats-io/transport-node';

const nothing = (): void => {};

/** A connection whose client records its commands and answers pings on `pong`. */
export function natsScene(maxPayload = 1024) {
  const written: string[] = [];
  const pings: (() => void)[] = [];
  const callbacks = new Map<string, (error: Error | null, message: Msg) => void>();
  const statuses: Status[] = [];
  let told = nothing;
  let isOver = false;
  let over: (error: Error) => void = nothing;
  const closed = new Promise<Error>((resolve) => (over = resolve));
  const end = (reason = 'the connection was closed'): void => {
    isOver = true;
    told();
    over(new Error(reason));
  };
  const client = {
    info: { max_payload: maxPayload },
    isClosed: () => isOver,
    closed: () => closed,
    close: () => Promise.resolve(end()),
    publish: (subject: string, data: Uint8Array) =>
      void written.push(`PUB ${subject} ${Buffer.from(data).toString()}`),
    subscribe: (subject: string, { callback }: { callback: (error: Error | null, message: Msg) => void }) => {
      written.push(`SUB ${subject}`);
      callbacks.set(subject, callback);
      return { unsubscribe: () => void written.push(`UNSUB ${subject}`) };
    },
    flush: () => {
      written.push('PING');
      return new Promise<void>((resolve) => pings.push(resolve));
    },
    request: () => Promise.reject(new Error('not part of this scene')),
    async *status() {
      for (;;) {
        yield* statuses.splice(0);
        if (isOver) return;
        await new Promise<void>((resolve) => (told = resolve));
      }
    },
  } as unknown as Client;
  const connection = new Connection(client, () => {});
  /** The server denies one operation on a subject, as it does: before it answers the next ping. */
  const deny = (operation: 'publish' | 'subscription', subject: string): void => {
    const error = new errors.PermissionViolationError('denied', operation, subject);
    if (operation === 'subscription') callbacks.get(subject)?.(error, {} as Msg);
    statuses.push({ type: 'error', error });
    told();
  };
  const say = (subject: string, text: string): void =>
    callbacks.get(subject)?.(null, { data: Buffer.from(text) } as unknown as Msg);
  return { connection, written, end, deny, say, pong: () => pings.shift()?.() };
}
