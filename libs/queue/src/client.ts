import { ClientProxy, type ReadPacket } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import type { NewJob, Queue } from './port.js';

/**
 * Producer counterpart of {@link QueueTransport}: a message emitted to a queue reaches the `@EventPattern` handler of
 * that name. The process connects and closes the queue, so `connect` and `close` do nothing.
 */
export class QueueClient extends ClientProxy {
  constructor(private readonly queue: Pick<Queue, 'enqueueBatch'>) {
    super();
  }

  /** Emits jobs as one batch; resolves with their ids and rejects as `Queue.enqueueBatch` does. */
  emitJobs(queue: string, jobs: readonly NewJob[]): Promise<string[]> {
    return lastValueFrom(this.emit<string[], readonly NewJob[]>(queue, jobs));
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {}

  // oxlint-disable-next-line no-unnecessary-type-parameters -- the signature of `ClientProxy`
  unwrap<Client = Pick<Queue, 'enqueueBatch'>>(): Client {
    return this.queue as Client;
  }

  protected publish(): never {
    throw new Error('a queue returns no responses: use emit');
  }

  protected dispatchEvent<Ids>({ pattern, data }: ReadPacket<readonly NewJob[]>): Promise<Ids> {
    return this.queue.enqueueBatch(String(pattern), data) as Promise<Ids>;
  }
}
