import webPush from 'web-push';
import type { WebPushCredential } from '../../credentials/credential.js';
import { Refusal } from '../client/refusal.js';
import { authFailure } from '../client/verdict.js';

/** `web-push` signs for twelve hours; a header is replaced one hour before its end. */
const REUSED_FOR_MS = 11 * 3_600_000;
const MAX_SERVICES = 256;

interface Signed {
  readonly header: string;
  readonly untilMs: number;
}

/** VAPID headers of one credential, signed by `web-push` and cached per push service: a signature costs 1 ms of CPU. */
export class Vapid {
  readonly #credential: WebPushCredential;
  readonly #contact: string | null;
  /** By origin, oldest first. */
  readonly #signed = new Map<string, Signed>();

  constructor(credential: WebPushCredential, contact: string | null) {
    this.#credential = credential;
    this.#contact = credential.subject ?? contact;
  }

  /** @throws Refusal when the credential cannot sign or has no contact. */
  authorization({ origin }: URL): string {
    const known = this.#signed.get(origin);
    if (known !== undefined && known.untilMs > Date.now()) return known.header;
    const header = this.#sign(origin);
    this.#signed.delete(origin);
    const [oldest] = this.#signed.keys();
    if (this.#signed.size >= MAX_SERVICES && oldest !== undefined) this.#signed.delete(oldest);
    this.#signed.set(origin, { header, untilMs: Date.now() + REUSED_FOR_MS });
    return header;
  }

  #sign(endpoint: string): string {
    if (this.#contact === null) throw new Refusal(authFailure('no_contact'));
    const subject = /^(mailto|https):/.test(this.#contact) ? this.#contact : `mailto:${this.#contact}`;
    const vapidDetails = {
      subject,
      publicKey: unpadded(this.#credential.publicKey),
      privateKey: unpadded(this.#credential.privateKey),
    };
    const subscription = { endpoint, keys: { p256dh: '', auth: '' } };
    try {
      const { headers } = webPush.generateRequestDetails(subscription, null, { vapidDetails });
      return headers['Authorization'] ?? '';
    } catch {
      throw new Refusal(authFailure('key_unusable'));
    }
  }
}

const unpadded = (key: string): string => key.replace(/=+$/, '');
