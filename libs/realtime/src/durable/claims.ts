import type { CommitRecordOf } from '@carillon/contracts';
import { streamName, type StreamAddress } from '@carillon/history-store';
import { isCommitted, uuidV7, type Commits } from '@carillon/history-publish';
import type { StreamReads } from './stream-reads.js';

type Transition = Pick<CommitRecordOf<'presence'>, 'app_id' | 'channel'>;

export interface ClaimsParts {
  readonly commits: Pick<Commits, 'commit'>;
  /** Null if the retained part of a stream cannot be read. */
  readonly reads: Pick<StreamReads, 'heads'> | null;
  readonly nodeId: () => string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

type Doubt = 'lagging' | 'lost';

interface Doubtful {
  readonly address: StreamAddress;
  doubt: Doubt;
  /** Whether the claim is recorded in the stream. */
  isTold: boolean;
  isTelling: boolean;
  /** Whether the delay is over. */
  isOver: boolean;
}

/** Limit of doubtful channels; further ones are not recorded. */
const MOST = 10_000;
const AGAIN_MS = 5000;

/** Records in presence histories that they are behind or incomplete, as soon as they can be written. */
export class Claims {
  readonly #doubtful = new Map<string, Doubtful>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: ClaimsParts) {}

  /** Changes of the channel have waited for too long. */
  lagging(transition: Transition): void {
    this.#doubt(transition, 'lagging');
  }

  /** A change of the channel will never be committed. */
  lost(transition: Transition): void {
    this.#doubt(transition, 'lost');
  }

  /** A change of the channel was committed: the history is no longer behind. */
  committed({ app_id: appId, channel }: Transition): void {
    if (this.#doubtful.size === 0) return;
    const name = streamName({ appId, channel, kind: 'presence' });
    const one = this.#doubtful.get(name);
    if (one?.doubt !== 'lagging') return;
    this.#doubtful.delete(name);
    one.isOver = true;
    if (one.isTold) void this.#commit(one.address, 'healthy', null);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#doubtful.clear();
  }

  #doubt({ app_id: appId, channel }: Transition, doubt: Doubt): void {
    const address: StreamAddress = { appId, channel, kind: 'presence' };
    const name = streamName(address);
    const known = this.#doubtful.get(name);
    if (known === undefined && this.#doubtful.size >= MOST) return;
    const one = known ?? { address, doubt, isTold: false, isTelling: false, isOver: false };
    this.#doubtful.set(name, one);
    if (doubt === 'lost' && one.doubt === 'lagging') {
      one.doubt = doubt;
      one.isTold = false;
    }
    this.#timer ??= setInterval(() => this.#tellAll(), AGAIN_MS).unref();
    void this.#tell(one);
  }

  #tellAll(): void {
    for (const one of this.#doubtful.values()) void this.#tell(one);
    if (this.#doubtful.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #tell(one: Doubtful): Promise<void> {
    if (one.isTold || one.isTelling) return;
    one.isTelling = true;
    const { doubt, address } = one;
    const isTold =
      doubt === 'lagging'
        ? await this.#commit(address, 'degraded', 'presence_history_commit_lagging')
        : await this.#tellLost(address);
    one.isTelling = false;
    if (!isTold || one.doubt !== doubt) return;
    one.isTold = true;
    if (one.isOver) void this.#commit(address, 'healthy', null);
    // Later changes do not make the history complete again.
    if (doubt === 'lost') this.#doubtful.delete(streamName(address));
  }

  /**
   * Marks the history as requiring a reset if it retains records, which are now wrong; otherwise as degraded, since
   * only future records will lack their beginning.
   */
  async #tellLost(address: StreamAddress): Promise<boolean> {
    const { reads, onTrouble } = this.parts;
    try {
      const stream = (await reads?.heads([address]))?.get(streamName(address));
      return (stream?.retainedMessages ?? 0) > 0
        ? await this.#commit(address, 'reset_required', 'presence_history_reset_required_after_write_failure')
        : await this.#commit(address, 'degraded', 'presence_history_write_failed');
    } catch (error) {
      onTrouble('claim about a presence history', error);
      // This much is certain; the rest is recorded once it is known.
      await this.#commit(address, 'degraded', 'presence_history_write_failed');
      return false;
    }
  }

  async #commit(
    { appId, channel }: StreamAddress,
    state: CommitRecordOf<'mark'>['state'],
    reason: string | null,
  ): Promise<boolean> {
    const { commits, nodeId, onTrouble } = this.parts;
    try {
      const [result] = await commits.commit([
        {
          op: 'mark',
          pub_id: uuidV7(),
          app_id: appId,
          channel,
          stream: 'presence',
          state,
          reason,
          node_id: nodeId(),
        },
      ]);
      return isCommitted(result);
    } catch (error) {
      onTrouble('claim about a presence history', error);
      return false;
    }
  }
}
