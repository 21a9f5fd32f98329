import type { SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import type { Evicted, PurgeRequest } from '../retention.js';

/** What one step works with. */
export interface PurgeScope {
  readonly session: SqlSession;
  readonly table: (name: string) => string;
  readonly request: PurgeRequest;
}

/** What one part of a step has done; null: there was nothing for it to do. */
export interface PartDone {
  readonly evicted: readonly Evicted[];
  readonly removed: number;
}

export const today = ({ request }: PurgeScope): string => keepDay(request.nowMs);
