// `node tools/test/bench ai`: streams of tokens through one server over PostgreSQL, rolled up and not.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { engine } from '@carillon/test-backends';
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { RawSocketClient, spawnNode } from '@carillon/testing';
import { BenchError } from '../../settings/bench-error.js';
import { postgresEnv, processEnv } from '../../settings/process-env.js';

const KEY = { appId: 'bench', key: 'bench-key', secret: 'bench-secret' };
const SERVER = fileURLToPath(new URL('../../../../../apps/server/dist/src/main.js', import.meta.url));
const READY = /"listening":"http:\/\/[^"]*?:(\d+)","metrics":"(http:[^"]+)"/;
const TICKS_PER_SECOND = 100;
const TOKEN_BYTES = 20;
const FIRST_TOKEN = /^\d+:0\./;
const WINDOWS = [0, 100, 500];

const status = (/** @type {string} */ value) => ({ ai: { transport: { status: value } } });

/** @param {string[]} args */
function optionsOf(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({ args, options: { streams: text, rate: text, seconds: text } });
  const number = (/** @type {'streams' | 'rate' | 'seconds'} */ name, /** @type {number} */ usual) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < 1 || value > 10_000)
      throw new BenchError(`--${name} takes a whole number from 1 to 10000`);
    return value;
  };
  return { streams: number('streams', 200), rate: number('rate', 50), seconds: number('seconds', 5) };
}

/** Seconds that a process has used. @param {number} pid */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Seconds that the main thread of a process was ready to run and no core was free: on a busy machine most of what streams
 * wait for. Null: this system does not tell. @param {number} pid
 */
function waitedSeconds(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return null;
  }
}

async function openServer() {
  const server = await engine('postgres', { own: true });
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ ai_transport: { enabled: true, channels: [{ prefix: 'ai-' }] } }));
  const node = spawnNode(SERVER, ['--config', file], {
    ...processEnv(KEY),
    RATE_LIMITER_ENABLED: 'false',
    HISTORY_ENABLED: 'true',
    HISTORY_BACKEND: 'postgres',
    VERSIONED_MESSAGES_ENABLED: 'true',
    ...postgresEnv(server.url),
  });
  const [, listening, metrics = ''] = await node.says(READY);
  const close = async () => {
    await node.kill('SIGTERM');
    await server.release();
    rmSync(folder, { recursive: true });
  };
  return { node, port: Number(listening), metrics, close };
}

/** Batches that the server has committed. @param {string} metrics */
async function commitsOf(metrics) {
  const found = /^\w*commit_batches_total(?:\{[^}]*\})? (\d+)/m.exec(await (await fetch(metrics)).text());
  if (found === null) throw new BenchError('the server tells no commits');
  return Number(found[1]);
}

