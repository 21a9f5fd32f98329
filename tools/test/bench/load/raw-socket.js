import { createHmac } from 'node:crypto';
import { createConnection } from 'node:net';
import { dialectOf } from './dialects.js';
import { BenchError } from '../settings/bench-error.js';
import { clientFrame, upgradeRequest } from './frames.js';
import { FrameCounter, OPCODE } from './frame-counter.js';

const STEP_TIMEOUT_MS = 15_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LARGEST_HEAD_BYTES = 16 * 1024;
/** A server's question whether the client is still there fits in this; no message of the bench does. */
const LARGEST_PROBE_BYTES = 64;
const CLOSED_WITHOUT_A_CODE = 1006;

/**
 * One client on a bare TCP socket. It understands frames only until it is subscribed; from then on it
 * counts them, and looks inside only where `onData` is set.
 */
export class RawSocket {
  /** Set to see the payload of every data frame after the subscription. @type {((payload: Buffer) => void) | null} */
  onData = null;
  /** Called once when the connection ends without `end` or `drop` having been called. @type {() => void} */
  onLost = () => {};
  /** Of the server's close frame, 1006 when the connection ended without one; 0 while it is open. */
  closeCode = 0;
  /** @type {Buffer} */
  #head = Buffer.alloc(0);
  #greeting = '';
  #upgraded = false;
  #leaving = false;
  #probes = 0;
  /** What the next awaited frame must contain. @type {{ text: string, done: (payload: Buffer) => void, failed: (error: Error) => void } | null} */
  #awaited = null;
  #counter = new FrameCounter({
    onFrame: (opcode, payload) => this.#frame(opcode, payload),
    keepData: (bytes) => this.#awaited !== null || this.onData !== null || bytes <= LARGEST_PROBE_BYTES,
  });

  /** @param {import('./model.js').Server} server @param {string} path of the upgrade request */
  constructor(server, path) {
    this.request = upgradeRequest(server.authority, path);
    this.dialect = dialectOf(server);
    this.socket = createConnection({ host: server.host, port: server.port, noDelay: true });
    this.socket.on('data', (chunk) => this.#read(chunk));
    this.socket.on('error', (error) => this.#fail(error.message));
    this.socket.on('close', () => {
      this.closeCode ||= CLOSED_WITHOUT_A_CODE;
      this.#fail('the server closed the connection');
      if (!this.#leaving) this.onLost();
    });
  }

  /** Messages received so far, the two of the handshake included; the server's probes are not. */
  get messages() {
    return this.#counter.messages - this.#probes;
  }

  /** Resolves when the server has greeted this connection. */
  async open() {
    this.socket.write(this.request);
    this.#greeting = (await this.#receive(this.dialect.greeted, 'connect')).toString();
  }

  /** What the server calls this connection. */
  get socketId() {
    return JSON.parse(JSON.parse(this.#greeting).data).socket_id;
  }

  /** Resolves when the server has confirmed the subscription. @param {string} channel a public channel */
  async subscribe(channel) {
    this.say(this.dialect.subscribe(channel));
    await this.#receive(this.dialect.subscribed, 'subscribe');
  }

  /**
   * Resolves when the server has confirmed the membership.
   * @param {import('./sign.js').Credentials} credentials
   * @param {string} channel a presence channel
   * @param {string} userId
   */
  async join({ key, secret }, channel, userId) {
    const channelData = JSON.stringify({ user_id: userId });
    const text = `${this.socketId}:${channel}:${channelData}`;
    const auth = `${key}:${createHmac('sha256', secret).update(text).digest('hex')}`;
    this.#send({ event: 'pusher:subscribe', data: { channel, auth, channel_data: channelData } });
    await this.#receive('subscription_succeeded', 'join');
  }

  /** @param {string} channel */
  leave(channel) {
    this.#send({ event: 'pusher:unsubscribe', data: { channel } });
  }

  /** Says goodbye and resolves when the connection is gone. */
  async end() {
    this.#leaving = true;
    if (this.socket.destroyed) return;
    const gone = new Promise((done) => {
      this.socket.once('close', done);
    });
    this.socket.write(clientFrame(OPCODE.close, Buffer.from([0x03, 0xe8])));
    const timer = setTimeout(() => this.socket.destroy(), STEP_TIMEOUT_MS);
    await gone;
    clearTimeout(timer);
  }

  /** Cuts the connection without a word; the local port is free again at once. */
  drop() {
    this.#leaving = true;
    this.socket.resetAndDestroy();
  }

  /** @param {Buffer} payload of a frame in its dialect */
  say(payload) {
    this.socket.write(clientFrame(this.dialect.opcode, payload));
  }

  /** @param {object} event */
  #send(event) {
    this.socket.write(clientFrame(OPCODE.text, Buffer.from(JSON.stringify(event))));
  }

  /** @param {string} text @param {string} step @returns {Promise<Buffer>} */
  #receive(text, step) {
    return new Promise((done, refused) => {
      const failed = (/** @type {Error} */ error) => {
        clearTimeout(timer);
        this.#awaited = null;
        refused(new BenchError(`cannot ${step}: ${error.message}`));
      };
      const timer = setTimeout(
        () => failed(new Error(`no answer in ${STEP_TIMEOUT_MS} ms`)),
        STEP_TIMEOUT_MS,
      );
      this.#awaited = {
        text,
        failed,
        done: (payload) => {
          clearTimeout(timer);
          this.#awaited = null;
          done(payload);
        },
      };
      if (this.socket.destroyed) failed(new Error('the server closed the connection'));
    });
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    if (this.#upgraded) return this.#counter.push(chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end < 0 && this.#head.length < LARGEST_HEAD_BYTES) return;
    const status = this.#head.toString('latin1', 0, Math.min(60, this.#head.indexOf('\r\n')));
    if (end < 0 || !status.startsWith('HTTP/1.1 101 '))
      return this.#refuse(`the server answered "${status}"`);
    this.#upgraded = true;
    const rest = this.#head.subarray(end + END_OF_HEAD.length);
    this.#head = Buffer.alloc(0);
    this.#counter.push(rest);
  }

  /** @param {number} opcode @param {Buffer} payload */
  #frame(opcode, payload) {
    if (opcode === OPCODE.ping) this.socket.write(clientFrame(OPCODE.pong, payload.subarray(0, 125)));
    else if (opcode === OPCODE.close) this.#closed(payload);
    else if (opcode === OPCODE.pong) return;
    else if (payload.length <= LARGEST_PROBE_BYTES && payload.includes('pusher:ping')) this.#answerProbe();
    else if (this.#awaited === null) this.onData?.(payload);
    else if (payload.includes(this.#awaited.text)) this.#awaited.done(payload);
    else if (payload.includes(this.dialect.refused))
      this.#fail(`the server said ${payload.toString('utf8', 0, 200)}`);
  }

  #answerProbe() {
    this.#probes += 1;
    this.#send({ event: 'pusher:pong', data: {} });
  }

  /** @param {Buffer} payload */
  #closed(payload) {
    this.closeCode = payload.length < 2 ? CLOSED_WITHOUT_A_CODE : payload.readUInt16BE(0);
    const text = payload.length < 2 ? 'no code' : `${this.closeCode} ${payload.toString('utf8', 2)}`.trim();
    this.#refuse(`the server closed with ${text}`);
  }

  /** @param {string} reason */
  #refuse(reason) {
    this.#fail(reason);
    this.socket.destroy();
  }

  /** @param {string} reason */
  #fail(reason) {
    this.#awaited?.failed(new Error(reason));
  }
}
