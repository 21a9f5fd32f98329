import { expect, it } from 'vitest';
import { Answers } from '../src/answers.js';

it('a publish is answered when it is counted, and after those before it', async () => {
  const answers = new Answers();
  const said: number[] = [];
  const say = (number: number) => (): void => void said.push(number);
  answers.add(null, say(0));
  expect(said).toEqual([0]);
  const done: (() => void)[] = [];
  const counted = (): Promise<void> => new Promise((resolve) => void done.push(resolve));
  answers.add(counted(), say(1));
  answers.add(counted(), say(2));
  answers.add(null, say(3));
  done[1]?.();
  await new Promise((later) => setImmediate(later));
  expect(said).toEqual([0]);
  done[0]?.();
  await answers.said;
  expect(said).toEqual([0, 1, 2, 3]);
  answers.add(null, say(4));
  expect(said).toEqual([0, 1, 2, 3, 4]);
});