/** The signed HTTP API over kept connections, as many as are under way. @param {number} port @param {number} streams */
function apiOf(port, streams) {
  const key = prepareSigningKey(KEY);
  const agent = new Agent({ keepAlive: true, maxSockets: streams });
  /** @type {(path: string, content: object) => Promise<any>} */
  const post = (path, content) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(content);
      const rawPath = `/apps/${KEY.appId}${path}`;
      const query = signRequest(
        { method: 'POST', rawPath, query: {}, body },
        key,
        Math.floor(Date.now() / 1000),
      );
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(
        { host: '127.0.0.1', port, method: 'POST', path: `${rawPath}?${query}`, headers, agent },
        (answer) => {
          let text = '';
          answer.on('data', (chunk) => (text += String(chunk)));
          answer.on('end', () =>
            answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new BenchError(text)),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return { post, close: () => agent.destroy() };
}

/** One subscriber of all streams, which counts frames and keeps what it reads. */
class Reader {
  frames = 0;
  /** @type {Map<string, string>} */
  texts = new Map();
  /** @type {number[]} */
  latenciesMs = [];
  /** Of the first token of each stream. @type {number[]} */
  firstMs = [];

  /** @param {RawSocketClient} raw @param {Map<string, number>} sentAt by token */
  constructor(raw, sentAt) {
    this.raw = raw;
    this.sentAt = sentAt;
  }

  /** @param {number} port @param {number} windowMs @param {readonly string[]} channels @param {Map<string, number>} sentAt */
  static async open(port, windowMs, channels, sentAt) {
    const path = `/app/${KEY.key}?protocol=2&append_rollup_window=${windowMs}`;
    const raw = await RawSocketClient.open(port, path);
    await raw.next();
    for (const channel of channels) {
      raw.sendText(JSON.stringify({ event: 'service:subscribe', data: { channel } }));
      await raw.next();
    }
    return new Reader(raw, sentAt);
  }

  /** Until every stream has ended. @param {number} streams */
  async read(streams) {
    for (let ended = 0; ended < streams;) {
      const { payload } = await this.raw.next(60_000);
      const frame = JSON.parse(payload.toString());
      if (frame.event !== 'service:message.append') continue;
      if (frame.extras.ai?.transport?.status === 'complete') {
        ended += 1;
        continue;
      }
      this.frames += 1;
      this.texts.set(frame.channel, (this.texts.get(frame.channel) ?? '') + frame.data);
      const atMs = performance.now();
      for (let at = 0; at < frame.data.length; at += TOKEN_BYTES) {
        const token = frame.data.slice(at, at + TOKEN_BYTES);
        const sentMs = this.sentAt.get(token);
        if (sentMs === undefined) continue;
        this.latenciesMs.push(atMs - sentMs);
        if (FIRST_TOKEN.test(token)) this.firstMs.push(atMs - sentMs);
      }
    }
  }
}

const quantile = (/** @type {number[]} */ values, /** @type {number} */ share) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0;

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} whether every token came */
export async function benchAi(args, progress) {
  const { streams, rate, seconds } = optionsOf(args);
  const { node, port, metrics, close } = await openServer();
  const api = apiOf(port, streams);
  try {
    const channels = Array.from({ length: streams }, (_, n) => `ai-${n}`);
    /** @type {Map<string, number>} */
    const sentAt = new Map();
    const readers = await Promise.all(WINDOWS.map((ms) => Reader.open(port, ms, channels, sentAt)));
    progress(`${streams} streams, ${rate} tokens each a second, for ${seconds} s`);
    const paths = await Promise.all(
      channels.map(async (channel) => {
        const extras = status('streaming');
        const made = await api.post('/events', { name: 'a', channel, data: '', extras, message_id: channel });
        return `/channels/${channel}/messages/${made.channels[channel].message_serial}`;
      }),
    );
    const reading = Promise.all(readers.map((reader) => reader.read(streams)));
    const pid = node.child.pid ?? 0;
    const commitsBefore = await commitsOf(metrics);
    const cpuBefore = cpuSeconds(pid);
    const waitedBefore = waitedSeconds(pid);
    const begunMs = performance.now();
    // Each stream waits for its token to be taken, as a model's server does that must keep their order.
    await Promise.all(
      paths.map(async (path, stream) => {
        for (let token = 0; token < rate * seconds; token += 1) {
          const dueMs = begunMs + ((token + stream / streams) * 1000) / rate;
          const waitMs = dueMs - performance.now();
          if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
          const data = `${stream}:${token}`.padEnd(TOKEN_BYTES, '.');
          sentAt.set(data, performance.now());
          await api.post(`${path}/append`, { data });
        }
        await api.post(`${path}/append`, { data: '', extras: status('complete') });
      }),
    );
    const tookSeconds = (performance.now() - begunMs) / 1000;
    const cpu = cpuSeconds(pid) - cpuBefore;
    const waited = waitedBefore === null ? null : (waitedSeconds(pid) ?? 0) - waitedBefore;
    const commits = (await commitsOf(metrics)) - commitsBefore;
    await reading;
    const tokens = streams * rate * seconds;
    const [plain] = readers;
    process.stdout.write(
      `${tokens} tokens in ${tookSeconds.toFixed(1)} s: ${(tokens / tookSeconds).toFixed(0)}/s, ` +
        `${((cpu * 1e6) / tokens).toFixed(0)} µs of CPU each, ${(commits / tookSeconds).toFixed(0)} commits/s of ` +
        `${(tokens / commits).toFixed(1)} tokens` +
        (waited === null
          ? '\n'
          : `; the server waited ${Math.round((100 * waited) / tookSeconds)} % of the time for a core\n`),
    );
    let isWhole = true;
    for (const [index, { frames, texts, latenciesMs, firstMs }] of readers.entries()) {
      const got = [...texts.values()].reduce((sum, text) => sum + text.length / TOKEN_BYTES, 0);
      isWhole &&= got === tokens && latenciesMs.length === tokens;
      process.stdout.write(
        `window ${WINDOWS[index]} ms: ${got} tokens in ${frames} frames (${((plain?.frames ?? 0) / frames).toFixed(1)} times fewer), ` +
          `append to subscriber p50 ${quantile(latenciesMs, 0.5).toFixed(1)} ms, p99 ${quantile(latenciesMs, 0.99).toFixed(1)} ms, ` +
          `first token p50 ${quantile(firstMs, 0.5).toFixed(1)} ms, p99 ${quantile(firstMs, 0.99).toFixed(1)} ms\n`,
      );
    }
    return isWhole;
  } finally {
    api.close();
    await close();
  }
}
