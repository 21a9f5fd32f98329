import type { SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import type { Evicted, PurgeRequest } from '../retention.js';

/** Context of one purge step. */
export interface PurgeScope {
  readonly session: SqlSession;
  readonly table: (name: string) => string;
  readonly request: PurgeRequest;
}

/** Result of one part of a step; null: nothing to do. */
export interface PartDone {
  readonly evicted: readonly Evicted[];
  readonly removed: number;
}

export const today = ({ request }: PurgeScope): string => keepDay(request.nowMs);
