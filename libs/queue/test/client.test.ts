import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InvalidJob, type Job, type NewJob, QueueClient, QueueTransport } from '../src/index.js';
import { openMemory } from './memory-scene.js';

const TRANSPORT = Symbol('test transport');

@Controller()
class Worker {
  static readonly received: string[] = [];

  @EventPattern('orders', TRANSPORT)
  async handle(@Payload() { data }: Job): Promise<void> {
    Worker.received.push(data);
  }
}

@Module({ controllers: [Worker] })
class Root {}

it('QueueClient emits jobs to the @EventPattern handler of the queue and resolves with their ids', async () => {
  const queue = await openMemory();
  const strategy = new QueueTransport(TRANSPORT, queue, (pattern) => ({ queues: [pattern] }));
  const app = await NestFactory.createMicroservice(Root, { strategy, logger: false });
  await app.listen();
  onTestFinished(() => app.close());
  const client = new QueueClient(queue);
  const ids = await client.emitJobs('orders', [{ data: 'a' }, { data: 'b' }]);
  expect(ids).toHaveLength(2);
  await vi.waitFor(() => expect(Worker.received.toSorted()).toEqual(['a', 'b']));
  expect(client.unwrap()).toBe(queue);
});

it('QueueClient rejects with the error of the queue when a job is not accepted', async () => {
  const client = new QueueClient(await openMemory());
  const tooLarge: NewJob = { data: 'x'.repeat(64 * 1024 * 1024) };
  await expect(client.emitJobs('orders', [tooLarge])).rejects.toBeInstanceOf(InvalidJob);
});

it('QueueClient rejects a request because a queue returns no responses', async () => {
  const client = new QueueClient(await openMemory());
  await expect(lastValueFrom(client.send('orders', {}))).rejects.toThrow('use emit');
});
