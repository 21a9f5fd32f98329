// What one hostile client does, decided before it connects and only by its numbers: so it can be done again.
import { frameBytes, OPCODE } from '@carillon/testing';
import { readCorpus } from '../corpus.js';
import { HTTP_CORPUS, HTTP_TOKENS } from '../http/input.js';
import { allTokens, mutate } from '../mutate/mutate.js';
import { Random } from '../random.js';
import { clientEvent } from '../targets/client-event.js';
import { connectQuery } from '../targets/connect-query.js';
import { frame } from '../targets/frame.js';
import { HOSTILE_APPS, STRICT } from './apps.js';
import { words } from '../words.js';

/** @typedef {import('./apps.js').LiveApp} LiveApp */

/**
 * @typedef {object} Message one message to be framed; `$SIG` in it becomes the right signature when it is sent
 * @property {Buffer} payload
 * @property {number} opcode
 * @property {number[]} cuts where it is cut into fragments
 * @property {boolean} isInterrupted by a ping between two fragments
 */

/** @typedef {'ask' | 'close' | 'destroy' | 'half' | 'linger'} Ending */

/**
 * @typedef {object} Session
 * @property {'frames' | 'framing' | 'upgrade' | 'http'} kind well-framed messages; bytes instead of frames; bytes instead of a request; requests of the HTTP API
 * @property {LiveApp} app
 * @property {string} path of a handshake
 * @property {Record<string, string>} headers beside those of a handshake
 * @property {Message[]} messages
 * @property {Buffer[]} raw bytes as they are; of `http`, inputs of its target, one request each
 * @property {number} pieceBytes what goes to the network at once; 0: whole frames
 * @property {Ending} ending
 * @property {number} inputs
 */

const MAX_MESSAGES = 24;
const MAX_REQUESTS = 12;
const ENDINGS = /** @type {const} */ (['ask', 'ask', 'ask', 'close', 'destroy', 'half', 'linger']);

/** @param {readonly string[]} names */
const bytesOf = (names) => names.flatMap((name) => readCorpus(name).map(({ bytes }) => bytes));

const SENSIBLE = bytesOf(['live-frame']);
const FRAMES = bytesOf(['live-frame', 'live-frame', 'frame', 'client-event']);
const UPGRADES = bytesOf(['upgrade']);
const FRAMINGS = bytesOf(['framing']);
const REQUESTS = HTTP_CORPUS.map(({ bytes }) => bytes);
const QUERIES = bytesOf(['connect-query']);
const FRAME_TOKENS = allTokens([
  ...frame.tokens,
  ...clientEvent.tokens,
  '$SIG',
  'presence-fuzz',
  'private-fuzz',
]);
const UPGRADE_TOKENS = allTokens([
  ...words(`
    GET Sec-WebSocket-Key: HTTP/1.1 HTTP/1.0 /app/ open-key strict-key ?protocol=7 %2e%2e //
    permessage-deflate
  `),
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  '\r\n\r\n',
  'Origin: https://a.example.com',
  'Transfer-Encoding: chunked',
  'Content-Length: 5',
  'Expect: 100-continue',
]);
const QUERY_TOKENS = allTokens(connectQuery.tokens);

/** @param {number} seed @param {number} index @returns {Session} */
export function sessionOf(seed, index) {
  const random = new Random(seed, index);
  const app = random.pick(HOSTILE_APPS);
  // Few fit into the strict app: who stays there keeps all others out.
  const ending = app === STRICT ? 'ask' : random.pick(ENDINGS);
  const path = `/app/${app.key}${query(random)}`;
  /** @type {Record<string, string>} */
  const headers = random.oneIn(2) ? { Origin: 'https://a.example.com' } : {};
  const session = {
    kind: /** @type {const} */ ('frames'),
    app,
    path,
    headers,
    messages: [],
    raw: [],
    pieceBytes: random.oneIn(6) ? 1 + random.size(500) : 0,
    ending,
    inputs: 1,
  };
  if (random.oneIn(12)) return { ...session, kind: 'upgrade', raw: [upgrade(random)] };
  if (random.oneIn(8)) return requests(session, random);
  if (random.oneIn(8)) return { ...session, kind: 'framing', raw: [framing(random)] };
  const messages = Array.from({ length: 1 + random.below(MAX_MESSAGES) }, () => message(random));
  return { ...session, messages, inputs: messages.length };
}

/** Usually one that is let in. @param {Random} random */
function query(random) {
  if (!random.oneIn(8)) return '?protocol=7&client=js&version=8.4.0';
  const text = mutate({ random, inputs: QUERIES, tokens: QUERY_TOKENS }).toString('latin1');
  return `?${text.replaceAll(/[^\x21-\x7e]/g, '+').slice(0, 2000)}`;
}

/** @param {Session} session @param {Random} random @returns {Session} */
function requests(session, random) {
  const raw = Array.from({ length: 1 + random.below(MAX_REQUESTS) }, () =>
    mutate({ random, inputs: REQUESTS, tokens: HTTP_TOKENS }),
  );
  return { ...session, kind: 'http', raw, inputs: raw.length };
}

/** @param {Random} random */
function upgrade(random) {
  const bytes = mutate({ random, inputs: UPGRADES, tokens: UPGRADE_TOKENS });
  return random.oneIn(4) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

/** @param {Random} random */
const framing = (random) => mutate({ random, inputs: FRAMINGS, tokens: FRAME_TOKENS });

/** Half of them as good clients send them: what is wrong has to come at every moment of a connection's life. */
/** @param {Random} random @returns {Message} */
function message(random) {
  const payload = random.oneIn(2)
    ? random.pick(SENSIBLE)
    : mutate({ random, inputs: FRAMES, tokens: FRAME_TOKENS });
  const cuts = random.oneIn(5)
    ? [random.below(payload.length + 1), random.below(payload.length + 1)].sort((a, b) => a - b)
    : [];
  const opcode = random.oneIn(6) ? OPCODE.binary : OPCODE.text;
  return { payload, opcode, cuts, isInterrupted: random.oneIn(2) };
}

/** @param {Message} message @param {Buffer} payload what is sent in its place */
export function framesOf({ opcode, cuts, isInterrupted }, payload) {
  if (cuts.length === 0) return [frameBytes(opcode, payload)];
  const edges = [0, ...cuts.map((cut) => Math.min(cut, payload.length)), payload.length];
  const pieces = edges.slice(1).map((end, index) => payload.subarray(edges[index], end));
  return pieces.flatMap((piece, index) => {
    const isFinal = index === pieces.length - 1;
    const bytes = frameBytes(index === 0 ? opcode : OPCODE.continuation, piece, { isFinal });
    return isInterrupted && !isFinal ? [bytes, frameBytes(OPCODE.ping, 'p')] : [bytes];
  });
}
