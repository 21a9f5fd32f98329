import { describe, expect, it } from 'vitest';
import { Broken } from '../src/broken.js';
import { requestOf } from '../src/http/input.js';
import { judge } from '../src/http/judge.js';
import { HTTP_OUTCOMES, runHttp } from '../src/http/run-http.js';
import { describeFailure } from '../src/report.js';
import { PROOF, seedOfTheDay } from '../src/seed.js';

const INPUTS = PROOF ? 25_000 : 2500;
const seed = seedOfTheDay();

it(
  `what must hold of the HTTP API does, with mutated inputs of seed ${seed}`,
  { timeout: 180_000 },
  async () => {
    const { failures, inputs, outcomes } = await runHttp({ seed, inputs: INPUTS });
    expect(failures.map(describeFailure)).toEqual([]);
    expect(inputs).toBeGreaterThan(INPUTS);
    const missed = HTTP_OUTCOMES.filter((outcome) => !outcomes.has(outcome));
    expect(missed.length).toBeLessThanOrEqual(PROOF ? 0 : HTTP_OUTCOMES.length / 2);
  },
);

describe('an answer', () => {
  const event = requestOf(Buffer.from('POST␞/apps/1042/events␞$AUTH␞␞{"name":"e","channels":["a","b"]}'));
  const json = new Map([['content-type', 'application/json']]);
  const refusal = (/** @type {number} */ status, /** @type {string} */ code) => ({
    status,
    headers: json,
    body: JSON.stringify({ error: 'text', code, status }),
    published: 0,
  });
  const ok = { status: 200, headers: json, body: '{"ok":true}', published: 2 };

  it('as promised is named', () => {
    expect(judge(event, ok)).toBe('events ok');
    expect(judge(event, refusal(400, 'invalid_input'))).toBe('events invalid_input');
  });

  it.each([
    ['a fault', refusal(500, 'internal_error')],
    ['a code that is in no table', refusal(400, 'odd')],
    ['a status of another row', refusal(409, 'invalid_input')],
    ['a right signature refused', refusal(401, 'auth_failed')],
    ['something published by a refused request', { ...refusal(400, 'invalid_input'), published: 1 }],
    ['less published than asked', { ...ok, published: 1 }],
    ['more published than asked', { ...ok, published: 3 }],
    ['a refusal that is not JSON', { ...refusal(400, 'invalid_input'), headers: new Map() }],
  ])('is broken by %s', (_, answered) => {
    expect(() => judge(event, answered)).toThrow(Broken);
  });

  it('to a forged request is broken when it lets it in', () => {
    expect(() => judge({ ...event, query: `${event.query}&a=1` }, ok)).toThrow(Broken);
  });
});
