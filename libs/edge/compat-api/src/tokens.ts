import { type CompatCore, CompatError, NOT_GRANTED, readRevocation } from '@carillon/compat-core';
import type { Entry } from './access.js';
import type { Ask, Reply } from './exchange.js';

/** Gives tokens and takes them back. */
export class TokenRoutes {
  constructor(
    private readonly core: CompatCore,
    private readonly entry: Entry,
    private readonly now: () => number,
  ) {}

  readonly request = async ({ request, body }: Ask): Promise<Reply> => ({
    status: 200,
    body: await this.core.tokenRequests.grant(request.params['keyName'] ?? '', body(), this.now()),
  });

  /** Only for who has the very key, whose tokens may be taken back. */
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
