import { frameBytes, OPCODE, RawConnection, RawSocketClient, requestBytes } from '@carillon/testing';
import { must } from '../broken.js';
import { requestOf } from '../http/input.js';
import { membersOf, objectIn } from '../restate/json.js';
import { judgeApi, judgeFrame, judgeHttp, judgeStatus } from './answers.js';
import { signature } from './apps.js';
import { framesOf } from './session.js';

/** @typedef {import('./session.js').Session} Session */
/** @typedef {(outcome: string) => void} Tell */
/** @typedef {() => Promise<void>} Leave ends the connection, once all that has come is judged; throws as above */

/** How long the service may take for an answer, on a machine that does other things too. */
const ANSWER_MS = 20_000;
/** How long to listen where no answer has to come. */
const LISTEN_MS = 20;
/** After so many pieces the rest is sent at once. */
const MAX_PIECES = 100;
/** What the last question carries, and its answer must. */
const QUESTION = 'are you there?';

/**
 * Does what the session says, telling every answer. Throws when an answer is wrong or a question stays without one.
 * Resolves with what is to be done later when the client is to linger.
 * @param {number} port @param {Session} session @param {Tell} tell @returns {Promise<Leave | null>}
 */
export async function act(port, session, tell) {
  if (session.kind === 'http') return callApi(await RawConnection.open(port), session, tell);
  if (session.kind === 'upgrade') return request(await RawConnection.open(port), session, tell);
  const client = await RawSocketClient.open(port, session.path, session.headers);
  const { connection } = client;
  let isOver = true;
  try {
    tell(judgeStatus(client.answer.status));
    const socketId = client.answer.status === 101 ? await hello(client, tell) : null;
    if (socketId === null) return null;
    await send(connection, session, socketId);
    isOver = session.ending !== 'linger';
    if (isOver) await end(client, session, tell);
    return isOver ? null : () => leave(client, session, tell);
  } finally {
    if (isOver) connection.destroy();
  }
}

/** Bytes in place of a request. @param {RawConnection} connection @param {Session} session @param {Tell} tell */
async function request(connection, { raw, ending }, tell) {
  for (const bytes of raw) connection.write(bytes);
  if (ending === 'half') connection.halfClose();
  if (ending !== 'destroy') await connection.untilEnd(LISTEN_MS);
  tell(judgeHttp(connection.received));
  if (ending === 'linger') return async () => connection.destroy();
  connection.destroy();
  return null;
}

/** Requests one after the other, until one ends the connection. @param {RawConnection} connection @param {Session} session @param {Tell} tell */
async function callApi(connection, { raw, ending }, tell) {
  try {
    for (const bytes of raw) {
      const { method, path, query, headers, body } = requestOf(bytes);
      const url = query === '' ? path : `${path}?${query}`;
      // As bytes, which a head may hold any of: the characters of Latin-1.
      const [latinUrl, ...latinHeaders] = [url, ...headers.flat()].map((text) =>
        Buffer.from(text).toString('latin1'),
      );
      const pairs = headers.map((_, at) => [latinHeaders[2 * at], latinHeaders[2 * at + 1]]);
      const head = requestBytes({ method, path: latinUrl ?? '/', headers: Object.fromEntries(pairs) });
      connection.write(Buffer.concat([head, body]));
      if (connection.ended) break;
      tell(judgeApi(await wholeAnswer(connection, method === 'HEAD')));
    }
    if (ending === 'half') connection.halfClose();
  } finally {
    connection.destroy();
  }
  return null;
}

/** The bytes of one answer; what there is of it when the connection ends before.
 * @param {RawConnection} connection @param {boolean} isBare whether it has no body, whatever its head says */
async function wholeAnswer(connection, isBare) {
  const lengthOf = (/** @type {Buffer} */ bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return Infinity;
    const head = bytes.toString('latin1', 0, end);
    const [, length] = /\ncontent-length: *(\d+)/i.exec(head) ?? [];
    // The native server closes after what it cannot parse, and does not tell the length.
    if (length === undefined && /\nconnection: close/i.test(head)) return Infinity;
    return end + 4 + (isBare ? 0 : Number(length ?? 0));
  };
  try {
    await connection.until((bytes) => bytes.length >= lengthOf(bytes), ANSWER_MS);
  } catch (error) {
    must(connection.ended, `a request is answered or its connection ended: ${String(error)}`);
  }
  const { received } = connection;
  return connection.take(Math.min(received.length, lengthOf(received)));
}

/** Whether a mutated query asked for protocol 2, whose frames have a target of their own. @param {import('@carillon/testing').RawFrame} frame */
const isOfProtocol2 = ({ opcode, payload }) =>
  opcode === OPCODE.binary || (opcode === OPCODE.text && payload.toString().startsWith('{"event":"service:'));

