import type { AppRegistry } from '@carillon/app-registry';

/** Reads apps past every copy, after a signature that matches no known secret. */
export type FreshApps = Pick<AppRegistry, 'fresh'>;
