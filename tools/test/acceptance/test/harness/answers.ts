import type { RawAnswer } from '@carillon/testing';
import { expect } from 'vitest';

/** Status and parsed body of an answer that has one. */
export async function told(answering: Promise<RawAnswer>): Promise<[status: number, body: unknown]> {
  const { status, body } = await answering;
  return [status, JSON.parse(body)];
}

/** A refusal in the one form all have; its text is for people, and compared only when it is given. */
export async function expectRefused(
  answering: Promise<RawAnswer>,
  status: number,
  code: string,
  error: unknown = expect.any(String),
): Promise<RawAnswer> {
  const answer = await answering;
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error, code, status }]);
  expect(answer.headers['content-type']).toBe('application/json');
  return answer;
}
