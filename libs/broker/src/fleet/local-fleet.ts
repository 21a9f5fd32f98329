import type { Json, ManageTopic } from '@carillon/contracts';
import { within } from '../cluster/waiting.js';
import { NoticeListeners } from './notices.js';
import type {
  FleetAnswers,
  FleetBus,
  FleetHandler,
  MessageObserver,
  NoticeListener,
  Observation,
} from './port.js';

/** The control plane of an installation that is one process. */
export class LocalFleet implements FleetBus {
  readonly #notices = new NoticeListeners();
  #handler: FleetHandler | null = null;

  constructor(
    readonly nodeId: string,
    readonly observe: (appId: string, channel: string | null, observer: MessageObserver) => Observation,
    private readonly onFault: (error: unknown) => void,
  ) {}

  gateways(): Promise<readonly string[]> {
    return Promise.resolve(this.#handler === null ? [] : [this.nodeId]);
  }

  async ask(type: string, body: Json, timeoutMs: number): Promise<FleetAnswers> {
    if (this.#handler === null) return { answers: new Map(), missing: [] };
    const answer = await ownAnswer(this.#handler, { type, body, timeoutMs }, this.onFault);
    if (answer === undefined) return { answers: new Map(), missing: [this.nodeId] };
    return { answers: new Map([[this.nodeId, answer]]), missing: [] };
  }

  askNodes(nodeIds: readonly string[], type: string, body: Json, timeoutMs: number): Promise<FleetAnswers> {
    if (nodeIds.includes(this.nodeId)) return this.ask(type, body, timeoutMs);
    return Promise.resolve({ answers: new Map(), missing: nodeIds });
  }

  serve(handler: FleetHandler): void {
    this.#handler = handler;
  }

  notify(topic: ManageTopic, body: Json, nodeId?: string): void {
    if (nodeId === undefined || nodeId === this.nodeId) this.#notices.deliver(topic, this.nodeId, body);
  }

  onNotice(topic: ManageTopic, listener: NoticeListener): () => void {
    return this.#notices.add(topic, listener);
  }

  onGone(): () => void {
    return () => {};
  }
}

/** One request to this process. */
export interface OwnRequest {
  readonly type: string;
  readonly body: Json;
  readonly timeoutMs: number;
}

/** Answer of this process; undefined: it failed or took too long. Never rejects. */
export async function ownAnswer(
  handler: FleetHandler,
  { type, body, timeoutMs }: OwnRequest,
  onFault: (error: unknown) => void,
): Promise<Json | undefined> {
  let answer: Json | undefined;
  const answered = handler(type, body).then(
    (value) => void (answer = value),
    (error: unknown) => onFault(error),
  );
  await within(timeoutMs, answered);
  return answer;
}
