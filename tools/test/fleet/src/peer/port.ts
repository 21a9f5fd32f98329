/** `replyTo`: where the broker itself is told to send the answer; absent where brokers know of none. */
export type Heard = (address: string, text: string, replyTo?: string) => void;

/** A process that speaks to the broker with no part of the service in it, and says what it likes. */
export interface Peer {
  /** Hears what is sent to these addresses from then on. */
  hear(addresses: readonly string[], heard: Heard): Promise<void>;
  /** Resolves when the broker has it. */
  send(address: string, text: string): Promise<void>;
  close(): void;
}
