import {
  type Json,
  MANAGE_NOTICE,
  MANAGE_REQUEST,
  MANAGE_RESPONSE,
  type ManageNotice,
  type ManageRequest,
  type ManageResponse,
  type ManageTopic,
  MAX_MANAGE_PARTS,
} from '@carillon/contracts';
import type { NodeSubscriptions } from '../cluster/node-subscriptions.js';
import type { Identity } from '../cluster/identity.js';
import type { Membership } from '../cluster/membership.js';
import type { ClusterLog } from '../cluster/meters.js';
import type { MessageSender } from '../cluster/message-sender.js';
import { within } from '../cluster/waiting.js';
import { Gathering } from './gathering.js';
import { ownAnswer, type OwnRequest } from './local-fleet.js';
import { NoticeListeners } from './notices.js';
import type {
  FleetAnswers,
  FleetBus,
  FleetHandler,
  MessageObserver,
  NoticeListener,
  Observation,
} from './port.js';

export interface ClusterFleetParts {
  readonly identity: Identity;
  readonly post: MessageSender;
  readonly membership: Membership;
  readonly hearing: NodeSubscriptions;
  readonly maxMessageBytes: number;
  readonly log: ClusterLog;
  /** Settles when the first attempt to connect has ended. */
  readonly begun: Promise<void>;
  /** Whether this process has sockets. */
  readonly isMember: () => boolean;
  readonly observe: (appId: string, channel: string | null, observer: MessageObserver) => Observation;
}

/** Requests in flight in one process; further ones are answered by nobody. */
const MAX_REQUESTS = 256;
/** Longest own answer; longer ones are never sent, and the node stays missing. */
const MAX_PART_CHARACTERS = 64 * 1024;
/** A character takes at most three bytes, and what surrounds a part takes the rest. */
const BYTES_PER_CHARACTER = 3;
const ENVELOPE_BYTES = 4096;
/** Time within which a gateway must have computed its own answer for others. */
const ANSWER_WITHIN_MS = 10_000;

/** The control plane over a broker. */
export class ClusterFleet implements FleetBus {
  readonly #gatherings = new Map<string, Gathering>();
  readonly #notices = new NoticeListeners();
  readonly #onGone = new Set<(nodeId: string) => void>();
  #handler: FleetHandler | null = null;
  #answering = 0;

  constructor(private readonly parts: ClusterFleetParts) {}

  get nodeId(): string {
    return this.parts.identity.nodeId;
  }

  async gateways(withinMs: number): Promise<readonly string[]> {
    const { membership, isMember } = this.parts;
    await this.#listen(withinMs);
    await within(withinMs, membership.known());
    const others = membership.members.nodeIds;
    return isMember() ? [this.nodeId, ...others] : others;
  }

  async ask(type: string, body: Json, timeoutMs: number): Promise<FleetAnswers> {
    const deadlineMs = performance.now() + timeoutMs;
    const nodes = await this.gateways(timeoutMs / 2);
    const leftMs = Math.max(1, deadlineMs - performance.now());
    const { requests } = this.parts.post.names;
    return this.#gather(nodes, { type, body, timeoutMs: leftMs }, () => [requests]);
  }

  async askNodes(
    nodeIds: readonly string[],
    type: string,
    body: Json,
    timeoutMs: number,
  ): Promise<FleetAnswers> {
    await this.#listen(timeoutMs / 2);
    const { names } = this.parts.post;
    return this.#gather(nodeIds, { type, body, timeoutMs }, (others) => others.map((one) => names.node(one)));
  }

