import type { Config } from './schema/index.js';

/** Whether guards that only production has are up. The one place that asks what `mode` says. */
export const isProduction = ({ mode }: Pick<Config, 'mode'>): boolean => mode === 'production';
