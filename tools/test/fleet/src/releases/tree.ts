import { fileURLToPath } from 'node:url';

/** The root of this working tree, with a separator at its end. */
export const TREE = fileURLToPath(new URL('../../../../../../', import.meta.url));
