import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeAnswers } from '../src/index.js';
import { anAnswer, KINDS } from './samples.js';

describe.each(KINDS)('answers about %s', (kind) => {
  const answer = anAnswer.map((answers) => answers[kind]);

  it('merge to the same however they are grouped', () => {
    fc.assert(
      fc.property(fc.array(answer), fc.array(answer), (some, others) => {
        const grouped = [mergeAnswers(kind, some), mergeAnswers(kind, others)];
        expect(mergeAnswers(kind, grouped)).toEqual(mergeAnswers(kind, [...some, ...others]));
      }),
    );
  });

  it('merge to the same in every order', () => {
    const shuffled = fc
      .array(answer)
      .chain((answers) =>
        fc.tuple(
          fc.constant(answers),
          fc.shuffledSubarray(answers, { minLength: answers.length, maxLength: answers.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([answers, other]) => {
        expect(mergeAnswers(kind, other)).toEqual(mergeAnswers(kind, answers));
      }),
    );
  });

  it('are not changed by one that says nothing, nor by being alone', () => {
    fc.assert(
      fc.property(answer, (one) => {
        expect(mergeAnswers(kind, [one])).toEqual(one);
        expect(mergeAnswers(kind, [mergeAnswers(kind, []), one])).toEqual(one);
      }),
    );
  });

  it('stay as they are', () => {
    fc.assert(
      fc.property(answer, answer, (one, other) => {
        const before = structuredClone([one, other]);
        mergeAnswers(kind, [one, other]);
        expect([one, other]).toEqual(before);
      }),
    );
  });
});

it('sockets of a channel are added up over processes', () => {
  const here = new Map([
    ['orders', 2],
    ['presence-desk', 1],
  ]);
  const there = new Map([
    ['orders', 3],
    ['chat', 1],
  ]);
  const everywhere = new Map([
    ['orders', 5],
    ['presence-desk', 1],
    ['chat', 1],
  ]);
  expect(mergeAnswers('channels_with_sockets_count', [here, there])).toEqual(everywhere);
  expect(mergeAnswers('batch_channel_sockets_count', [here, there])).toEqual(everywhere);
  expect(mergeAnswers('sockets_count', [2, 0, 3])).toBe(5);
  expect(mergeAnswers('terminate_user', [1, 1])).toBe(2);
  expect(mergeAnswers('force_reconnect', [0, 1])).toBe(1);
  expect(mergeAnswers('token_revoked', [2, 0, 1])).toBe(3);
});

it('a channel that a peer counts as empty is not occupied', () => {
  expect(mergeAnswers('channels_with_sockets_count', [new Map([['gone', 0]])])).toEqual(new Map());
});
