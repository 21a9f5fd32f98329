import { onTestFinished } from 'vitest';
import { openQueue, type Queue } from '../src/index.js';
import { configuration } from '@carillon/testing';
import { quick, recordingLog, type OpenOptions, type Scene } from './scene.js';

/** Every process has a memory of its own. */
export async function memoryScene(): Promise<Scene> {
  return { open: openMemory };
}

export async function openMemory({ onSettled, log, ...reliability }: OpenOptions = {}): Promise<Queue> {
  const queue = await openQueue(
    'memory',
    {
      reliability: quick(reliability),
      log: log ?? recordingLog().log,
      ...(onSettled === undefined ? {} : { observer: { settled: onSettled } }),
    },
    configuration(),
  );
  await queue.connect();
  onTestFinished(() => queue.close());
  return queue;
}
