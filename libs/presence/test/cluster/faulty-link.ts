import { APPLY, RECALL } from '../../src/cluster/scripts.js';
import type { StoreLink } from '../../src/cluster/store.js';
import { wrapped } from './wrapped-link.js';

/** Fault of a call: executed without an answer, not executed, or executed later. */
export type Fault = 'answer' | 'call' | 'delay';

const CHANGES = new Set<unknown>([APPLY.sha1, APPLY.lua]);
const RECALLS = new Set<unknown>([RECALL.sha1, RECALL.lua]);

export interface FaultyLinkOptions {
  /** Chooses the fault of every change; undefined: none. */
  readonly fault: () => Fault | undefined;
  /** Whether questions for lost answers may be lost too. */
  readonly losesRecalls?: boolean;
  /** Given calls that are carried out later. */
  readonly onDelayed?: (call: () => Promise<unknown>) => void;
}

/** A connection with injected losses of calls and answers. */
export function faultyLink(
  link: StoreLink,
  { fault, losesRecalls = false, onDelayed = () => undefined }: FaultyLinkOptions,
): StoreLink {
  return wrapped(link, {
    call: async (command, ...args) => {
      const isConcerned = CHANGES.has(args[0]) || (losesRecalls && RECALLS.has(args[0]));
      const what = isConcerned ? fault() : undefined;
      if (what === 'delay') onDelayed(() => link.call(command, ...args));
      if (what === 'delay' || what === 'call') throw new Error('the call is lost');
      const answer = await link.call(command, ...args);
      if (what === 'answer') throw new Error('the answer is lost');
      return answer;
    },
  });
}
