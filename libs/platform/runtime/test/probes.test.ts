import { describe, expect, it } from 'vitest';
import { liveAnswer, ProcessState, startingAnswer, upAnswer, type AdmissionState } from '../src/index.js';

const gate = (phase: 'STARTING' | 'DRAINING') => {
  const process = new ProcessState();
  process.advance(phase);
  const decision = { monitor: 'UNAVAILABLE', source: 'unavailable' } as const;
  return { process, admission: { state: (): AdmissionState => phase, decision } };
};

const short = (path: string, phase: 'STARTING' | 'DRAINING' = 'STARTING') => {
  const { status, body } = startingAnswer(path, gate(phase));
  return [status, body];
};

describe('probe answers', () => {
  it('have the fixed statuses, header equal to the body, and are never stored', () => {
    expect(liveAnswer()).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      body: 'OK',
    });
    const statuses = {
      OK: 200,
      DEGRADED: 200,
      ERROR: 503,
      DRAINING: 503,
      STARTING: 503,
      NOT_FOUND: 404,
    } as const;
    for (const [word, status] of Object.entries(statuses)) {
      const answer = upAnswer(word as keyof typeof statuses);
      expect(answer).toMatchObject({ status, body: word });
      expect(answer.headers).toMatchObject({ 'x-health-check': word, 'cache-control': 'no-store' });
    }
  });

  it('answer before any route exists, and nothing else does', () => {
    expect(short('/live')).toEqual([200, 'OK']);
    expect(short('/live/')).toEqual([200, 'OK']);
    expect(short('/up')).toEqual([503, 'STARTING']);
    expect(short('/up/shop')).toEqual([503, 'STARTING']);
    expect(short('/accept-traffic')).toEqual([503, 'STARTING']);
    for (const path of ['/', '/usage', '/apps/1/events', '/live//', '//live', '/up/a/b', '/metrics']) {
      const [status, body] = short(path);
      expect(status).toBe(503);
      expect(JSON.parse(String(body))).toMatchObject({ code: 'service_unavailable', status: 503 });
    }
    expect(startingAnswer('/x', gate('STARTING')).headers['retry-after']).toBe('1');
  });

  it('say DRAINING when the process is stopped while it starts', () => {
    expect(short('/up', 'DRAINING')).toEqual([503, 'DRAINING']);
    expect(short('/accept-traffic', 'DRAINING')).toEqual([503, 'DRAINING']);
    expect(short('/live', 'DRAINING')).toEqual([200, 'OK']);
  });

  it('rest on a life that only goes forward', () => {
    const process = new ProcessState();
    expect(process.current).toBe('STARTING');
    expect(process.advance('DRAINING')).toBe(true);
    expect(process.advance('RUNNING')).toBe(false);
    expect(process.advance('DRAINING')).toBe(false);
    expect(process.current).toBe('DRAINING');
  });
});
