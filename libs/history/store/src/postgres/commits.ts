import { randomUUID } from 'node:crypto';
import {
  type Database,
  DatabaseRejected,
  DatabaseUnavailable,
  type SqlTransaction,
} from '@carillon/database';
import { StoreFailure } from '../failures.js';
import type { Changes, Found, Wanted } from '../model/changes.js';
import { type FoundMessages, needsData } from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import { routeOf } from '../model/route.js';
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import { NO_PARTITION } from '../sql/failure-of.js';
import { findData } from '../sql/find-messages.js';
import { keyOf } from '../sql/folded.js';
import { SingleStatementCommit, isAtOnce } from './single-statement-commit.js';
import { addressArrays, findReceipts, findWanted, lockStreams } from './find.js';
import type { Partitions } from './partitions.js';
import { MESSAGE_DIALECT } from './message-dialect.js';
import { RememberedMessages } from './remembered-messages.js';
import { type RememberedStream, RememberedStreams } from './remembered-streams.js';
import { BatchWriter } from './write.js';

/** A transaction that ended because something has to be made first. */
class NotYet extends Error {
  constructor(readonly make: () => Promise<void>) {
    super('something has to be made first');
  }
}

/**
 * Streams are created, then partitions, then streams that another process removed meanwhile: more rounds indicate a
 * fault.
 */
const MAX_ROUNDS = 5;

/** Result of a batch that started from stored state. */
interface Batch<Decision> {
  readonly decision: Decision;
  readonly transactionNumber: string;
  readonly messages: FoundMessages | undefined;
}

type Decide<Decision> = (found: Found) => Decision;

/**
 * Commits batches. A batch that starts from the state this process wrote last is decided before the database is
 * queried, which then locks, compares and writes in one statement. If the state differs, nothing was written, and the
 * batch takes the ordinary path of two round trips.
 */
export class PostgresCommits {
  readonly #remembered = new RememberedStreams();
  readonly #messages = new RememberedMessages();
  readonly #writer: BatchWriter;
  readonly #atOnce: SingleStatementCommit;

  constructor(
    private readonly database: Database,
    private readonly table: (name: string) => string,
    private readonly partitions: Partitions,
  ) {
    this.#writer = new BatchWriter(table);
    this.#atOnce = new SingleStatementCommit(table);
  }

