import type { ConnectionRecord, Gap, Publication, Receipt } from './records.js';

/** What a run has done and seen. */
export interface Evidence {
  readonly publications: readonly Publication[];
  readonly connections: readonly ConnectionRecord[];
  readonly gaps: readonly Gap[];
}

/** What is wrong with it, and what is allowed but worth counting. */
export interface Verdict {
  /** Events that should have come and did not: more may still be on their way. */
  readonly missing: readonly string[];
  /** What no wait can heal. */
  readonly wrong: readonly string[];
  /** Events of the outage of a node that its subscribers did not get. */
  readonly lostInGaps: number;
}

interface Tally {
  missing: string[];
  wrong: string[];
  lostInGaps: number;
}

/** One publisher's events on one channel as one connection should have and has seen them. */
interface Line {
  readonly where: string;
  readonly sent: readonly Publication[];
  readonly came: readonly number[];
  readonly confirmedAtMs: number;
  readonly isOpen: boolean;
  readonly gaps: readonly Gap[];
}

/**
 * Compares what was accepted with what came: to every connection exactly once and in order, unless the connection
 * ended, which may cut the end of each line off but leaves no hole in it.
 */
export function checkDelivery({ publications, connections, gaps }: Evidence): Verdict {
  const tally: Tally = { missing: [], wrong: [], lostInGaps: 0 };
  const sent = groupBy(publications, ({ publisher, channel }) => `${publisher} ${channel}`);
  for (const connection of connections) {
    const own = gaps.filter(({ gateway }) => gateway === connection.gateway);
    for (const [channel, confirmedAtMs] of connection.confirmedAtMs) {
      const came = groupBy(connection.received.get(channel) ?? [], ({ publisher }) => publisher);
      for (const publisher of new Set([...publications.map((one) => one.publisher), ...came.keys()])) {
        const line: Line = {
          where: `${connection.name} on ${connection.gateway}, ${channel}, ${publisher}`,
          sent: sent.get(`${publisher} ${channel}`) ?? [],
          came: numbers(came.get(publisher)),
          confirmedAtMs,
          isOpen: connection.end === null,
          gaps: own,
        };
        checkOrder(line, tally);
        checkCompleteness(line, tally);
      }
    }
  }
  return tally;
}

function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

const numbers = (receipts: readonly Receipt[] = []): number[] => receipts.map(({ number }) => number);

function checkOrder({ where, sent, came }: Line, tally: Tally): void {
  const copies = new Map<number, number>();
  let last = 0;
  for (const number of came) {
    const before = copies.get(number) ?? 0;
    copies.set(number, before + 1);
    if (sent[number - 1] === undefined) tally.wrong.push(`${where}: ${number} was never published`);
    else if (before > 0) tally.wrong.push(`${where}: ${number} came ${before + 1} times`);
    else if (number < last) tally.wrong.push(`${where}: ${number} came after ${last}`);
    last = Math.max(last, number);
  }
}

function checkCompleteness(line: Line, tally: Tally): void {
  const { where, sent, came, confirmedAtMs, isOpen, gaps } = line;
  const seen = new Set(came);
  const last = Math.max(0, ...came);
  for (const publication of sent) {
    const { number, beganAtMs, acceptedAtMs } = publication;
    const isDue = acceptedAtMs !== null && beganAtMs > confirmedAtMs && (isOpen || number < last);
    if (!isDue || seen.has(number)) continue;
    if (gaps.some(({ fromMs, toMs }) => beganAtMs < toMs && acceptedAtMs > fromMs)) tally.lostInGaps += 1;
    else tally.missing.push(`${where}: ${number} did not come, accepted at ${Math.round(acceptedAtMs)} ms`);
  }
}
