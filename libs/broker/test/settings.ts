import { type Config } from '@carillon/config';
import { configuration } from '@carillon/testing';

/** The configuration that this environment makes beside a store. */
export const configured = (env: Record<string, string>): Config =>
  configuration({ ENVIRONMENT: 'development', CACHE_DRIVER: 'redis', ...env });
