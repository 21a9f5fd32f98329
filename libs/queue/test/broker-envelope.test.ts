import { describe, expect, it } from 'vitest';
import { decodeJob, encodeJob, type Envelope } from '../src/broker/envelope.js';

const JOB: Envelope = { id: 'a', enqueuedAtMs: 1, attempts: 2, waitMs: 3, owner: 'shop', data: 'text\nmore' };

describe('the envelope of a job at a broker', () => {
  it('is decoded as it was encoded, with and without an owner', () => {
    expect(decodeJob(encodeJob(JOB))).toEqual(JOB);
    expect(decodeJob(encodeJob({ ...JOB, owner: null }))).toEqual({ ...JOB, owner: null });
  });

  it('is decoded without an owner when an earlier version encoded it', () => {
    expect(decodeJob('carillon-job/1 ["a",1,2,3]\ntext\nmore')).toEqual({ ...JOB, owner: null });
  });

  it('keeps the fields that an earlier version reads in their places', () => {
    expect(encodeJob(JOB)).toBe('carillon-job/1 ["a",1,2,3,"shop"]\ntext\nmore');
  });
});
