import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openQueue } from '../src/index.js';
import { brokerFailures } from './broker-failures.js';
import { iggyScene } from './iggy-scene.js';
import { collect, quick, recordingLog, until } from './scene.js';

brokerFailures('iggy', iggyScene);

it('iggy: a second installation on the same stream receives nothing of the first', async () => {
  const [one, two] = [await (await iggyScene()).open(), await (await iggyScene()).open()];
  const [jobs, others] = [collect(one, 'q'), collect(two, 'q')];
  await one.enqueue('q', 'mine');
  await two.enqueue('q', 'yours');
  await until(() => jobs.length > 0 && others.length > 0);
  expect([jobs, others].map((list) => list.map((job) => job.data))).toEqual([['mine'], ['yours']]);
});

it('iggy: a wrong password is named at the start', async () => {
  const { url } = await engine('iggy');
  const parts = { reliability: quick(), log: recordingLog().log };
  const env = { IGGY_CONNECTION_STRING: url, IGGY_PASSWORD: 'wrong' };
  const queue = await openQueue('iggy', parts, configuration(env));
  onTestFinished(() => queue.close());
  await expect(queue.connect()).rejects.toThrow(
    /refuses user "iggy" \(HTTP 400 invalid_credentials\); set queue\.iggy\.username/,
  );
});