/** Reads the first frame; null when the connection is refused. @param {RawSocketClient} client @param {Tell} tell @returns {Promise<string | null>} */
async function hello(client, tell) {
  const first = await client.next(ANSWER_MS);
  if (isOfProtocol2(first)) {
    tell('protocol 2');
    return null;
  }
  const outcome = judgeFrame(first);
  tell(outcome);
  if (outcome === 'pusher:connection_established') {
    return JSON.parse(JSON.parse(first.payload.toString()).data).socket_id;
  }
  must(outcome.startsWith('error'), `a connection begins with ${outcome}`);
  tell(judgeFrame(await client.next(ANSWER_MS)));
  return null;
}

/** @param {RawConnection} connection @param {Session} session @param {string} socketId */
async function send(connection, { app, messages, raw, pieceBytes }, socketId) {
  const framed = messages.flatMap((one) => framesOf(one, withSignature(one.payload, app, socketId)));
  const stream = Buffer.concat([...raw, ...framed]);
  const tornBytes = Math.min(stream.length, MAX_PIECES * pieceBytes);
  connection.socket.setNoDelay();
  for (let at = 0; at < tornBytes; at += pieceBytes) {
    connection.write(stream.subarray(at, Math.min(at + pieceBytes, tornBytes)));
    await new Promise((later) => setImmediate(later));
  }
  connection.write(stream.subarray(tornBytes));
}

/** @param {Buffer} payload @param {import('./apps.js').LiveApp} app @param {string} socketId */
function withSignature(payload, app, socketId) {
  if (!payload.includes('$SIG')) return payload;
  const frame = objectIn(payload.toString());
  const said = membersOf(frame?.get('data')) ?? new Map();
  // What is no text is not signed by anyone; an object may even refuse to become one.
  const texts = ['user_data', 'channel', 'channel_data'].map((name) => said.get(name));
  const [userData, ...about] = texts.map((one) => (typeof one === 'string' ? one : null));
  const isSignin = frame?.get('event') === 'pusher:signin';
  const subject = isSignin
    ? `${socketId}::user::${userData}`
    : [socketId, ...about.filter((one) => one !== null)].join(':');
  const auth = `${app.key}:${signature(app, subject)}`;
  return Buffer.from(payload.toString('latin1').replaceAll('$SIG', auth), 'latin1');
}

/** @param {RawSocketClient} client @param {Session} session @param {Tell} tell */
async function leave(client, { kind }, tell) {
  try {
    while (client.connection.received.length >= 2)
      tell(judgeFrame(await client.next(ANSWER_MS), kind === 'framing'));
  } finally {
    client.connection.destroy();
  }
}

/** @param {RawSocketClient} client @param {Session} session @param {Tell} tell */
async function end(client, { kind, ending }, tell) {
  const { connection } = client;
  if (ending === 'destroy') return;
  if (ending === 'half') connection.halfClose();
  if (ending === 'close') connection.write(frameBytes(OPCODE.close, Buffer.from([3, 232])));
  if (ending === 'ask') {
    connection.write(frameBytes(OPCODE.text, '{"event":"pusher:ping","data":{}}'));
    connection.write(frameBytes(OPCODE.ping, QUESTION));
  }
  await listen(client, kind === 'framing', tell);
}

/**
 * Reads until the question is answered or the connection ends. Where bytes were sent that are no frames, they may have
 * announced a long one, which the question is then a part of: silence is an answer there.
 * @param {RawSocketClient} client @param {boolean} mayBeSilent @param {Tell} tell
 */
async function listen(client, mayBeSilent, tell) {
  const { connection } = client;
  let hasPong = false;
  while (await hasMore(connection, mayBeSilent ? LISTEN_MS : ANSWER_MS)) {
    const frame = await client.next(ANSWER_MS);
    const outcome = judgeFrame(frame, mayBeSilent);
    tell(outcome);
    if (outcome === 'pusher:pong') hasPong = true;
    if (frame.opcode !== OPCODE.pong || frame.payload.toString() !== QUESTION) continue;
    must(hasPong || mayBeSilent, 'an open connection answers pusher:ping');
    return;
  }
  must(connection.ended || mayBeSilent, 'the service neither answers nor ends');
  tell(connection.ended ? 'ended' : 'silence');
}

/** Whether the beginning of a frame has come; false when the connection ends or stays silent instead.
 * @param {RawConnection} connection @param {number} timeoutMs */
async function hasMore(connection, timeoutMs) {
  try {
    await connection.until((bytes) => bytes.length >= 2, timeoutMs);
    return true;
  } catch {
    return false;
  }
}
