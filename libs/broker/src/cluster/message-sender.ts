import { encode, type BrokerNames, type MessageDefinition } from '@carillon/contracts';
import type { ClusterLog, ClusterMeters } from './meters.js';
import type { Outbox } from './outbox.js';

export interface PostParts {
  readonly names: BrokerNames;
  readonly outbox: Outbox;
  readonly maxMessageBytes: number;
  readonly meters: ClusterMeters;
  readonly log: ClusterLog;
}

/** Writes messages and hands them to the broker. */
export class MessageSender {
  readonly names: BrokerNames;

  constructor(private readonly parts: PostParts) {
    this.names = parts.names;
  }

  /**
   * Encodes and sends a message. Resolves when the broker has confirmed it under every address; rejects if it
   * violates its definition or the size limit.
   */
  send<Body>(
    definition: MessageDefinition<string, Body>,
    body: Body,
    addresses: readonly string[],
    key?: string,
  ): Promise<void> {
    const { outbox, maxMessageBytes, meters } = this.parts;
    const encoded = encode(definition, body, maxMessageBytes);
    if (!encoded.ok || outbox.isFull) meters.dropped();
    if (!encoded.ok) return Promise.reject(new Error(`message not sent: ${encoded.detail}`));
    const [only] = addresses;
    if (only !== undefined && addresses.length === 1) return outbox.send(only, encoded.text, key);
    return this.#sendToAll(addresses, encoded.text, key);
  }

  async #sendToAll(addresses: readonly string[], text: string, key?: string): Promise<void> {
    await Promise.all(addresses.map((address) => this.parts.outbox.send(address, text, key)));
  }

  /** Sends a message without waiting for confirmation. */
  tell<Body>(definition: MessageDefinition<string, Body>, body: Body, address: string): void {
    this.send(definition, body, [address]).catch((error: unknown) => {
      this.parts.log.warn('message to other nodes not sent', { kind: definition.kind, error });
    });
  }
}