  async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: Decide<Decision>,
  ): Promise<Decision> {
    try {
      return (await this.#fromMemory(wanted, decide)) ?? (await this.#fromStore(wanted, decide));
    } catch (thrown) {
      if (thrown instanceof DatabaseRejected && thrown.code === NO_PARTITION) this.partitions.forget();
      if (thrown instanceof DatabaseUnavailable) {
        this.#remembered.forget();
        this.#messages.forget();
      }
      throw thrown;
    }
  }

  /** Null: the batch must start from stored state. */
  async #fromMemory<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: Decide<Decision>,
  ): Promise<Decision | null> {
    if (!isPlain(wanted)) return null;
    const remembered = this.#remembered.take(wanted.streams.map(({ address }) => address));
    if (remembered === null) return null;
    const messages = await this.#recalled(wanted, remembered);
    if (messages === null) return null;
    const decision = tryTo(() =>
      decide(
        foundIn(
          remembered.map(({ stream }) => stream),
          messages,
        ),
      ),
    );
    if (decision === null || !isAtOnce(decision.changes)) return null;
    if (this.partitions.missing(decision.changes).length > 0) return null;
    const { fits, transactionNumber } = await this.#atOnce.write(
      this.database,
      remembered,
      wanted,
      decision.changes,
    );
    if (!fits) return null;
    this.#keep(decision.changes, transactionNumber, remembered);
    return decision;
  }

  /** Messages as this process wrote them last; null: some are unknown. */
  async #recalled(
    { messages, nowMs }: Wanted,
    streams: readonly RememberedStream[],
  ): Promise<FoundMessages | null> {
    if (messages === undefined) return NO_MESSAGES;
    const named = new Map(streams.map((one) => [streamName(one.stream.address), one]));
    const states: StoredMessage[] = [];
    const needed: StoredMessage[] = [];
    for (const one of messages.states) {
      const stream = named.get(streamName(one.address));
      if (stream === undefined) return null;
      const message = this.#messages.find(stream, one.messageSerial);
      if (message === undefined) return null;
      states.push(message);
      if (needsData(message, one, { stream: stream.stream, nowMs })) needed.push(message);
    }
    // If another process changed one meanwhile, its stream differs from the remembered one, and nothing is written.
    const data = await findData(this.database, this.table, { messages: needed, nowMs }, MESSAGE_DIALECT);
    const whole = states.map((message) => ({ ...message, data: data.get(keyOf(message)) ?? null }));
    return { ...NO_MESSAGES, states: whole };
  }

  #keep(
    { streams, messages }: Changes,
    transactionNumber: string,
    before: readonly RememberedStream[],
    found: readonly StoredMessage[] = [],
  ): void {
    const kept = this.#remembered.keep(streams, transactionNumber, before);
    this.#messages.keep(kept, found);
    this.#messages.keep(kept, messages?.states ?? []);
  }

  async #fromStore<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: Decide<Decision>,
  ): Promise<Decision> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      try {
        const { decision, transactionNumber, messages } = await this.database.transaction((session) =>
          this.#batch(session, wanted, decide),
        );
        this.#keep(decision.changes, transactionNumber, [], messages?.states);
        return decision;
      } catch (thrown) {
        if (!(thrown instanceof NotYet)) throw thrown;
        await thrown.make();
      }
    }
    throw new StoreFailure('conflict', 'what the batch needs is removed as fast as it is made');
  }

  async #batch<Decision extends { readonly changes: Changes }>(
    session: SqlTransaction,
    wanted: Wanted,
    decide: Decide<Decision>,
  ): Promise<Batch<Decision>> {
    // After the lock, so that it sees the commits of the previous holder.
    const [held, receipts] = await Promise.all([
      lockStreams(session, this.table, wanted),
      findReceipts(session, this.table, wanted),
    ]);
    const toMake = wanted.streams.filter(({ address, create }) => create && held.absent.includes(address));
    if (toMake.length > 0)
      throw new NotYet(() =>
        this.#makeStreams(
          toMake.map(({ address }) => address),
          wanted.nowMs,
        ),
      );
    const found = await findWanted(session, this.table, wanted, held);
    const decision = decide({ ...found, receipts });
    const partitions = this.partitions.missing(decision.changes);
    if (partitions.length > 0) throw new NotYet(() => this.partitions.make(partitions));
    const written = this.#writer.write(session, decision.changes);
    session.last();
    await written;
    return { decision, transactionNumber: held.transactionNumber, messages: found.messages };
  }

  async #makeStreams(addresses: readonly StreamAddress[], nowMs: number): Promise<void> {
    await this.database.query(
      `insert into ${this.table('streams')} (app_id, channel, kind, route, stream_id, updated_at_ms)
        select v.app_id, v.channel, v.kind, v.route, v.stream_id, $6
          from unnest($1::text[], $2::text[], $3::smallint[], $4::int[], $5::uuid[])
            as v(app_id, channel, kind, route, stream_id)
          order by v.app_id collate "C", v.channel collate "C", v.kind on conflict do nothing`,
      [
        ...addressArrays(addresses),
        addresses.map(({ appId, channel }) => routeOf(appId, channel)),
        addresses.map(() => randomUUID()),
        nowMs,
      ],
    );
  }
}

/** Null if `decide` throws: remembered state may be outdated, so stored state decides whether the error is real. */
function tryTo<Decision>(decide: () => Decision): Decision | null {
  try {
    return decide();
  } catch {
    return null;
  }
}

/** Whether a batch wants to know nothing but its streams and messages, and whether it was committed before. */
const isPlain = ({ streams, members, crowds, below, inspect, messageIdAt, messages }: Wanted): boolean =>
  streams.length > 0 &&
  members.length === 0 &&
  crowds.length === 0 &&
  below === null &&
  !inspect &&
  messageIdAt === undefined &&
  (messages === undefined || (messages.annotations.length === 0 && messages.summaries.length === 0));

const NO_MESSAGES: FoundMessages = { states: [], operations: [], annotations: [], summaries: [], types: [] };

const foundIn = (streams: readonly Stream[], messages: FoundMessages): Found => ({
  streams: new Map(streams.map((stream) => [streamName(stream.address), stream])),
  receipts: new Map(),
  members: [],
  crowds: new Map(),
  purgeable: null,
  inspections: new Map(),
  messages,
});
