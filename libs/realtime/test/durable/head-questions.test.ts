import { expect, it } from 'vitest';
import type { Followable, Followed } from '../../src/durable/followed.js';
import { HeadQuestions } from '../../src/durable/head-questions.js';

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));
const followed = (): Followed<Followable> => ({ asking: null }) as unknown as Followed<Followable>;

it('while questions are on their way, those who are asked for meanwhile are asked for together', async () => {
  const asked: { readonly count: number; readonly make: boolean; readonly answer: () => void }[] = [];
  const questions = new HeadQuestions<Followable>(
    (all, make) => new Promise((answer) => void asked.push({ count: all.length, make, answer })),
  );
  const answers: Promise<void>[] = [];
  for (let n = 0; n < 50; n += 1) {
    answers.push(questions.ask(followed(), true));
    await turn();
  }
  expect(asked.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  // Requests that create no streams do not wait for those that do.
  answers.push(questions.ask(followed()));
  await turn();
  expect(asked.at(-1)).toMatchObject({ count: 1, make: false });
  asked[0]?.answer();
  await turn();
  expect(asked.at(-1)).toMatchObject({ count: 46, make: true });
  for (const { answer } of asked) answer();
  await Promise.all(answers);
});

it('a question that fails fails for all of it, and the next one is asked', async () => {
  let failures = 0;
  const questions = new HeadQuestions<Followable>(async () => {
    failures += 1;
    if (failures === 1) throw new Error('away');
  });
  const one = followed();
  await expect(questions.ask(one)).rejects.toThrow('away');
  await questions.ask(one);
  expect(failures).toBe(2);
});
