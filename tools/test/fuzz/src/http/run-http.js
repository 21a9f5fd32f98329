// One service for a whole run: what an input leaves behind must not show in the answer to another.
import { must } from '../broken.js';
import { problemOf } from '../chunk.js';
import { mutate } from '../mutate/mutate.js';
import { Random } from '../random.js';
import { HTTP_CORPUS, HTTP_TOKENS, requestOf } from './input.js';
import { judge } from './judge.js';
import { HttpService } from './service.js';

/** @typedef {import('../chunk.js').ChunkReport} ChunkReport */

/** Inputs with an outcome seen for the first time are mutated further; so many are kept, none of them large. */
const MAX_KEPT = 256;
const LARGEST_KEPT = 4096;

/** What thousands of made inputs must come to: otherwise they test nothing there. */
export const HTTP_OUTCOMES = [
  'nowhere not_found',
  'wrong method method_not_allowed',
  'ambiguous invalid_input',
  'unreadable path invalid_input',
  'preflight ok',
  'document ok',
  ...['events', 'batch'].flatMap((name) =>
    ['ok', 'invalid_input', 'missing_channel_info', 'limit_exceeded', 'auth_failed', 'conflict'].map(
      (code) => `${name} ${code}`,
    ),
  ),
  'events ai_event_not_permitted',
  ...['revocations', 'channels', 'channel', 'users', 'terminate', 'reconnect'].flatMap((name) => [
    `${name} ok`,
    `${name} auth_failed`,
  ]),
  'channel invalid_input',
  'users invalid_input',
];

/** @param {HttpService} service @param {Buffer} bytes @returns {Promise<string>} */
async function check(service, bytes) {
  const asked = requestOf(bytes);
  const outcome = judge(asked, await service.answer(asked));
  must(service.faults.length === 0, `there was a fault: ${problemOf(service.faults[0])}`);
  must(service.inFlight === 0, 'nothing is left under way');
  return outcome;
}

/** @param {{ seed: number, inputs: number }} wanted @returns {Promise<ChunkReport>} */
export async function runHttp({ seed, inputs }) {
  const service = await HttpService.start();
  /** @type {ChunkReport} */
  const report = { target: 'http', inputs: 0, outcomes: new Map(), failures: [] };
  const pool = HTTP_CORPUS.map(({ bytes }) => bytes);
  const seen = new Set();
  try {
    for (let index = -pool.length; index < inputs && report.failures.length === 0; index += 1) {
      const saved = HTTP_CORPUS[index + HTTP_CORPUS.length];
      const made = { random: new Random(seed, index), inputs: pool, tokens: HTTP_TOKENS };
      const input = saved?.bytes ?? mutate(made);
      report.inputs += 1;
      try {
        const outcome = await check(service, input);
        const isNew = !seen.has(outcome) && input.length <= LARGEST_KEPT;
        if (isNew && pool.length < HTTP_CORPUS.length + MAX_KEPT) pool.push(input);
        seen.add(outcome);
        if (saved === undefined) report.outcomes.set(outcome, (report.outcomes.get(outcome) ?? 0) + 1);
      } catch (error) {
        const place = saved === undefined ? `input ${index}` : `saved input "${saved.name}"`;
        report.failures.push({ target: 'http', seed, place, input, problem: problemOf(error) });
      }
    }
  } finally {
    await service.stop();
  }
  return report;
}

/** @param {Buffer} bytes @returns {Promise<string>} */
export async function replayHttp(bytes) {
  const service = await HttpService.start();
  try {
    return await check(service, bytes);
  } finally {
    await service.stop();
  }
}
