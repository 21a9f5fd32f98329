import { POISON, POISON_VARIABLE } from '@carillon/collections';

export { POISON };
/** Whether payloads are overwritten once they were taken; in tests only. */
export const isPoisoning = process.env[POISON_VARIABLE] === 'true';
