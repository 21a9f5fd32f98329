import { randomUUID } from 'node:crypto';
import { type Json, MAX_MANAGE_PARTS, type ManageResponse } from '@carillon/contracts';
import type { FleetAnswers } from './port.js';

/** Collects the answers of gateways to one request, until all have answered or its time is over. */
export class Gathering {
  readonly id: string = randomUUID();
  readonly done: Promise<FleetAnswers>;
  readonly #answers = new Map<string, Json>();
  readonly #awaited: Set<string>;
  /** Parts received so far, by node. */
  readonly #parts = new Map<string, string[]>();
  readonly #timer: NodeJS.Timeout;
  #finish: (answers: FleetAnswers) => void = () => {};

  constructor(awaited: Iterable<string>, timeoutMs: number) {
    this.#awaited = new Set(awaited);
    this.done = new Promise((resolve) => (this.#finish = resolve));
    this.#timer = setTimeout(() => this.end(), timeoutMs);
    this.#look();
  }

  /** Takes the part of a node's answer. Parts out of order void the answer of the node: it stays missing. */
  take({ node_id: nodeId, part, more, text }: ManageResponse): void {
    if (this.#answers.has(nodeId)) return;
    const parts = this.#parts.get(nodeId) ?? [];
    this.#parts.set(nodeId, parts);
    if (part !== parts.length || parts.length >= MAX_MANAGE_PARTS) return;
    parts.push(text);
    if (more === true) return;
    this.#parts.delete(nodeId);
    const answer = parsed(parts.join(''));
    if (answer !== undefined) this.answered(nodeId, answer);
  }

  answered(nodeId: string, answer: Json): void {
    if (this.#answers.has(nodeId)) return;
    this.#answers.set(nodeId, answer);
    this.gone(nodeId);
  }

  /** A node that left is no longer awaited. */
  gone(nodeId: string): void {
    this.#awaited.delete(nodeId);
    this.#look();
  }

  /** Idempotent. */
  end(): void {
    clearTimeout(this.#timer);
    this.#finish({ answers: this.#answers, missing: [...this.#awaited].sort() });
  }

  #look(): void {
    if (this.#awaited.size === 0) this.end();
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
