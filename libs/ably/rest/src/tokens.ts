import { type CompatCore, CompatError, NOT_GRANTED, readRevocation } from '@carillon/ably-core';
import type { Entry } from './access.js';
import type { Ask, Reply } from './exchange.js';

/** Gives tokens and takes them back. */
export class TokenRoutes {
  constructor(
    private readonly core: CompatCore,
    private readonly entry: Entry,
    private readonly now: () => number,
  ) {}

  readonly request = async ({ request, body }: Ask): Promise<Reply> => {
    const keyName = request.params['keyName'] ?? '';
    const { tokenRequests, keys, statistics } = this.core;
    const count = async (kind: string): Promise<void> => {
      const key = await keys.find(keyName, this.now()).catch(() => null);
      const appId = key?.app?.id;
      if (appId === undefined) return;
      this.entry.about(request, appId);
      statistics.observe(appId, { [`tokenRequests.${kind}`]: 1 });
    };
    try {
      const granted = await tokenRequests.grant(keyName, body(), this.now());
      await count('succeeded');
      return { status: 200, body: granted };
    } catch (error) {
      await count('failed');
      throw error;
    }
  };

  /** Requires the key itself, with revocable tokens. */
  readonly revoke = async (ask: Ask): Promise<Reply> => {
    const principal = await this.entry.principal(ask);
    const keyName = ask.request.params['keyName'] ?? '';
    if (!principal.isKey) throw new CompatError(40_162, 'tokens are revoked with a key', 401);
    const key = principal.keyName === keyName ? await this.core.keys.find(keyName, this.now()) : null;
    if (key === null || !key.isRevocable) throw new CompatError(40_160, NOT_GRANTED);
    const nowMs = this.now();
    const results = await this.core.revocations.add(keyName, readRevocation(ask.body(), nowMs), nowMs);
    const failureCount = results.filter((one) => 'error' in one).length;
    return { status: 200, body: { successCount: results.length - failureCount, failureCount, results } };
  };
}
