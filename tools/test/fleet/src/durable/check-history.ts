import type { ConnectionRecord, Receipt } from '../model/records.js';
import { type ChannelHistory, type DurablePublication, nameOf } from './records.js';

/** What a run of durable channels left behind. */
export interface DurableEvidence {
  readonly publications: readonly DurablePublication[];
  readonly histories: readonly ChannelHistory[];
  readonly connections: readonly ConnectionRecord[];
  /** Gateways that said of something missing that they went on without it. Absent: none may. */
  readonly gaveUp?: ReadonlySet<string>;
}

/** What of it contradicts what is promised. */
export function checkHistories(evidence: DurableEvidence): string[] {
  const { publications, histories, connections, gaveUp = new Set() } = evidence;
  return histories.flatMap((history) => {
    const own = publications.filter(({ channel }) => channel === history.channel);
    return [
      ...checkSerials(history),
      ...checkAccepted(history, own),
      ...checkTimes(history, own),
      ...connections.flatMap((connection) =>
        checkDelivery(history, own, connection, gaveUp.has(connection.gateway)),
      ),
    ].map((wrong) => `${history.channel}: ${wrong}`);
  });
}

/** Serials count from 1 without a gap, whichever way they are read, in one stream that nothing is wrong with. */
function checkSerials({ rows, backwards, nextSerial, streamIds, state }: ChannelHistory): string[] {
  const wrong: string[] = [];
  if (rows.some(({ serial }, index) => serial !== index + 1))
    wrong.push(`the serials are ${rows.map(({ serial }) => serial).join(' ')}`);
  if (backwards.toReversed().join() !== rows.map(({ serial }) => serial).join())
    wrong.push('a walk backwards finds something else than one forwards');
  if (rows.length > 0 && nextSerial !== rows.length + 1)
    wrong.push(`the next serial is ${nextSerial} after ${rows.length} rows`);
  if (streamIds.length > 1) wrong.push(`its rows are of ${streamIds.length} streams`);
  if (state !== 'healthy') wrong.push(`its state is ${state}`);
  return wrong;
}

/** What was accepted is there once, under the serial that was told; what was not is there once or not at all. */
function checkAccepted({ rows }: ChannelHistory, publications: readonly DurablePublication[]): string[] {
  const wrong: string[] = [];
  const sent = new Map(publications.map((publication) => [nameOf(publication), publication]));
  const found = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row);
    const publication = sent.get(name);
    if (found.has(name)) wrong.push(`${name} is stored as ${found.get(name)} and as ${row.serial}`);
    found.set(name, row.serial);
    if (publication === undefined) wrong.push(`${name} is stored and was never published`);
    else if (publication.messageId !== null && publication.messageId !== row.messageId)
      wrong.push(`${name} is stored as ${row.messageId}`);
  }
  for (const [name, { acceptedAtMs, historySerial }] of sent) {
    const serial = found.get(name);
    if (acceptedAtMs !== null && serial === undefined) wrong.push(`${name} was accepted and is not stored`);
    if (historySerial !== null && serial !== undefined && historySerial !== serial)
      wrong.push(`${name} is stored as ${serial}, and its publisher was told ${historySerial}`);
  }
  return wrong;
}

/** What was accepted before another was begun stands before it. */
function checkTimes({ rows }: ChannelHistory, publications: readonly DurablePublication[]): string[] {
  const wrong: string[] = [];
  const sent = new Map(publications.map((publication) => [nameOf(publication), publication]));
  let [earliest, earliestName] = [Infinity, ''];
  for (const row of rows.toReversed()) {
    const publication = sent.get(nameOf(row));
    if (publication === undefined) continue;
    if (publication.beganAtMs > earliest)
      wrong.push(`${earliestName} was accepted before ${nameOf(row)} was begun, and is stored behind it`);
    if (publication.acceptedAtMs !== null && publication.acceptedAtMs < earliest)
      [earliest, earliestName] = [publication.acceptedAtMs, nameOf(row)];
  }
  return wrong;
}

/** What a connection got is a run of the history, from its confirmation on and to the end unless it ended before. */
function checkDelivery(
  { channel, rows }: ChannelHistory,
  publications: readonly DurablePublication[],
  connection: ConnectionRecord,
  mayJump: boolean,
): string[] {
  const { name, gateway, received, confirmedAtMs, end } = connection;
  const came: readonly Receipt[] = received.get(channel) ?? [];
  const confirmed = confirmedAtMs.get(channel);
  const where = `${name} on ${gateway}`;
  const serials = new Map(rows.map((row) => [nameOf(row), row.serial]));
  const follows = (serial: number | string, before: number): boolean =>
    serial === before + 1 || (mayJump && Number(serial) > before);
  const got = came.map(
    (receipt) => serials.get(nameOf(receipt)) ?? `${nameOf(receipt)}, which is not stored`,
  );
  const breakAt = got.findIndex((serial, index) => index > 0 && !follows(serial, Number(got[index - 1])));
  if (breakAt > 0) return [`${where} got ${got[breakAt]} after ${got[breakAt - 1]}`];
  if (confirmed === undefined) return [];
  const due = publications
    .filter(({ beganAtMs }) => beganAtMs > confirmed)
    .map((publication) => serials.get(nameOf(publication)))
    .filter((serial) => serial !== undefined);
  const first = Math.min(...due);
  const [begin] = got;
  if (begin === undefined)
    return end === null && due.length > 0 ? [`${where} got nothing of ${due.length} that were due`] : [];
  if (typeof begin === 'string') return [`${where} got ${begin}`];
  const last = Number(got.at(-1));
  return [
    ...(begin > first && !mayJump ? [`${where} began with ${begin}, and ${first} was due`] : []),
    ...(end === null && last !== rows.length ? [`${where} ended with ${last} of ${rows.length}`] : []),
  ];
}
