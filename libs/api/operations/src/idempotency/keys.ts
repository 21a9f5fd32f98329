import type { App } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import type { Caller } from '../caller.js';

/** Rules for the idempotency keys of an app. */
export class KeyRules {
  constructor(private readonly global: Config['idempotency']) {}

  /** Lifetime of a key; null: keys are ignored. */
  ttlMs({ record }: App): number | null {
    const own = record.policy.idempotency;
    if (!(own?.enabled ?? this.global.enabled)) return null;
    const seconds = own?.ttl_seconds ?? this.global.ttl_seconds;
    return Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);
  }

  /** How long a key of this caller is remembered; null: its keys are ignored. */
  ttlOf({ app, keyTtlMs }: Pick<Caller, 'app' | 'keyTtlMs'>): number | null {
    return keyTtlMs ?? this.ttlMs(app);
  }

  /**
   * The key, null when absent or ignored for this app.
   *
   * @throws ServiceError `invalid_input` when it is empty or too long.
   */
  key(caller: Pick<Caller, 'app' | 'keyTtlMs'>, name: string, value: string | undefined): string | null {
    if (value === undefined || this.ttlOf(caller) === null) return null;
    this.checkLength(name, value);
    return value;
  }

  /** The same for the key of a request, which holds ASCII only. */
  requestKey(app: App, value: string | undefined): string | null {
    const key = this.key({ app }, 'X-Idempotency-Key', value);
    if (key === null || ASCII.test(key)) return key;
    throw new ServiceError('invalid_input', { text: 'X-Idempotency-Key must be ASCII' });
  }

  checkLength(name: string, value: string): void {
    const max = this.global.max_key_length;
    if (value === '') throw new ServiceError('invalid_input', { text: `${name} must not be empty` });
    if (Buffer.byteLength(value) <= max) return;
    throw new ServiceError('invalid_input', { text: `${name} is longer than ${max} bytes` });
  }
}

const ASCII = /^[\u0020-\u007e]*$/;
