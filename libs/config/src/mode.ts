import type { Config } from './schema/index.js';

/** Whether production-only guards are enabled. No other code evaluates `mode`. */
export const isProduction = ({ mode }: Pick<Config, 'mode'>): boolean => mode === 'production';
