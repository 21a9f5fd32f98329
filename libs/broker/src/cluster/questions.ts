import {
  REQUEST,
  RESPONSE,
  TOKEN_REVOKED,
  type Request,
  type Response,
  type TokenRevoked,
} from '@carillon/contracts';
import type { Gathered } from '../port.js';
import type { Answer, Question, RevokedTokens } from '../question.js';
import type { Identity } from './identity.js';
import { Inquiry, type InquiryOptions } from './inquiry.js';
import type { Membership } from './membership.js';
import type { ClusterMeters } from './meters.js';
import type { MessageSender } from './message-sender.js';
import { kindOf, writing } from './question-message.js';

type Kind = keyof Question;

export interface QuestionsParts {
  readonly identity: Identity;
  readonly post: MessageSender;
  readonly membership: Membership;
  readonly meters: ClusterMeters;
  readonly requestTimeoutMs: number;
  /** Minimum timeout of a quick request. */
  readonly quickTimeoutMinMs: number;
  /** Expected number of nodes with sockets, this one included; null: the number of known nodes. */
  readonly nodesNumber: number | null;
  readonly maxMessageBytes: number;
  /** Whether this process is asked, too. */
  readonly isAsked: () => boolean;
  /** Null when others can be heard, else why not. */
  readonly problem: () => string | null;
  /** This process's own part. */
  readonly own: <K extends Kind>(kind: K, appId: string, about: Question[K]) => Promise<Gathered<K>>;
}

/** Limit of concurrent requests; beyond it, requests are answered with the knowledge of this process. */
const MAX_UNDER_WAY = 10_000;
/** Size above which an answer is sent in parts, and the envelope bytes reserved per part. */
const PART_BYTES = 256 * 1024;
const ENVELOPE_BYTES = 4096;
/** Time a quick question has per node. */
const QUICK_MS_PER_NODE = 50;

/** Questions of this process to the others, and theirs to it. */
export class Questions {
  readonly #underWay = new Map<string, Pick<Inquiry<Kind>, 'end' | 'gone' | 'take'>>();
  #isClosed = false;

  constructor(private readonly parts: QuestionsParts) {}

  async ask<K extends Kind>(kind: K, appId: string, about: Question[K]): Promise<Gathered<K>> {
    const { own, membership, meters } = this.parts;
    const startMs = performance.now();
    const mine = await own(kind, appId, about);
    await membership.known();
    const gathered = await this.#gather(kind, appId, about, mine);
    meters.resolved(appId, performance.now() - startMs, gathered.complete);
    return gathered;
  }

