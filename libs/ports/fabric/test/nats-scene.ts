import { Connection, placeOf } from '@carillon/nats';

/** A connection to a server that takes messages of so many bytes, writes to a list, and answers when it is told to. */
export function natsScene(maxPayload = 1024) {
  const written: string[] = [];
  const events: string[] = [];
  const end = (reason = 'the connection was closed'): void => connection.ended(reason);
  const connection: Connection = new Connection({
    stream: { write: (text) => void written.push(text), end: () => end(), destroy: end },
    info: { maxPayload, needsTls: false, isLameDuck: false, cluster: [], nonce: null },
    place: placeOf('localhost'),
    inboxPrefix: 'inbox',
    onEvent: (event) => void events.push(event),
  });
  return { connection, written, events, end, pong: () => connection.incoming.pong() };
}
