import { describe, expect, it } from 'vitest';
import { subjectProblem } from '../commits.js';

describe('subjectProblem', () => {
  it.each(['queue: share dead letters of SQS and SNS', 'push-store: add a column', 'Merge branch main'])(
    'accepts "%s"',
    (subject) => expect(subjectProblem(subject)).toBeNull(),
  );

  it.each(['Fix things', 'queue, push: two areas', 'queue: ends with a period.'])('rejects "%s"', (subject) =>
    expect(subjectProblem(subject)).toContain('is not of the form'),
  );

  it('rejects subjects of more than 72 characters', () => {
    expect(subjectProblem(`queue: ${'x'.repeat(70)}`)).toBe('has 77 characters; at most 72');
  });
});