  /** Asks one other node; undefined: it does not answer in time, is dead or cannot be reached. */
  async askNode<K extends Kind>(
    nodeId: string,
    kind: K,
    appId: string,
    about: Question[K],
    timeoutMs: number,
  ): Promise<Answer[K] | undefined> {
    const { problem, meters } = this.parts;
    if (this.#isClosed || this.#underWay.size >= MAX_UNDER_WAY || problem() !== null) return undefined;
    const options: InquiryOptions<K> = {
      kind,
      own: null,
      awaited: [nodeId],
      minAnswers: 1,
      patienceMs: timeoutMs,
      timeoutMs,
    };
    const inquiry = new Inquiry(options);
    this.#underWay.set(inquiry.id, inquiry);
    meters.asked(appId);
    this.#send(inquiry.id, kind, appId, about, nodeId).catch(() => inquiry.end());
    const { answer, complete } = await inquiry.done;
    this.#underWay.delete(inquiry.id);
    return complete ? answer : undefined;
  }

  response(message: Response): void {
    const inquiry = this.#underWay.get(message.request_id);
    if (inquiry === undefined) return;
    this.parts.meters.responseReceived(message.app_id);
    inquiry.take(message);
  }

  /** Notifies the other nodes without expecting an answer. Rejects if the broker refuses the message. */
  tellTokensRevoked(appId: string, revoked: RevokedTokens): Promise<void> {
    const { identity, post } = this.parts;
    const body = { node_id: identity.nodeId, app_id: appId, ...writing('token_revoked').ask(revoked) };
    return post.send(TOKEN_REVOKED, body, [post.names.requests]);
  }

  request(message: Request | TokenRevoked): void {
    const { identity, isAsked, meters } = this.parts;
    const target = message.kind === 'request' ? message.target_node_id : undefined;
    if (!isAsked() || (target !== undefined && target !== identity.nodeId)) return;
    const kind = kindOf(message);
    if (kind === null) return;
    meters.requestReceived(message.app_id);
    void this.#answer(kind, message);
  }

  /** Completes all requests without the answer of a dead node. */
  gone(nodeId: string): void {
    for (const inquiry of this.#underWay.values()) inquiry.gone(nodeId);
  }

  /** Completes all requests with the answers received so far. */
  close(): void {
    this.#isClosed = true;
    for (const inquiry of this.#underWay.values()) inquiry.end();
  }

  async #gather<K extends Kind>(
    kind: K,
    appId: string,
    about: Question[K],
    own: Gathered<K>,
  ): Promise<Gathered<K>> {
    const { membership, nodesNumber, isAsked, problem, meters } = this.parts;
    if (writing(kind).isFound?.(own.answer) === true) return own;
    const awaited = membership.members.nodeIds;
    const minAnswers = (nodesNumber ?? 0) - (isAsked() ? 1 : 0);
    const cannotAsk = this.#isClosed || this.#underWay.size >= MAX_UNDER_WAY;
    if (cannotAsk || problem() !== null) return { ...own, complete: false };
    if (awaited.length === 0 && minAnswers <= 0) return own;
    const patienceMs = this.#patienceMs(kind, Math.max(awaited.length, minAnswers));
    const timeoutMs = this.parts.requestTimeoutMs;
    const options: InquiryOptions<K> = { kind, own, awaited, minAnswers, patienceMs, timeoutMs };
    const inquiry = new Inquiry(options);
    this.#underWay.set(inquiry.id, inquiry);
    meters.asked(appId);
    this.#send(inquiry.id, kind, appId, about).catch(() => inquiry.end());
    const gathered = await inquiry.done;
    this.#underWay.delete(inquiry.id);
    return gathered;
  }

  /**
   * Sends a request. Revocations have their own message type because processes without a reply address send them too.
   */
  #send<K extends Kind>(
    id: string,
    kind: K,
    appId: string,
    about: Question[K],
    target?: string,
  ): Promise<void> {
    const { identity, post } = this.parts;
    const type: Kind = kind;
    const to = [post.names.requests];
    const body = {
      request_id: id,
      node_id: identity.nodeId,
      app_id: appId,
      ...writing(kind).ask(about),
      reply_to: post.names.reply(identity.nodeId),
    };
    if (type === 'token_revoked') return post.send(TOKEN_REVOKED, body, to);
    const targeted = target === undefined ? {} : { target_node_id: target };
    return post.send(REQUEST, { ...body, ...targeted, request_type: type, timestamp: Date.now() }, to);
  }

  /** Returns the timeout by kind: a silent node must not delay reads, while actions wait for all nodes. */
  #patienceMs(kind: Kind, nodes: number): number {
    const { requestTimeoutMs, quickTimeoutMinMs } = this.parts;
    if (!writing(kind).isQuick) return requestTimeoutMs;
    return Math.min(Math.max(QUICK_MS_PER_NODE * nodes, quickTimeoutMinMs), requestTimeoutMs);
  }

  /** Answers a request. Sends nothing on failure, so that the requester reports a partial result. */
  async #answer(kind: Kind, request: Request | TokenRevoked): Promise<void> {
    const { own, identity, post, maxMessageBytes } = this.parts;
    const about = writing(kind).asked(request);
    if (about === undefined) return;
    const { answer, complete } = await own(kind, request.app_id, about);
    const { request_id, app_id } = request;
    if (!complete || request_id === undefined) return;
    const partBytes = Math.min(PART_BYTES, maxMessageBytes) - ENVELOPE_BYTES;
    const parts = writing(kind).answer(answer, partBytes);
    // The reply address is derived from the node id; a requester cannot choose another address.
    const inbox = post.names.reply(request.node_id);
    const address = request.reply_to === inbox ? inbox : post.names.responses;
    for (const [at, part] of parts.entries()) {
      const more = at < parts.length - 1 ? { more: true } : {};
      post.tell(RESPONSE, { request_id, node_id: identity.nodeId, app_id, ...part, ...more }, address);
    }
  }
}
