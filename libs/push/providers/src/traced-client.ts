import { traced } from '@carillon/tracing';
import type { PushClient, SendRequest } from './port.js';

/** A client whose sends are spans, without targets and payloads. */
export class TracedClient implements PushClient {
  constructor(private readonly client: PushClient) {}

  get provider(): PushClient['provider'] {
    return this.client.provider;
  }

  get usage(): PushClient['usage'] {
    return this.client.usage;
  }

  send(request: SendRequest, signal: AbortSignal): ReturnType<PushClient['send']> {
    return traced(
      () => ({ name: `push ${this.provider}`, kind: 'client', attributes: { provider: this.provider } }),
      () => this.client.send(request, signal),
    );
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
