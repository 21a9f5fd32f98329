import type { Inspection } from '@carillon/history-store';

/** Inspection result that confirms each reason of a degraded stream. */
export const WRONG: ReadonlyMap<string, (inspection: Inspection) => boolean> = new Map([
  ['history_row_unreadable', ({ unreadable }: Inspection) => unreadable],
  ['history_serial_gap', ({ gap }: Inspection) => gap],
  ['history_serial_conflict', ({ conflict }: Inspection) => conflict],
]);
