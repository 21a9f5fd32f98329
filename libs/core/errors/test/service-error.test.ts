import { describe, expect, it } from 'vitest';
import { errorBody, ERRORS, ServiceError, toServiceError, type ErrorRow } from '../src/index.js';

describe('service errors', () => {
  it('answers with the one body shape', () => {
    const error = new ServiceError('limit_exceeded', { text: '120 channels given, at most 100 allowed' });
    expect(errorBody(error)).toEqual({
      error: '120 channels given, at most 100 allowed',
      code: 'limit_exceeded',
      status: 400,
    });
  });

  it('never tells a client what failed inside', () => {
    const error = toServiceError(new Error('connect ECONNREFUSED postgres://u:p@db'));
    expect(errorBody(error)).toEqual({ error: 'Internal server error', code: 'internal_error', status: 500 });
    expect(errorBody(new ServiceError('internal_error', { text: 'secret' })).error).toBe(
      'Internal server error',
    );
    expect((error.cause as Error).message).toContain('ECONNREFUSED');
  });

  it('adds ai_code only where the row has one', () => {
    expect(errorBody(new ServiceError('ai_client_id_spoof'))).toMatchObject({ status: 400, ai_code: 104002 });
    expect(errorBody(new ServiceError('forbidden'))).not.toHaveProperty('ai_code');
  });

  it('lets the thrower name what one row answers in two ways', () => {
    const accumulated = new ServiceError('payload_too_large', { aiCode: 40_009 });
    expect(errorBody(accumulated)).toMatchObject({ status: 413, ai_code: 40_009 });
    expect(errorBody(new ServiceError('payload_too_large'))).not.toHaveProperty('ai_code');
    const longId = new ServiceError('ai_header_too_large', { status: 400 });
    expect(errorBody(longId)).toMatchObject({ status: 400, ai_code: 104001 });
    expect(errorBody(new ServiceError('ai_header_too_large')).status).toBe(413);
  });

  it('carries the second text of the rate limiter, in its place', () => {
    const error = new ServiceError('rate_limited', { message: 'Request quota used up, retry later' });
    expect(JSON.stringify(errorBody(error))).toBe(
      '{"error":"Too Many Requests","message":"Request quota used up, retry later","code":"rate_limited","status":429}',
    );
  });

  it('sends Retry-After with every 503, and lets the thrower name another', () => {
    expect(new ServiceError('backpressure').headers).toEqual({ 'retry-after': '1' });
    expect(new ServiceError('rate_limited', { retryAfterSeconds: 60 }).headers).toEqual({
      'retry-after': '60',
    });
    expect(new ServiceError('forbidden').headers).toEqual({});
  });

  it('has unavailable answers only where a retry can help', () => {
    const unavailable = Object.values<ErrorRow>(ERRORS).filter((row) => row.status === 503);
    expect(unavailable.length).toBeGreaterThan(0);
    expect(unavailable.every((row) => row.retryable && row.retryAfterSeconds === 1)).toBe(true);
  });

  it('derives the retry rule of close codes from their range', () => {
    for (const { closeCode, retryable } of Object.values<ErrorRow>(ERRORS)) {
      if (closeCode === null) continue;
      expect(retryable).toBe(closeCode >= 4100 && closeCode <= 4299);
    }
  });
});
