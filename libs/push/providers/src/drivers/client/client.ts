import { Limit, TargetNotAllowed } from '@carillon/http-client';
import { DeviceUrlNotAllowed } from '../../device-url.js';
import { rejected, retryable, type SendOutcome } from '../../outcome.js';
import type { PushClient, SendRequest } from '../../port.js';
import type { Provider } from '../../provider.js';
import { IdentityUnusable, type WireReply, type WireRequest } from '../wire/exchange.js';
import type { Wire } from '../wire/wire.js';
import { EndpointNotAllowed } from './network.js';
import { Refusal } from './refusal.js';
import type { Tokens } from './tokens.js';

/** Provider-specific parts of a client. */
export interface Protocol {
  readonly provider: Provider;
  readonly tokens: Tokens;
  /** @throws Refusal, DeviceUrlNotAllowed */
  request(send: SendRequest, token: string): WireRequest;
  judge(reply: WireReply, send: SendRequest, nowMs: number): Verdict;
}

export interface Verdict {
  readonly outcome: SendOutcome;
  /** The access token was refused: a new one is worth a try. */
  readonly tokenRefused?: boolean;
}

const SEND_TIMEOUT_MS = 15_000;

const nothing = (): void => {};

const lost = (reason: string): SendOutcome => retryable('network_transport', 'network_transport', reason);

/** Sends by the rules of a protocol over one wire; the only place where failures become outcomes. */
export class ProtocolClient implements PushClient {
  readonly #protocol: Protocol;
  readonly #wire: Wire;
  readonly #running = new Set<Promise<SendOutcome>>();
  #closed: Promise<void> | null = null;

  constructor(
    protocol: Protocol,
    wire: Wire,
    private readonly stop: AbortController,
  ) {
    this.#protocol = protocol;
    this.#wire = wire;
  }

  get provider(): Provider {
    return this.#protocol.provider;
  }

  get usage(): { connections: number; streams: number } {
    return this.#wire.usage;
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    if (this.#closed !== null || signal.aborted) return lost('closed');
    const sending = this.#bounded(request, signal);
    this.#running.add(sending);
    try {
      return await sending;
    } finally {
      this.#running.delete(sending);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#running);
    this.stop.abort();
    this.#wire.close();
  }

  async #bounded(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const limit = new Limit(SEND_TIMEOUT_MS, signal);
    let expire = nothing;
    const expired = new Promise<SendOutcome>((resolve) => {
      expire = () => resolve(lost('timeout'));
      limit.signal.addEventListener('abort', expire, { once: true });
    });
    try {
      return await Promise.race([this.#attempts(request, limit.signal), expired]);
    } finally {
      limit.signal.removeEventListener('abort', expire);
      limit.release();
    }
  }

  async #attempts(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    try {
      const first = await this.#tokens().get();
      const verdict = await this.#attempt(request, first, signal);
      if (verdict.tokenRefused !== true || !this.#tokens().renew(first)) return verdict.outcome;
      const second = await this.#tokens().get();
      // A token service may return the refused token again, as the metadata server of Google does until shortly before its end.
      if (second === first) return verdict.outcome;
      return (await this.#attempt(request, second, signal)).outcome;
    } catch (error) {
      return outcomeOf(error);
    }
  }

  async #attempt(request: SendRequest, token: string, signal: AbortSignal): Promise<Verdict> {
    const reply = await this.#wire.post(this.#protocol.request(request, token), signal);
    return this.#protocol.judge(reply, request, Date.now());
  }

  #tokens(): Tokens {
    return this.#protocol.tokens;
  }
}

/** Texts of errors are not kept: they may hold addresses. */
function outcomeOf(error: unknown): SendOutcome {
  if (error instanceof Refusal) return error.outcome;
  if (error instanceof DeviceUrlNotAllowed)
    return rejected('invalid_token', 'device_terminal', 'bad_address');
  if (error instanceof IdentityUnusable) return rejected('auth_failure', 'credential_auth', 'key_unusable');
  if (error instanceof TargetNotAllowed) return rejected('provider_rejected', 'unknown', 'forbidden_address');
  if (error instanceof EndpointNotAllowed) {
    return rejected('provider_rejected', 'unknown', 'endpoint_not_allowed');
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|HTTP2_INVALID_HEADER_VALUE)$/.test(code)) {
    return rejected('invalid_payload', 'caller_payload', 'bad_header');
  }
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return lost('name_not_found');
  return lost(/^E[A-Z]{3,20}$/.test(code) ? code : 'connection_lost');
}
