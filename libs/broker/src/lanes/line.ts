import type { Heard, LaneAddress } from './port.js';

/**
 * Takes a request that came. The bytes are valid during the call only; the answer may be given at any time, once, and
 * giving it never throws.
 */
export type TakeRequest = (bytes: Uint8Array, answer: (text: string) => void) => void;

/**
 * Lane requests over one session of a broker. After the loss of the session, calls get no answer and nothing arrives.
 */
export interface LaneLine {
  /** Rejects with `SessionLost`, or with the broker's refusal of this request. */
  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard>;
  /** Settles when the broker has confirmed it. Rejects with `SessionLost`, or when the broker refuses it. */
  serve(address: LaneAddress, take: TakeRequest): Promise<void>;
  /** Settles when nothing more comes. */
  stopServing(address: LaneAddress): Promise<void>;
}
