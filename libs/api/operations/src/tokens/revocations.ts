import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { CapabilityToken } from '@carillon/auth';

/** Revoked tokens in the shared store. */
export class Revocations {
  constructor(private readonly cache: Pick<Cache, 'has'>) {}

  /** Rejects where the store cannot be read: a token that cannot be checked must not be believed. */
  async isRevoked(appId: string, { jti, clientId }: CapabilityToken): Promise<boolean> {
    const found = await Promise.all([
      this.cache.has(cacheKeys.revokedToken(appId, jti)),
      this.cache.has(cacheKeys.revokedClient(appId, clientId)),
    ]);
    return found.includes(true);
  }
}