  /** `addressesOf`: where the other nodes receive the request. */
  async #gather(
    nodes: readonly string[],
    request: OwnRequest,
    addressesOf: (others: readonly string[]) => readonly string[],
  ): Promise<FleetAnswers> {
    if (this.#gatherings.size >= MAX_REQUESTS) return { answers: new Map(), missing: nodes };
    const own = nodes.includes(this.nodeId) ? this.#own(request) : null;
    const gathering = new Gathering(nodes, request.timeoutMs);
    this.#gatherings.set(gathering.id, gathering);
    if (own !== null) void this.#takeOwn(gathering, own);
    const others = nodes.filter((nodeId) => nodeId !== this.nodeId);
    if (others.length > 0)
      for (const address of addressesOf(others)) this.#send(gathering.id, request, address);
    const answers = await gathering.done;
    this.#gatherings.delete(gathering.id);
    return answers;
  }

  serve(handler: FleetHandler): void {
    this.#handler = handler;
  }

  notify(topic: ManageTopic, body: Json, nodeId?: string): void {
    const { post } = this.parts;
    const own = this.nodeId;
    if (nodeId === undefined || nodeId === own) this.#notices.deliver(topic, own, body);
    if (nodeId === own) return;
    const address = nodeId === undefined ? post.names.control : post.names.node(nodeId);
    post.tell(MANAGE_NOTICE, { node_id: own, topic, body }, address);
  }

  onNotice(topic: ManageTopic, listener: NoticeListener): () => void {
    void this.#listen(1);
    return this.#notices.add(topic, listener);
  }

  onGone(listener: (nodeId: string) => void): () => void {
    this.#onGone.add(listener);
    return () => void this.#onGone.delete(listener);
  }

  observe(appId: string, channel: string | null, observer: MessageObserver): Observation {
    return this.parts.observe(appId, channel, observer);
  }

  /** A request of another node. */
  request(message: ManageRequest): void {
    if (this.#handler === null || this.#answering >= MAX_REQUESTS) return;
    void this.#answer(this.#handler, message);
  }

  response(message: ManageResponse): void {
    this.#gatherings.get(message.request_id)?.take(message);
  }

  notice({ topic, node_id: nodeId, body }: ManageNotice): void {
    this.#notices.deliver(topic, nodeId, body);
  }

  gone(nodeId: string): void {
    for (const gathering of this.#gatherings.values()) gathering.gone(nodeId);
    for (const listener of this.#onGone) listener(nodeId);
  }

  close(): void {
    for (const gathering of this.#gatherings.values()) gathering.end();
  }

  /** A process without sockets receives nothing of the control plane until it needs to. */
  async #listen(withinMs: number): Promise<void> {
    const { begun, hearing, isMember } = this.parts;
    await within(withinMs, begun);
    if (!isMember()) await hearing.answers(withinMs);
  }

  #own(request: OwnRequest): Promise<Json | undefined> | null {
    return this.#handler === null ? null : ownAnswer(this.#handler, request, this.#failed);
  }

  async #takeOwn(gathering: Gathering, own: Promise<Json | undefined>): Promise<void> {
    const answer = await own;
    if (answer !== undefined) gathering.answered(this.nodeId, answer);
  }

  #send(id: string, { type, body }: OwnRequest, address: string): void {
    const { post } = this.parts;
    const reply_to = post.names.reply(this.nodeId);
    const message = { request_id: id, node_id: this.nodeId, request_type: type, body, reply_to };
    post.tell(MANAGE_REQUEST, message, address);
  }

  async #answer(
    handler: FleetHandler,
    { request_id, request_type, body, ...from }: ManageRequest,
  ): Promise<void> {
    const { post, maxMessageBytes, log } = this.parts;
    // Answers go to the inbox of the sender only, whatever address the message names.
    const inbox = post.names.reply(from.node_id);
    if (from.reply_to !== inbox) return;
    this.#answering += 1;
    const request = { type: request_type, body, timeoutMs: ANSWER_WITHIN_MS };
    const answer = await ownAnswer(handler, request, this.#failed);
    this.#answering -= 1;
    if (answer === undefined) return;
    const text = JSON.stringify(answer);
    const fits = Math.floor((maxMessageBytes - ENVELOPE_BYTES) / BYTES_PER_CHARACTER / 2);
    const length = Math.min(MAX_PART_CHARACTERS, fits);
    const count = Math.max(1, Math.ceil(text.length / length));
    if (count > MAX_MANAGE_PARTS)
      return log.warn('answer to a fleet request not sent', { request_type, characters: text.length });
    for (let part = 0; part < count; part += 1) {
      const more = part < count - 1 ? { more: true } : {};
      const piece = text.slice(part * length, (part + 1) * length);
      post.tell(MANAGE_RESPONSE, { request_id, node_id: this.nodeId, part, text: piece, ...more }, inbox);
    }
  }

  readonly #failed = (error: unknown): void => {
    this.parts.log.warn('fleet request failed', { error });
  };
}
