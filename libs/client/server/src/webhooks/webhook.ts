import { WebhookError } from '../errors.js';
import { bytesOf, bytesOfHex, Hmac } from '../requests/crypto.js';

type OnChannel<Name extends string, More = unknown> = {
  readonly name: Name;
  readonly channel: string;
} & More;

/** One event of a webhook request. */
export type WebhookEvent =
  | OnChannel<'cache_miss', { readonly data: string }>
  | OnChannel<'channel_occupied' | 'channel_vacated'>
  | OnChannel<'member_added' | 'member_removed', { readonly user_id: string }>
  | OnChannel<'member_updated', { readonly user_id: string; readonly user_info: unknown }>
  | OnChannel<
      'client_event',
      {
        readonly event: string;
        readonly data: string | null;
        readonly socket_id: string;
        readonly user_id?: string;
      }
    >
  | OnChannel<'subscription_count', { readonly subscription_count: number }>
  | OnChannel<
      'message_version_created',
      { readonly message_serial: string; readonly version_serial: string; readonly action: string }
    >
  | OnChannel<
      'annotation_created' | 'annotation_deleted',
      {
        readonly message_serial: string;
        readonly annotation_serial: string;
        readonly annotation_type: string;
        readonly deleted_annotation_serial?: string;
      }
    >
  | OnChannel<
      | 'ai_cancel_requested'
      | 'ai_run_ended'
      | 'ai_run_started'
      | 'ai_stream_orphaned'
      | 'ai_turn_ended'
      | 'ai_turn_started',
      Readonly<Record<string, unknown>>
    >;

/** A verified webhook request. */
export interface Webhook {
  /** The same on every retry: by it a receiver recognizes a repetition. Null: the sender gave none. */
  readonly id: string | null;
  readonly key: string;
  readonly timeMs: number;
  readonly events: readonly WebhookEvent[];
}

type HeaderMap = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as a framework or the runtime hands it over, with its raw body. */
export type WebhookRequest =
  | Request
  | { readonly headers: HeaderMap; readonly body: string | Uint8Array }
  | { readonly headers: HeaderMap; readonly rawBody: string | Uint8Array };

export interface VerifyOptions {
  /** Accepted besides that of the client. */
  readonly credentials?: readonly { readonly key: string; readonly secret: string }[];
}

/** Null: it has no such header. */
function headerOf(headers: HeaderMap, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.[0] ?? null);
}

async function bodyOf(request: WebhookRequest): Promise<Uint8Array> {
  if (request instanceof Request) return new Uint8Array(await request.arrayBuffer());
  const body = 'rawBody' in request ? request.rawBody : request.body;
  if (typeof body === 'string') return bytesOf(body);
  if (body instanceof Uint8Array) return body;
  throw new WebhookError('the body was parsed already: pass the raw body', 'invalid_body');
}

/** Verifies signature, key and form of a webhook request. */
export class WebhookVerifier {
  constructor(
    private readonly key: string,
    private readonly hmac: Hmac,
    private readonly vendor: string,
  ) {}

  async verify(request: WebhookRequest, { credentials = [] }: VerifyOptions): Promise<Webhook> {
    const { headers } = request;
    const header = (name: string): string | null => headerOf(headers, name);
    const key = header('x-pusher-key');
    const signatures = [header('x-pusher-signature'), header(`x-${this.vendor}-signature-next`)].filter(
      (one): one is string => one !== null,
    );
    if (key === null || signatures.length === 0) {
      throw new WebhookError('X-Pusher-Key or X-Pusher-Signature is missing', 'missing_signature');
    }
    const keys = this.#keysOf(key, credentials);
    if (keys.length === 0) throw new WebhookError('X-Pusher-Key is not a key of this app', 'unknown_key');
    const body = await bodyOf(request);
    if (!(await anyVerifies(keys, signatures, body))) {
      throw new WebhookError('the signature does not match the body', 'signature_mismatch');
    }
    if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
      throw new WebhookError('the content type is not application/json', 'invalid_content_type');
    }
    const { time_ms: timeMs, events } = parsed(body);
    return { id: header(`x-${this.vendor}-webhook-id`), key, timeMs, events };
  }

  #keysOf(key: string, credentials: NonNullable<VerifyOptions['credentials']>): readonly Hmac[] {
    const others = credentials.filter((one) => one.key === key).map(({ secret }) => new Hmac(secret));
    return key === this.key ? [this.hmac, ...others] : others;
  }
}

async function anyVerifies(
  keys: readonly Hmac[],
  signatures: readonly string[],
  body: Uint8Array,
): Promise<boolean> {
  for (const text of signatures) {
    const signature = bytesOfHex(text);
    if (signature === null) continue;
    for (const key of keys) if (await key.verifies(body, signature)) return true;
  }
  return false;
}

function parsed(body: Uint8Array): { readonly time_ms: number; readonly events: readonly WebhookEvent[] } {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as {
      readonly time_ms?: unknown;
      readonly events?: unknown;
    };
    if (typeof value.time_ms === 'number' && Array.isArray(value.events)) {
      return value as { time_ms: number; events: WebhookEvent[] };
    }
  } catch {
    // The error below names the rule.
  }
  throw new WebhookError('the body is not {"time_ms", "events"} in JSON', 'invalid_body');
}
